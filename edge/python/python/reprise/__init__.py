"""Traces of Direct3D 12 programs: their calls, states, objects and shaders, and what replays have in textures and
buffers.

    import reprise

    trace = reprise.open("game.reprise")
    for call in trace.calls(methods="Draw*", frames=100):
        print(call.call, call.method, call.args)
    target = trace.replay().texture(call=1234, target=0)
    print(target.values.shape, target.format)

Names and values are those of `reprise dump --json`, `state --json` and the tables of `reprise query`. Whatever fails
raises `reprise.Error`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _reprise
from ._reprise import Call, Calls, Columns, Damaged, Error, Memory
from .contents import Mesh, Texture
from .errors import Crashed, EditRefused, Ended, Passed, ReplayError
from .replay import Replay, found, run
from .steps import DAMAGED, in_words

__all__ = [
    "Call",
    "Calls",
    "Columns",
    "Crashed",
    "Damaged",
    "EditRefused",
    "Ended",
    "Error",
    "Memory",
    "Mesh",
    "Passed",
    "Replay",
    "ReplayError",
    "Texture",
    "Trace",
    "open",
]

Path = Union[str, "os.PathLike[str]"]


class Trace(_reprise.Trace):
    """A trace that is open. It is read where it lies; nothing is written."""

    def replay(
        self,
        *,
        gpu: Optional[Union[int, str]] = None,
        runtime: Optional[str] = None,
        program: Optional[Path] = None,
    ) -> Replay:
        """What the GPU has at calls. `gpu` is an index or a part of a name (`reprise gpus`), `runtime` a library
        (`reprise show --help`),
        `program` the file of `reprise`, where it is not in PATH."""
        return Replay(self, gpu=gpu, runtime=runtime, program=program)

    def pixel(self, x: int, y: int, *, frame: int, program: Optional[Path] = None, **asked: Any) -> dict[str, Any]:
        """What happened to a pixel in a frame: `Replay.pixel` of a replay on the first GPU."""
        return self.replay(program=program).pixel(x, y, frame=frame, **asked)

    def debug(self, call: int, *, program: Optional[Path] = None, **asked: Any) -> dict[str, Any]:
        """A shader of a call step by step: `Replay.debug` of a replay on the first GPU."""
        return self.replay(program=program).debug(call, **asked)

    def edit(
        self,
        *edits: str,
        output: Path,
        force: bool = False,
        program: Optional[Path] = None,
    ) -> Trace:
        """A new trace with changes, as `reprise edit` makes it: each edit a line of its language (docs/edit.md). It is
        there whole or not at all; one that is there stays, but with `force`. Raises `EditRefused`."""
        return Trace(
            _edited(self, edits, ["--output", os.fspath(output), *(["--force"] if force else [])], program)["output"]
        )

    def check_edit(self, *edits: str, program: Optional[Path] = None) -> dict[str, Any]:
        """What edits would change, as `reprise edit --check --json` says it: `changed_calls`, `dropped_calls` and more.
        Nothing is written. Raises `EditRefused`."""
        return _edited(self, edits, ["--check"], program)


def _edited(trace: Trace, edits: Sequence[str], words: Sequence[str], program: Optional[Path]) -> dict[str, Any]:
    given = [word for edit in edits for word in ("-e", edit)]
    rings = [] if trace.rings is None else ["--rings", str(trace.rings)]
    ended = run(trace, [found(program, "an edit"), "edit", "--json", *given, *words, *rings, str(trace.path)])
    lines = ended.stdout.splitlines()
    said: dict[str, Any] = json.loads(lines[-1]) if lines else {"error": {"reason": in_words(ended.stderr)}}
    wrong = said.get("error")
    if wrong is None and ended.returncode == 0:
        return said
    wrong = wrong or {"reason": in_words(ended.stderr) or f"it ended with {ended.returncode}"}
    if ended.returncode == DAMAGED:
        raise Damaged(wrong["reason"])
    # Each edit is a text of its own, numbered where there are several.
    source = str(wrong.get("source", ""))
    number = int(source.rpartition(" ")[2]) if source.rpartition(" ")[2].isdigit() else 1
    edit = wrong.get("edit") or (edits[number - 1] if source and number <= len(edits) else None)
    column = f"column {wrong['column']}: " if "column" in wrong else ""
    reason = str(wrong["reason"])
    # The program speaks of its option; here it is an argument.
    if reason.endswith("with --force"):
        reason = reason[: -len("--force")] + "force=True"
    raise EditRefused(trace.path, edit, wrong.get("call"), column + reason)


def open(path: Path, rings: Optional[Path] = None) -> Trace:
    """Opens a trace. `rings` is the folder with the rings of a capture whose writer died, where it is not beside the
    file."""
    return Trace(path, rings)
