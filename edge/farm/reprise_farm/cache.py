"""The traces on a node, by the hash of their contents.

A file under its final name is whole and has that hash: it is written under another name, checked, and renamed. A lock
for each trace lets one process of the node fetch it; who plays it holds the file's shared lock, so it is not removed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CHUNK = 4 << 20
"""Bytes that are asked for at a time."""


class CacheError(Exception):
    """The trace that arrived is not the one that was asked for."""


def _size(folder: Path) -> int:
    total = 0
    for path in folder.glob("*.reprise"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


def make_room(folder: Path, wanted: int, limit: int) -> None:
    """Removes traces that nobody plays, the longest unused first, until `wanted` bytes fit into `limit`."""

    def used(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0

    total = _size(folder)
    for path in sorted(folder.glob("*.reprise"), key=used):
        if total + wanted <= limit:
            return
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            size = path.stat().st_size
            path.unlink()
            total -= size


@contextmanager
def hold(folder: Path, sha: str, size: int, limit: int, chunk: Callable[[int, int], bytes]) -> Iterator[tuple[Path, int]]:
    """The trace's path while it is held, and the bytes that were fetched for it: 0 where it was there.

    OSError where the disk is full. A trace larger than `limit` is fetched all the same, and goes first later.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{sha}.reprise"
    with (folder / f"{sha}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fetched = 0
        if not path.exists():
            make_room(folder, size, limit)
            part = folder / f"{sha}.part"
            digest = hashlib.sha256()
            try:
                with part.open("wb") as file:
                    while fetched < size:
                        data = chunk(fetched, min(CHUNK, size - fetched))
                        if not data:
                            break
                        digest.update(data)
                        file.write(data)
                        fetched += len(data)
                    file.flush()
                    os.fsync(file.fileno())
                if digest.hexdigest() != sha:
                    raise CacheError("the trace changed while the run goes on: it has another hash than at the start")
                part.rename(path)
            finally:
                part.unlink(missing_ok=True)
        held = path.open("rb")
        fcntl.flock(held, fcntl.LOCK_SH)
    try:
        os.utime(path)
        yield path, fetched
    finally:
        held.close()
