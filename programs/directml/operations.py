"""Operations and a training loop of TensorFlow or PyTorch, on DirectML and on the processor.

    python operations.py tensorflow|torch [--json FILE] [--only NAME]

Each operation runs in float32, float16 and int32 with the same numbers on both. The processor computes float16 in float32.
A result counts as right where integers are equal, and floats differ by at most 1e-5 (4e-3 of float16) of the larger of 1 and
the number. The losses of the training loop agree to five digits.
Ends with 1 where a result is wrong, 2 where there is no DirectML device.
"""

import argparse
import json
import sys

import numpy as np

TYPES = ("float32", "float16", "int32")
LIMITS = {"float32": 1e-5, "float16": 4e-3}
DIGITS = 5
EPOCHS = 5


def numbers(type_):
    """The inputs of all operations: matrices of one shape, one of positive numbers, weights, images and a kernel."""
    random = np.random.default_rng(7)

    def some(*shape, low=-2.0, high=2.0):
        values = random.uniform(low, high, shape)
        return (np.round(values * 4) if type_ == "int32" else values).astype(type_)

    return {
        "a": some(4, 6),
        "b": some(4, 6),
        "p": some(4, 6, low=0.5),
        "w": some(6, 5),
        "image": some(2, 3, 8, 8),
        "kernel": some(4, 3, 3, 3),
    }


class TensorFlow:
    """TensorFlow with tensorflow-directml-plugin. Images have their channels last."""

    name = "tensorflow"

    def __init__(self):
        import tensorflow

        self.tf = tensorflow
        tensorflow.config.set_soft_device_placement(False)
        self.devices = ("/CPU:0", "/GPU:0") if tensorflow.config.list_physical_devices("GPU") else ()

    def run(self, device, operation, inputs):
        with self.tf.device(device):
            tensors = {name: self.tf.constant(self.lay(value)) for name, value in inputs.items()}
            return np.asarray(operation(tensors))

    @staticmethod
    def lay(value):
        axes = {(4, 3, 3, 3): (2, 3, 1, 0)}.get(value.shape, (0, 2, 3, 1))
        return value.transpose(axes) if value.ndim == 4 else value

    def operations(self):
        tf, nn = self.tf, self.tf.nn
        one = {name: (lambda t, f=f: f(t["a"])) for name, f in {
            "abs": tf.abs, "negative": tf.negative, "sign": tf.sign, "square": tf.square, "exp": tf.exp, "sin": tf.sin,
            "cos": tf.cos, "tanh": tf.tanh, "sigmoid": tf.sigmoid, "floor": tf.floor, "ceil": tf.math.ceil,
            "relu": nn.relu, "elu": nn.elu, "softplus": nn.softplus, "softmax": nn.softmax, "log_softmax": nn.log_softmax,
            "erf": tf.math.erf, "cumsum": tf.cumsum, "transpose": tf.transpose, "l2_loss": nn.l2_loss,
        }.items()}
        positive = {name: (lambda t, f=f: f(t["p"])) for name, f in {
            "sqrt": tf.sqrt, "rsqrt": tf.math.rsqrt, "log": tf.math.log, "log1p": tf.math.log1p, "reciprocal": tf.math.reciprocal,
        }.items()}
        two = {name: (lambda t, f=f: f(t["a"], t["b"])) for name, f in {
            "add": tf.add, "subtract": tf.subtract, "multiply": tf.multiply, "maximum": tf.maximum, "minimum": tf.minimum,
            "squared_difference": tf.math.squared_difference, "less": tf.less, "equal": tf.equal,
            "concat": lambda a, b: tf.concat([a, b], 1), "stack": lambda a, b: tf.stack([a, b]),
            "where": lambda a, b: tf.where(a < b, a, b),
        }.items()}
        folds = {name: (lambda t, f=f: f(t["a"], axis=1)) for name, f in {
            "reduce_sum": tf.reduce_sum, "reduce_mean": tf.reduce_mean, "reduce_max": tf.reduce_max,
            "reduce_min": tf.reduce_min, "reduce_prod": tf.reduce_prod, "argmax": tf.argmax,
        }.items()}
        others = {
            "divide": lambda t: tf.divide(t["a"], t["p"]),
            "matmul": lambda t: tf.matmul(t["a"], t["w"]),
            "slice": lambda t: t["a"][1:3, ::2],
            "gather": lambda t: tf.gather(t["a"], tf.constant([3, 0, 2])),
            "pad": lambda t: tf.pad(t["a"], [[1, 2], [0, 3]]),
            "tile": lambda t: tf.tile(t["a"], [2, 3]),
            "clip": lambda t: tf.clip_by_value(t["a"], tf.cast(-1, t["a"].dtype), tf.cast(1, t["a"].dtype)),
            "cast": lambda t: tf.cast(t["a"], tf.float32),
            "conv2d": lambda t: nn.conv2d(t["image"], t["kernel"], 1, "SAME"),
            "max_pool": lambda t: nn.max_pool2d(t["image"], 2, 2, "VALID"),
            "avg_pool": lambda t: nn.avg_pool2d(t["image"], 2, 2, "VALID"),
            "bias_add": lambda t: nn.bias_add(t["a"], t["b"][0]),
        }
        return {**one, **positive, **two, **folds, **others}

    def losses(self, device):
        tf = self.tf
        x, y, w1, w2 = training()
        with tf.device(device):
            x, y = tf.constant(x), tf.constant(y)
            weights = [tf.Variable(w1), tf.Variable(w2)]
            found = []
            for _ in range(EPOCHS):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(tf.tanh(x @ weights[0]) @ weights[1] - y))
                for weight, slope in zip(weights, tape.gradient(loss, weights)):
                    weight.assign_sub(0.1 * slope)
                found.append(float(loss))
        return found


class Torch:
    """PyTorch with torch-directml. Images have their channels first."""

    name = "torch"

    def __init__(self):
        import torch
        import torch_directml

        self.torch = torch
        self.devices = ("cpu", torch_directml.device()) if torch_directml.is_available() else ()

    def run(self, device, operation, inputs):
        tensors = {name: self.torch.from_numpy(value).to(device) for name, value in inputs.items()}
        return operation(tensors).cpu().numpy()

    def operations(self):
        torch = self.torch
        functional = torch.nn.functional
        one = {name: (lambda t, f=f: f(t["a"])) for name, f in {
            "abs": torch.abs, "negative": torch.neg, "sign": torch.sign, "square": torch.square, "exp": torch.exp,
            "sin": torch.sin, "cos": torch.cos, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "floor": torch.floor,
            "ceil": torch.ceil, "relu": torch.relu, "elu": functional.elu, "softplus": functional.softplus,
            "softmax": lambda a: torch.softmax(a, 1), "log_softmax": lambda a: torch.log_softmax(a, 1), "erf": torch.erf,
            "cumsum": lambda a: torch.cumsum(a, 1), "transpose": lambda a: a.t().contiguous(), "gelu": functional.gelu,
        }.items()}
        positive = {name: (lambda t, f=f: f(t["p"])) for name, f in {
            "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "log": torch.log, "log1p": torch.log1p, "reciprocal": torch.reciprocal,
        }.items()}
        two = {name: (lambda t, f=f: f(t["a"], t["b"])) for name, f in {
            "add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum,
            "less": torch.lt, "equal": torch.eq, "concat": lambda a, b: torch.cat([a, b], 1),
            "stack": lambda a, b: torch.stack([a, b]), "where": lambda a, b: torch.where(a < b, a, b),
            "mse_loss": functional.mse_loss,
        }.items()}
        folds = {name: (lambda t, f=f: f(t["a"])) for name, f in {
            "sum": lambda a: a.sum(1), "mean": lambda a: a.mean(1), "max": lambda a: a.max(1).values,
            "min": lambda a: a.min(1).values, "prod": lambda a: a.prod(1), "argmax": lambda a: a.argmax(1),
            "norm": lambda a: a.norm(), "topk": lambda a: a.topk(2, 1).values,
        }.items()}
        others = {
            "divide": lambda t: t["a"] / t["p"],
            "matmul": lambda t: t["a"] @ t["w"],
            "slice": lambda t: t["a"][1:3, ::2].contiguous(),
            "gather": lambda t: torch.gather(t["a"], 1, torch.tensor([[0, 2], [1, 1], [5, 3], [4, 0]]).to(t["a"].device)),
            "pad": lambda t: functional.pad(t["a"], (0, 3, 1, 2)),
            "tile": lambda t: t["a"].repeat(2, 3),
            "clamp": lambda t: t["a"].clamp(-1, 1),
            "cast": lambda t: t["a"].to(torch.float32),
            "conv2d": lambda t: functional.conv2d(t["image"], t["kernel"], padding=1),
            "max_pool": lambda t: functional.max_pool2d(t["image"], 2),
            "avg_pool": lambda t: functional.avg_pool2d(t["image"], 2),
            "layer_norm": lambda t: functional.layer_norm(t["a"], (6,)),
        }
        return {**one, **positive, **two, **folds, **others}

    def losses(self, device):
        torch = self.torch
        x, y, w1, w2 = (torch.from_numpy(value).to(device) for value in training())
        weights = [w1.requires_grad_(), w2.requires_grad_()]
        found = []
        for _ in range(EPOCHS):
            loss = ((x @ weights[0]).tanh() @ weights[1] - y).square().mean()
            slopes = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for weight, slope in zip(weights, slopes):
                    weight -= 0.1 * slope
            found.append(float(loss))
        return found


def training():
    """Inputs, wanted outputs and the weights of two layers at the start."""
    random = np.random.default_rng(11)
    x = random.standard_normal((64, 8)).astype("float32")
    y = (x[:, :1] * x[:, 1:2] + 0.5 * x[:, 2:3]).astype("float32")
    return x, y, *(0.5 * random.standard_normal(shape).astype("float32") for shape in ((8, 16), (16, 1)))


def compare(framework, name, operation, type_):
    """One operation in one type: what became of it."""
    inputs = numbers(type_)
    row = {"operation": name, "type": type_}
    wide = {key: value.astype("float32") if type_ == "float16" else value for key, value in inputs.items()}
    processor, device = framework.devices
    try:
        wanted = framework.run(processor, operation, wide)
    except Exception:  # Each framework has errors of its own; the operation does not exist for the type.
        return {**row, "result": "none"}
    try:
        got = framework.run(device, operation, inputs)
    except Exception as error:
        return {**row, "result": "unsupported", "message": str(error).splitlines()[0][:160]}
    limit = LIMITS.get(type_, LIMITS["float32"]) if wanted.dtype.kind == "f" else 0
    wanted, got = wanted.astype("float64"), got.astype("float64")
    if wanted.shape != got.shape:
        return {**row, "result": "wrong", "message": f"shape {got.shape}, where {wanted.shape} is due"}
    difference = np.abs(got - wanted) / np.maximum(1, np.abs(wanted))
    largest = float(np.nan_to_num(difference, nan=np.inf).max(initial=0))
    return {**row, "result": "right" if largest <= limit else "wrong", "difference": largest}


def train(framework):
    """The training loop on both."""
    processor, device = framework.devices
    wanted, got = framework.losses(processor), framework.losses(device)
    equal = all(f"{x:.{DIGITS - 1}e}" == f"{y:.{DIGITS - 1}e}" for x, y in zip(wanted, got))
    return {"operation": "training", "type": "float32", "result": "right" if equal else "wrong", "losses": got, "wanted": wanted}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("framework", choices=("tensorflow", "torch"))
    arguments.add_argument("--json", help="write all rows there")
    arguments.add_argument("--only", help="operations whose name has this text, or 'training'")
    options = arguments.parse_args()
    framework = {"tensorflow": TensorFlow, "torch": Torch}[options.framework]()
    if not framework.devices:
        print("no DirectML device", file=sys.stderr)
        return 2
    rows = []
    for name, operation in framework.operations().items():
        if not options.only or options.only in name:
            rows += [compare(framework, name, operation, type_) for type_ in TYPES]
    if not options.only or options.only == "training":
        rows.append(train(framework))
    rows = [row for row in rows if row["result"] != "none"]
    for row in rows:
        if row["result"] != "right":
            print(row)
    counts = {type_: {} for type_ in TYPES}
    for row in rows:
        of_type = counts[row["type"]]
        of_type[row["result"]] = of_type.get(row["result"], 0) + 1
    print(framework.name, json.dumps(counts))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return int(any(row["result"] == "wrong" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
