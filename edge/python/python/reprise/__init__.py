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

import os
from typing import Optional, Union

from . import _reprise
from ._reprise import Call, Calls, Columns, Damaged, Error
from .replay import Mesh, Replay, Texture

__all__ = ["Call", "Calls", "Columns", "Damaged", "Error", "Mesh", "Replay", "Texture", "Trace", "open"]

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


def open(path: Path, rings: Optional[Path] = None) -> Trace:
    """Opens a trace. `rings` is the folder with the rings of a capture whose writer died, where it is not beside the
    file."""
    return Trace(path, rings)
