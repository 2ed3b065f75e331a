"""What the GPU has at calls: textures and buffers, by `reprise show` in a process of its own.

A replay may hang a driver or crash it, so it is never in this process. Each question plays the trace from its
beginning up to the last call that is
asked for; `Replay.read` asks many questions of one replay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ._reprise import Damaged, Error, Trace, decode

if TYPE_CHECKING:
    import numpy

DAMAGED = 3
"""How the program ends where it cannot read all of the trace."""
UNREADABLE = (2, DAMAGED)
"""The same, and where it was asked wrongly: what it said before is no whole answer."""
COMPLAINS = "reprise: "
"""What stands before what the program says is wrong."""


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as missing:
        raise Error("arrays need NumPy: pip install numpy; `data` has the bytes without it") from missing
    return numpy


@dataclass(frozen=True)
class Texture:
    """Texels of one level, slice, plane and sample."""

    about: Mapping[str, Any]
    """What `reprise show --json` says of it: `resource`, `width`, `height`, `format`, `minimum`, `maximum`, `nan`,
    `notes` and more."""
    data: bytes
    """The texels as they are in memory, row by row without gaps."""

    @property
    def width(self) -> int:
        return int(self.about["width"])

    @property
    def height(self) -> int:
        return int(self.about["height"])

    @property
    def format(self) -> str:
        """As DXGI names it, without `DXGI_FORMAT_`."""
        return str(self.about["format"])

    @property
    def resource(self) -> int:
        return int(self.about["resource"])

    @property
    def channels(self) -> str:
        """Names of the last axis of `values`: some of `rgba`."""
        return self._decoded()[2]

    @property
    def values(self) -> numpy.ndarray[Any, Any]:
        """Rows, columns, channels: 32-bit floats, or 32-bit integers where the format has integers."""
        data, kind, channels = self._decoded()
        flat: numpy.ndarray[Any, Any] = _numpy().frombuffer(data, dtype=kind)
        return flat.reshape(self.height, self.width, len(channels))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray[Any, Any]:
        values = self.values
        return values if dtype is None else values.astype(dtype)

    def _decoded(self) -> tuple[bytes, str, str]:
        size = (self.width, self.height)
        return decode(self.data, int(self.about["dxgi_format"]), int(self.about["plane"]), size)


@dataclass(frozen=True)
class Mesh:
    """Vertices of a draw behind the last stage before rasterisation, strips as lists."""

    about: Mapping[str, Any]
    """What `reprise mesh --json` says of it: `vertices`, `instances`, `stride`, `columns`, `least` and `greatest`
    place, `notes` and more."""
    data: bytes
    """The vertices as they are in memory: `stride` bytes each."""

    @property
    def columns(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Each output of the stage by its semantic, with its index where that is not 0: vertices, components."""
        numpy = _numpy()
        words = numpy.frombuffer(self.data, dtype="<u4").reshape(-1, int(self.about["stride"]) // 4)
        columns = {}
        for column in self.about["columns"]:
            first = int(column["offset"]) // 4
            kind = {"f32": "<f4", "i32": "<i4", "u32": "<u4"}[column["type"]]
            own = words[:, first : first + int(column["components"])]
            name = column["semantic"] + (str(column["index"]) if column["index"] else "")
            columns[name] = numpy.ascontiguousarray(own).view(kind)
        return columns

    @property
    def position(self) -> numpy.ndarray[Any, Any]:
        """The places of the vertices in clip space."""
        at = self.about["position"]
        if at is None:
            raise Error("the stage gives no SV_Position")
        columns = list(self.columns.values())
        return columns[int(at)]


class Replay:
    """Replays of a trace on one GPU and runtime."""

    def __init__(
        self,
        trace: Trace,
        *,
        gpu: Optional[Union[int, str]] = None,
        runtime: Optional[str] = None,
        program: Optional[Union[str, os.PathLike[str]]] = None,
    ) -> None:
        found = os.fspath(program) if program is not None else shutil.which("reprise")
        if found is None:
            raise Error("a replay needs the program reprise, which is not in PATH: say where it is, by program=")
        self._trace = trace
        self._program = found
        self._words: list[str] = []
        if gpu is not None:
            self._words += ["--gpu", str(gpu)]
        if runtime is not None:
            self._words += ["--runtime", runtime]
        if trace.rings is not None:
            self._words += ["--rings", str(trace.rings)]
        self._words.append(str(trace.path))
        self._call: Optional[int] = None

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run_to(self, call: int) -> Replay:
        """Questions that name no call are of this one from now on."""
        self._call = call
        return self

    def texture(
        self,
        resource: Optional[int] = None,
        *,
        call: Optional[int] = None,
        target: Optional[int] = None,
        depth: bool = False,
        stencil: bool = False,
        before: bool = False,
        mip: int = 0,
        slice: int = 0,
        plane: int = 0,
        sample: int = 0,
        submission: Optional[int] = None,
    ) -> Texture:
        """A texture as a call leaves it, or with `before` as it finds it: by its id, or as the render target in a
        slot, the depth buffer or the
        stencil that is bound."""
        wish: dict[str, Any] = {"resource": resource, "target": target, "mip": mip, "slice": slice, "plane": plane}
        wish.update(sample=sample, submission=submission, depth=depth, stencil=stencil, before=before, call=call)
        answer = self.read([wish])[0]
        if not isinstance(answer, Texture):
            raise Error(f"{self._trace.path}: {resource} is a buffer: ask for buffer()")
        return answer

    def buffer(
        self,
        resource: int,
        *,
        call: Optional[int] = None,
        first: int = 0,
        size: Optional[int] = None,
        before: bool = False,
    ) -> bytes:
        """Bytes of a buffer as a call leaves it: from `first` on, so many, or all. `numpy.frombuffer` makes an array
        of them."""
        if first < 0:
            raise Error(f"{self._trace.path}: bytes of a buffer count from 0")
        wish: dict[str, Any] = {"buffer": resource, "call": call, "before": before}
        if size is not None:
            wish["bytes"] = f"{first}-{first + size - 1}"
        answer = self.read([wish])[0]
        data = answer.data if isinstance(answer, Texture) else answer
        data = data if size is not None else data[first:]
        if len(data) != size and (size is not None or not data):
            raise Error(
                f"{self._trace.path}: buffer {resource} ends before: {len(data)} bytes are there from {first} on"
            )
        return data

    def read(self, wishes: Iterable[Mapping[str, Any]]) -> list[Union[Texture, bytes]]:
        """What several questions ask for, in one replay. Each is a mapping with the names of `texture` or `buffer`
        (as a line of
        `reprise show --batch`); where one cannot be answered, its call and the reason are raised."""
        asked = [self._wish(wish) for wish in wishes]
        with tempfile.TemporaryDirectory(prefix="reprise-") as folder:
            files = [Path(folder) / str(at) for at in range(len(asked))]
            lines = [json.dumps({**wish, "raw": str(file)}) for wish, file in zip(asked, files)]
            ended = self._run("show", "--batch", "-", "--json", asking="\n".join(lines) + "\n")
            answers: list[Optional[Mapping[str, Any]]] = [None] * len(asked)
            for line in ended.stdout.splitlines():
                answer = json.loads(line)
                if answer.get("error"):
                    raise Error(f"{self._trace.path}: call {answer.get('call')}: {answer['error']}")
                answers[answer["request"]] = answer
            if None in answers:
                raise self._failed(asked[answers.index(None)]["call"], ended)
            return [_answer(answer, file) for answer, file in zip(answers, files) if answer is not None]

    def mesh(
        self, *, call: Optional[int] = None, instance: Optional[int] = None, submission: Optional[int] = None
    ) -> Mesh:
        """The vertices of a draw, as `reprise mesh` has them; with `instance` those of one."""
        asked = self._wish({"call": call, "instance": None, "submission": submission})
        words = ["--call", str(asked["call"])]
        if instance is not None:
            words += ["--instance", str(instance)]
        if submission is not None:
            words += ["--submission", str(submission)]
        with tempfile.TemporaryDirectory(prefix="reprise-") as folder:
            file = Path(folder) / "mesh"
            ended = self._run("mesh", *words, "--json", "--raw", str(file))
            if ended.returncode != 0 or not file.exists():
                said = [json.loads(line).get("error") for line in ended.stdout.splitlines() if line.startswith("{")]
                if said and said[0]:
                    raise Error(f"{self._trace.path}: call {asked['call']}: {said[0]}")
                raise self._failed(asked["call"], ended)
            return Mesh(json.loads(ended.stdout.splitlines()[0]), file.read_bytes())

    def ask(self, command: str, *words: Union[str, int]) -> list[Any]:
        """What a command of `reprise` says of the trace with `--json`, a line each: `verify`, `pixel`, `overdraw`,
        `time` and more, with their options as words. What it finds is no error. Where it says nothing, was asked
        wrongly, crashed, or could not read all of the trace, the reason is raised, with what it said as `sound`."""
        ended = self._run(command, *map(str, words), "--json")
        try:
            lines = [json.loads(line) for line in ended.stdout.splitlines() if line]
        except ValueError as wrong:
            raise Error(f"{self._trace.path}: {command}: it printed no JSON: {wrong}") from wrong
        if ended.returncode < 0 or ended.returncode in UNREADABLE or (not lines and ended.returncode != 0):
            kind = Damaged if lines and ended.returncode == DAMAGED else Error
            raised = kind(f"{self._trace.path}: {command}: {self._reason(ended)}")
            raised.sound = lines  # type: ignore[attr-defined]
            raise raised
        return lines

    def _run(self, command: str, *words: str, asking: str = "") -> subprocess.CompletedProcess[str]:
        all_words = [self._program, command, *words, *self._words]
        try:
            return subprocess.run(all_words, input=asking, capture_output=True, text=True, check=False)
        except OSError as wrong:
            raise Error(f"{self._program} cannot be run: {wrong}") from wrong

    def _failed(self, call: int, ended: subprocess.CompletedProcess[str]) -> Error:
        return Error(f"{self._trace.path}: call {call}: {self._reason(ended)}")

    def _reason(self, ended: subprocess.CompletedProcess[str]) -> str:
        said = ended.stderr.strip()
        said = said[len(COMPLAINS) :] if said.startswith(COMPLAINS) else said
        return said or f"the replay ended with {ended.returncode}"

    def _wish(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(wish, Mapping):
            raise Error(
                f"{self._trace.path}: each question is a mapping, as a line of `reprise show --batch`: {wish!r}"
            )
        # What each means without being stated is left out: 0, no, nothing.
        asked = {name: value for name, value in wish.items() if value is not None and value is not False}
        asked = {name: value for name, value in asked.items() if value != 0 or name in ("target", "call")}
        asked.setdefault("call", self._call)
        if asked["call"] is None:
            raise Error(f"{self._trace.path}: which call? call= or run_to() says it")
        return asked


def _answer(answer: Mapping[str, Any], file: Path) -> Union[Texture, bytes]:
    data = file.read_bytes()
    return data if answer.get("dimension") == "buffer" or "width" not in answer else Texture(answer, data)
