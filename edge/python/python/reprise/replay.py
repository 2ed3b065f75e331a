"""What the GPU has at calls: textures and buffers, by replays in processes of their own.

A replay may hang a driver or crash it, so it is never in this process. `Replay.run_to` and `Replay.draws` lead one
replay forward, and what is asked without a call is asked of the place where it stands. What is asked with a call
plays the trace from its beginning; `Replay.read` asks many such questions of one replay.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from ._reprise import Call, Damaged, Error, Trace
from .contents import Mesh, Texture
from .errors import Ended, Passed, ReplayError
from .steps import DAMAGED, Steps, in_words

UNREADABLE = (2, DAMAGED)
"""How the program ends where it was asked wrongly, or cannot read all of the trace: what it said before is no
answer."""
DRAWS = ("Draw*", "Dispatch*", "ExecuteIndirect")
"""What does work on targets and buffers."""
MOST_AHEAD = 256
"""So many draws are looked at before it is asked for them, where what they have is this large at most."""
AHEAD_BYTES = 256 << 20

AnyPath = Union[str, "os.PathLike[str]"]
Numbers = Union[int, tuple[int, int]]


class Replay:
    """Replays of a trace on one GPU and runtime. One of them goes forward from stop to stop."""

    def __init__(
        self,
        trace: Trace,
        *,
        gpu: Optional[Union[int, str]] = None,
        runtime: Optional[str] = None,
        program: Optional[AnyPath] = None,
    ) -> None:
        self._trace = trace
        self._program = found(program, "a replay")
        self._words: list[str] = []
        if gpu is not None:
            self._words += ["--gpu", str(gpu)]
        if runtime is not None:
            self._words += ["--runtime", runtime]
        if trace.rings is not None:
            self._words += ["--rings", str(trace.rings)]
        self._words.append(str(trace.path))
        self._call: Optional[int] = None
        self._before = False
        self._steps: Optional[Steps] = None
        self._why_over: Optional[str] = None
        # What was asked of earlier stops, and what it takes: of draws that follow it is looked at before it is asked
        # for.
        self._known: dict[str, dict[str, Any]] = {}
        self._sizes: dict[str, int] = {}
        # Draws that follow, and how many of them are looked at already.
        self._ahead: list[int] = []
        self._looked = 0
        # The stop of which was said what is asked there.
        self._told: Optional[tuple[int, bool]] = None
        self._is_damage_told = False
        self.restarts = 0
        """How often the replay began anew because of what was asked where it had passed."""

    def __enter__(self) -> Replay:
        self._alive()
        return self

    def __exit__(self, *_: object) -> None:
        self._end("its block was left")

    def __del__(self) -> None:
        if getattr(self, "_steps", None) is not None:
            with contextlib.suppress(Exception):
                self._end("nobody uses it")

    def close(self) -> None:
        """Ends the replay."""
        self._end("it was closed")

    @property
    def call(self) -> Optional[int]:
        """The call where the replay stands."""
        return self._call

    def run_to(self, call: int, *, before: bool = False, look: Iterable[Mapping[str, Any]] = ()) -> Replay:
        """Goes on to a call, and stops right after it, or right before it. What is asked without a call is asked of
        this place. A call of a command list is as its list leaves it where it is submitted first. Raises `Passed`
        where the replay is beyond the call, and `Damaged` once where a part of the trace was left out; it stands
        there then.

        `look` says what will be asked there, each as in `read` without a call. At a call of a list the first question
        makes the list run; a second one that was not named is answered by a replay that begins anew (`restarts`)."""
        self._alive()
        for wish in look:
            self._know(self._wish({**wish, "call": call}))
        if self._call is not None and (call, not before) < (self._call, not self._before):
            raise self._passed(call)
        if (call, before) == (self._call, self._before):
            return self
        try:
            damaged = self._led().run_to(call, before)
        except BaseException as wrong:
            raise self._after(wrong) from None
        self._call, self._before = call, before
        if damaged and not self._is_damage_told:
            self._is_damage_told = True
            reason = "the trace is damaged, and what cannot be read is left out; the replay stands there"
            raise Damaged(f"{self._trace.path}: call {call}: {reason}")
        return self

    def restart(self) -> Replay:
        """The next stop may be anywhere: the replay begins anew."""
        self._alive()
        self._drop()
        self._call, self._before, self._ahead = None, False, []
        self._known, self._sizes = {}, {}
        return self

    def draws(
        self,
        *,
        methods: Union[str, Sequence[str]] = DRAWS,
        frames: Optional[Numbers] = None,
        calls: Optional[Numbers] = None,
        look: Iterable[Mapping[str, Any]] = (),
    ) -> Iterator[Call]:
        """Draws and dispatches in their order; at each the replay stands right after it. What was asked of one is
        looked at in those that follow, too, so that one replay is enough. `look` as in `run_to`."""
        self._alive()
        for wish in look:
            self._know(self._wish({**wish, "call": 0}))
        wanted = list(self._trace.calls(methods=methods, frames=frames, calls=calls))
        # A draw is stopped at right after it.
        if wanted and self._call is not None and (wanted[0].call, True) < (self._call, not self._before):
            raise self._passed(wanted[0].call)
        self._ahead = [call.call for call in wanted]
        self._looked = 0
        return self._go(wanted)

    def _go(self, wanted: Sequence[Call]) -> Iterator[Call]:
        for call in wanted:
            self.run_to(call.call)
            yield call

    def targets(self) -> dict[int, Texture]:
        """The render targets that are bound where the replay stands, by their slots."""
        targets = (self._bound().get("targets") or {}).get("value") or []
        slots = [slot for slot, target in enumerate(targets) if (target or {}).get("descriptor")]
        # All of them before the list runs.
        for slot in slots:
            self._know({"target": slot})
        return {slot: self.texture(target=slot) for slot in slots}

    def depth(self) -> Optional[Texture]:
        """The depth buffer that is bound where the replay stands."""
        return self.texture(depth=True) if (self._bound().get("depth") or {}).get("descriptor") else None

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
        """A texture where the replay stands; with `call` as that call leaves it, or with `before` as it finds it. By
        its id, or as the render target in a slot, the depth buffer or the stencil that is bound."""
        wish: dict[str, Any] = {"resource": resource, "target": target, "mip": mip, "slice": slice, "plane": plane}
        wish.update(sample=sample, submission=submission, depth=depth, stencil=stencil, before=before, call=call)
        answer = self._one(wish)
        if not isinstance(answer, Texture):
            raise self._wrong(call, f"{resource} is a buffer: ask for buffer()")
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
        """Bytes of a buffer where the replay stands; with `call` as that call leaves it. From `first` on, so many, or
        all. `numpy.frombuffer` makes an array of them."""
        if first < 0:
            raise self._wrong(call, "bytes of a buffer count from 0")
        wish: dict[str, Any] = {"buffer": resource, "call": call, "before": before}
        if size == 0:
            self._alive()
            self._wish(wish)
            return b""
        if size is not None:
            wish["bytes"] = f"{first}-{first + size - 1}"
        answer = self._one(wish)
        data = answer.data if isinstance(answer, Texture) else answer
        data = data if size is not None else data[first:]
        if len(data) != size and (size is not None or not data):
            raise self._wrong(call, f"buffer {resource} ends before: {len(data)} bytes are there from {first} on")
        return data

    def read(self, wishes: Iterable[Mapping[str, Any]]) -> list[Union[Texture, bytes]]:
        """What several questions ask for, in one replay from the beginning. Each is a mapping with the names of
        `texture` or `buffer` (as a line of `reprise show --batch`); where one cannot be answered, its call and the
        reason are raised."""
        self._alive()
        asked = [self._wish(wish) for wish in wishes]
        with tempfile.TemporaryDirectory(prefix="reprise-") as folder:
            files = [Path(folder) / str(at) for at in range(len(asked))]
            lines = [json.dumps({**wish, "raw": str(file)}) for wish, file in zip(asked, files)]
            ended = self._run("show", "--batch", "-", "--json", asking="\n".join(lines) + "\n")
            answers: list[Optional[Mapping[str, Any]]] = [None] * len(asked)
            for line in ended.stdout.splitlines():
                answer = json.loads(line)
                if answer.get("error"):
                    raise self._wrong(answer.get("call"), answer["error"])
                answers[answer["request"]] = answer
            if None in answers:
                raise self._wrong(asked[answers.index(None)]["call"], self._reason(ended))
            shown = [_answer(answer, file.read_bytes()) for answer, file in zip(answers, files) if answer is not None]
        if ended.returncode == DAMAGED:
            damaged = Damaged(f"{self._trace.path}: {self._reason(ended)}")
            damaged.sound = shown
            raise damaged
        return shown

    def mesh(
        self, *, call: Optional[int] = None, instance: Optional[int] = None, submission: Optional[int] = None
    ) -> Mesh:
        """The vertices of a draw, as `reprise mesh` has them; with `instance` those of one. A replay from the
        beginning."""
        self._alive()
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
                raise self._wrong(asked["call"], said[0] if said and said[0] else self._reason(ended))
            return Mesh(json.loads(ended.stdout.splitlines()[0]), file.read_bytes())

    def ask(self, command: str, *words: Union[str, int]) -> list[Any]:
        """Runs a command of `reprise` on the trace with `--json`, and gives its lines: `verify`, `pixel`, `overdraw`,
        `time` and more, with their options as words. What a command finds is no error. A command that says nothing,
        was asked wrongly, crashed or could not read all of the trace raises the reason, with its lines as `sound`."""
        return self._lines(None, [command, *map(str, words), "--json", *self._words])

    def pixel(
        self, x: int, y: int, *, frame: int, resource: Optional[int] = None, values_only: bool = False, **part: int
    ) -> dict[str, Any]:
        """What happened to a pixel in a frame, as `reprise pixel --json` has it: each call that may write it, with the
        values before and after it. Of the picture that the frame shows, or of a texture; `mip`, `slice`, `plane` and
        `sample` say of which part."""
        words = ["--frame", str(frame), "--at", f"{x},{y}"]
        words += [] if resource is None else ["--resource", str(resource)]
        words += [word for name, number in part.items() for word in (f"--{name}", str(number))]
        words += ["--values-only"] if values_only else []
        history: dict[str, Any] = self._lines(None, ["pixel", *words, "--json", *self._words])[0]
        return history

    def debug(
        self,
        call: int,
        *,
        thread: Optional[tuple[int, int, int]] = None,
        vertex: Optional[int] = None,
        pixel: Optional[tuple[int, int]] = None,
        instance: Optional[int] = None,
        primitive: Optional[int] = None,
        sample: Optional[int] = None,
        command: Optional[int] = None,
        submission: Optional[int] = None,
        check: bool = True,
    ) -> dict[str, Any]:
        """A shader of a call step by step on the processor, as `reprise debug --json` has it: a thread of a dispatch, a
        vertex or a pixel of a draw. Without `check` it is not compared with what the GPU left."""
        given = {"thread": thread, "vertex": vertex, "pixel": pixel, "instance": instance, "primitive": primitive}
        given.update(sample=sample, command=command, submission=submission)
        words = [] if check else ["--no-check"]
        for name, value in given.items():
            if value is not None:
                numbers = value if isinstance(value, tuple) else (value,)
                words += [f"--{name}", ",".join(map(str, numbers))]
        *options, trace = self._words
        lines = self._lines(call, ["debug", *options, *words, "--json", trace, str(call)])
        record: dict[str, Any] = lines[0]
        return record

    def _lines(self, call: Optional[int], words: Sequence[str]) -> list[Any]:
        self._alive()
        ended = run(self._trace, [self._program, *words])
        try:
            lines = [json.loads(line) for line in ended.stdout.splitlines() if line]
        except ValueError as wrong:
            raise self._wrong(call, f"{words[0]}: it printed no JSON: {wrong}") from wrong
        if ended.returncode < 0 or ended.returncode in UNREADABLE or (not lines and ended.returncode != 0):
            reason = f"{words[0]}: {self._reason(ended)}"
            is_damage = lines and ended.returncode == DAMAGED
            raised: Error = Damaged(f"{self._trace.path}: {reason}") if is_damage else self._wrong(call, reason)
            raised.sound = lines  # type: ignore[attr-defined]
            raise raised
        return lines

    def _one(self, wish: Mapping[str, Any]) -> Union[Texture, bytes]:
        if wish.get("call") is not None or self._steps is None or wish.get("submission") is not None:
            return self.read([wish])[0]
        self._alive()
        asked = self._wish(wish)
        if self._before:
            asked["before"] = True
        elif asked.pop("before", False):
            raise self._wrong(
                self._call, "the replay stands behind this call: run_to(call, before=True) stops before it"
            )
        return self._shown(asked)

    def _shown(self, asked: Mapping[str, Any]) -> Union[Texture, bytes]:
        """What a wish shows at the stop."""
        name = self._know(asked)
        try:
            return self._answered(name, asked)
        except ReplayError as wrong:
            # What was refused, and never answered, is not asked of later stops.
            if not isinstance(wrong, Ended) and name not in self._sizes:
                self._known.pop(name, None)
            raise

    def _answered(self, name: str, asked: Mapping[str, Any]) -> Union[Texture, bytes]:
        try:
            self._look()
            answer, data = self._led().get(asked)
        except Passed:
            # The list has run without this being looked at.
            self.restarts += 1
            self._drop()
            try:
                self._look()
                answer, data = self._led().get(asked)
            except BaseException as wrong:
                raise self._after(wrong) from None
        except BaseException as wrong:
            raise self._after(wrong) from None
        self._sizes[name] = max(len(data), self._sizes.get(name, 0))
        return _answer(answer, data)

    def _know(self, wish: Mapping[str, Any]) -> str:
        """Notes what is asked of stops."""
        kind = {name: value for name, value in wish.items() if name not in ("call", "before")}
        name = json.dumps(kind, sort_keys=True)
        if name not in self._known:
            self._known[name] = kind
            self._told, self._looked = None, 0
        return name

    def _look(self) -> None:
        """Says what is known to be asked here and of draws that follow, before the list runs."""
        call = self._call or 0
        named = [] if self._told == (call, self._before) else [call]
        rest = [] if self._before else [number for number in self._ahead if number > call]
        least = 1 << 10
        each = sum(max(self._sizes.get(name, least), least) for name in self._known)
        count = max(1, min(MOST_AHEAD, AHEAD_BYTES // max(each, least)))
        # Half of them are there still when the next ones are named.
        if len([number for number in rest if number <= self._looked]) <= count // 2:
            named += [number for number in rest[:count] if number > self._looked]
        if not named:
            return
        place = {"before": True} if self._before else {}
        kinds = self._known.values()
        try:
            self._led().look([{**kind, "call": number, **place} for number in named for kind in kinds])
        except ReplayError as wrong:
            if isinstance(wrong, Ended):
                raise
            # One of them is no question: it is forgotten, and refused where it is asked.
            for name, kind in list(self._known.items()):
                try:
                    self._led().look([{**kind, "call": number, **place} for number in named])
                except Ended:
                    raise
                except ReplayError:
                    del self._known[name]
        self._told, self._looked = (call, self._before), max(self._looked, named[-1])

    def _bound(self) -> Mapping[str, Any]:
        if self._call is None:
            raise self._wrong(None, "which call? run_to() says it")
        state = self._trace.state(self._call)
        return ((state.get("bound") or {}).get("output")) or {}

    def _led(self) -> Steps:
        if self._steps is None:
            self._steps = Steps(self._trace.path, [self._program, "steps", *self._words])
        return self._steps

    def _after(self, wrong: BaseException) -> BaseException:
        """What is raised; whatever is no answer to a question ends the replay."""
        if isinstance(wrong, ReplayError) and not isinstance(wrong, Ended):
            return wrong
        self._end(str(wrong) or type(wrong).__name__, is_lost=True)
        return wrong

    def _alive(self) -> None:
        if self._why_over is not None:
            raise Ended(self._trace.path, self._call, f"the replay is over: {self._why_over}")

    def _end(self, why: str, is_lost: bool = False) -> None:
        self._why_over = self._why_over or why
        self._drop(is_lost)

    def _drop(self, is_lost: bool = False) -> None:
        steps, self._steps = self._steps, None
        self._told, self._looked = None, 0
        if steps is not None:
            steps.kill() if is_lost else steps.close()

    def _wrong(self, call: Optional[int], reason: str) -> ReplayError:
        return ReplayError(self._trace.path, call, reason)

    def _passed(self, call: int) -> Passed:
        reason = f"the replay is at call {self._call} already and goes forward only: restart() begins anew"
        return Passed(self._trace.path, call, reason)

    def _run(self, command: str, *words: str, asking: str = "") -> subprocess.CompletedProcess[str]:
        return run(self._trace, [self._program, command, *words, *self._words], asking)

    def _reason(self, ended: subprocess.CompletedProcess[str]) -> str:
        return in_words(ended.stderr) or f"the replay ended with {ended.returncode}"

    def _wish(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(wish, Mapping):
            raise self._wrong(None, f"each question is a mapping, as a line of `reprise show --batch`: {wish!r}")
        # What each means without being stated is left out: 0, no, nothing.
        asked = {name: value for name, value in wish.items() if value is not None and value is not False}
        asked = {name: value for name, value in asked.items() if value != 0 or name in ("target", "call")}
        asked.setdefault("call", self._call)
        if asked["call"] is None:
            raise self._wrong(None, "which call? call= or run_to() says it")
        return asked


def found(program: Optional[AnyPath], what: str) -> str:
    """The program `reprise`."""
    path = os.fspath(program) if program is not None else shutil.which("reprise")
    if path is None:
        raise Error(f"{what} needs the program reprise, which is not in PATH: say where it is, by program=")
    return path


def run(trace: Trace, words: Sequence[str], asking: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    try:
        return subprocess.run(words, input=asking, capture_output=True, text=True, check=False)
    except OSError as wrong:
        raise ReplayError(trace.path, None, f"{words[0]} cannot be run: {wrong}") from wrong


def _answer(answer: Mapping[str, Any], data: bytes) -> Union[Texture, bytes]:
    return data if answer.get("dimension") == "buffer" or "width" not in answer else Texture(answer, data)
