"""A small network (convolution, pooling, a matrix, softmax) by wonnx or ONNX Runtime, compared with plain arithmetic.

Argument: wonnx, or a provider of ONNX Runtime's. Ends with 1 where the results are apart.
"""

import math
import os
import struct
import sys

os.environ.setdefault("WGPU_BACKEND", "dx12")

SIDE, CHANNELS, KERNEL, CLASSES = 16, 8, 3, 10
TOLERANCE = 1e-5
FILTERS = [0.3 * math.cos(1.7 * i) for i in range(CHANNELS * 3 * KERNEL * KERNEL)]
OFFSETS = [0.1 * i - 0.3 for i in range(CHANNELS)]
MATRIX = [0.2 * math.sin(2.3 * i) for i in range(CHANNELS * CLASSES)]
BIASES = [0.05 * i for i in range(CLASSES)]


def number(value):
    """A number as protobuf writes it."""
    out = b""
    while value > 127:
        out += bytes((value & 127 | 128,))
        value >>= 7
    return out + bytes((value,))


def field(tag, value):
    """A field of a protobuf message: a number, a text or bytes."""
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(value)) + value


def tensor(name, sizes, values):
    sizes = b"".join(field(1, size) for size in sizes)
    return sizes + field(2, 1) + field(8, name) + field(9, struct.pack(f"<{len(values)}f", *values))


def value(name, sizes):
    sizes = b"".join(field(1, field(1, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, sizes)))


def node(kind, inputs, output, **attributes):
    names = b"".join(field(1, name) for name in inputs)
    listed = b""
    for name, given in attributes.items():
        many = isinstance(given, list)
        numbers = b"".join(field(8, one) for one in given) if many else field(3, given)
        listed += field(5, field(1, name) + numbers + field(20, 7 if many else 2))
    return names + field(2, output) + field(3, kind + output) + field(4, kind) + listed


def model():
    """The network in ONNX's format."""
    nodes = (
        node("Conv", ["x", "filters", "offsets"], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", ["c"], "r"),
        node("MaxPool", ["r"], "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", ["p"], "a"),
        node("Flatten", ["a"], "f", axis=1),
        node("Gemm", ["f", "matrix", "biases"], "g"),
        node("Softmax", ["g"], "y", axis=1),
    )
    half = SIDE // 2
    between = dict(c=(1, CHANNELS, SIDE, SIDE), r=(1, CHANNELS, SIDE, SIDE), p=(1, CHANNELS, half, half))
    between.update(a=(1, CHANNELS, 1, 1), f=(1, CHANNELS), g=(1, CLASSES))
    tensors = (
        tensor("filters", (CHANNELS, 3, KERNEL, KERNEL), FILTERS),
        tensor("offsets", (CHANNELS,), OFFSETS),
        tensor("matrix", (CHANNELS, CLASSES), MATRIX),
        tensor("biases", (CLASSES,), BIASES),
    )
    graph = b"".join(field(1, one) for one in nodes) + field(2, "network")
    graph += b"".join(field(5, one) for one in tensors)
    graph += field(11, value("x", (1, 3, SIDE, SIDE))) + field(12, value("y", (1, CLASSES)))
    # wonnx finds what lies between nodes only where the model says its size.
    graph += b"".join(field(13, value(name, sizes)) for name, sizes in between.items())
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


def expected(inputs):
    """What the network computes."""

    def pixel(channel, row, column):
        inside = 0 <= row < SIDE and 0 <= column < SIDE
        return inputs[(channel * SIDE + row) * SIDE + column] if inside else 0.0

    def filtered(output, row, column):
        taps = ((c, i, j) for c in range(3) for i in range(KERNEL) for j in range(KERNEL))
        return OFFSETS[output] + sum(
            FILTERS[((output * 3 + c) * KERNEL + i) * KERNEL + j] * pixel(c, row + i - 1, column + j - 1)
            for c, i, j in taps
        )

    averages = []
    for output in range(CHANNELS):
        plane = [[max(0.0, filtered(output, row, column)) for column in range(SIDE)] for row in range(SIDE)]
        corners = range(0, SIDE, 2)
        most = [
            max(plane[r][c], plane[r + 1][c], plane[r][c + 1], plane[r + 1][c + 1]) for r in corners for c in corners
        ]
        averages.append(sum(most) / len(most))
    scores = [
        BIASES[k] + sum(average * MATRIX[output * CLASSES + k] for output, average in enumerate(averages))
        for k in range(CLASSES)
    ]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def computed(library, inputs):
    if library == "wonnx":
        import wonnx

        return wonnx.Session.from_bytes(model()).run({"x": inputs})["y"]
    import numpy as np
    import onnxruntime

    options = [{"dawnBackendType": "D3D12"}] if library.startswith("WebGpu") else [{}]
    session = onnxruntime.InferenceSession(model(), providers=[library], provider_options=options)
    assert session.get_providers()[0] == library, session.get_providers()
    return session.run(None, {"x": np.array(inputs, np.float32).reshape(1, 3, SIDE, SIDE)})[0].ravel()


inputs = [math.sin(0.37 * i) for i in range(3 * SIDE * SIDE)]
apart = max(abs(float(one) - other) for one, other in zip(computed(sys.argv[1], inputs), expected(inputs)))
print(sys.argv[1], "right" if apart < TOLERANCE else f"apart by {apart}")
sys.exit(apart >= TOLERANCE)
