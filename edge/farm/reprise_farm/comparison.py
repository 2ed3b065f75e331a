"""Results beside earlier ones: what changed for each job, in pictures, outcome and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import outcome, picture
from .statistics import Ratio, ratio

FRAMES_SHOWN = 4
"""Frames of a job whose pictures the page shows; all that differ are counted."""


@dataclass
class Frame:
    number: int
    pixels: int | None = None
    """Pixels that differ; None where a picture is missing or the sizes differ."""
    of: int | None = None
    max_step: int | None = None
    note: str = ""
    old: str = ""
    new: str = ""
    difference: str = ""
    """Thumbnails as data: URLs."""


@dataclass
class Line:
    row: dict[str, Any]
    old: dict[str, Any] | None = None
    status: str = ""
    frames: list[Frame] = field(default_factory=list)
    different: int = 0
    """Frames that differ."""
    time: Ratio | None = None


def key(row: dict[str, Any]) -> tuple[str, str]:
    """What belongs together in two runs: the trace's contents and the configuration's name."""
    return row["trace"], f"{row['gpu']}/{row['driver']}/{row['option']}"


def compare(row: dict[str, Any], old: dict[str, Any] | None, new_dir: Path, old_dir: Path) -> Line:
    line = Line(row, old, row["outcome"])
    known = set(row.get("different_frames") or [])
    if old is not None:
        before = {frame["frame"]: frame["hash"] for frame in old.get("frames") or []}
        after = {frame["frame"]: frame["hash"] for frame in row.get("frames") or []}
        both_played = outcome.PASS in (row["outcome"], old["outcome"]) or outcome.DIFFERS in (row["outcome"],)
        if both_played and before and after:
            for number in sorted(before.keys() | after.keys()):
                if before.get(number) != after.get(number):
                    known.add(number)
                    line.different += 1
                    if len(line.frames) < FRAMES_SHOWN:
                        line.frames.append(_frame(number, before.get(number), after.get(number), old_dir, new_dir))
            if line.different and line.status == outcome.PASS:
                line.status = outcome.DIFFERS
        if row["outcome"] == old["outcome"] == outcome.PASS:
            line.time = ratio(row.get("seconds") or [], old.get("seconds") or [])
    line.different = len(known)
    return line


def _frame(number: int, old: str | None, new: str | None, old_dir: Path, new_dir: Path) -> Frame:
    if old is None or new is None:
        return Frame(number, note="only in the earlier results" if new is None else "only in these results")
    a, b = (picture.load(folder / "pictures" / f"{name}.png") for folder, name in ((old_dir, old), (new_dir, new)))
    frame = Frame(number)
    if a is not None:
        frame.old = picture.data_url(a)
    if b is not None:
        frame.new = picture.data_url(b)
    if a is None or b is None:
        frame.note = "no pictures: name its frame in `pictures` of the suite"
        return frame
    found = picture.compare(a, b)
    if found is None:
        frame.note = f"the sizes differ: {a.width}x{a.height} and {b.width}x{b.height}"
        return frame
    difference, image = found
    frame.pixels, frame.of, frame.max_step = difference.pixels, difference.of, difference.max_step
    frame.difference = picture.data_url(image)
    return frame
