"""The results of a run: a folder with Parquet files, pictures and the plan.

A file appears whole or not at all. A reader takes the first row of each job, so no job counts twice even where two files
have it.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any


class StoreError(Exception):
    """The folder of results cannot be used; the text says why and what to do."""


def write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.urandom(16).hex()}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


class Store:
    """Results being written. One process at a time has it; the lock goes with the process."""

    def __init__(self, folder: Path, resume: bool) -> None:
        self.folder = folder
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        self._lock: IO[bytes] = (folder / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(f"{folder}: another run writes results here") from error
        self.rows = read(folder)
        if self.rows and not resume:
            raise StoreError(f"{folder} has results: go on with --resume, or name another folder")
        self._waiting: list[dict[str, Any]] = []

    def plan(self, name: str, jobs: list[dict[str, Any]]) -> None:
        write_whole(self.folder / "plan.json", json.dumps({"suite": name, "jobs": jobs}, indent=1).encode())

    def add(self, row: dict[str, Any], pictures: dict[str, bytes]) -> None:
        """Keeps a result until the next `flush`. `pictures`: PNG files by the frame's hash."""
        if row["job"] in self.rows:
            return
        for key, data in pictures.items():
            path = self.folder / "pictures" / f"{key}.png"
            if not path.exists():
                write_whole(path, data)
        self.rows[row["job"]] = row
        self._waiting.append(row)

    def flush(self) -> None:
        """Writes what was added. The first call loads what it takes to write, even where there is nothing yet."""
        from . import table

        if not self._waiting:
            return
        data = table.write(self._waiting)
        number = len(list(self.folder.glob("batch-*.parquet")))
        path = self.folder / f"batch-{number:06}-{os.urandom(4).hex()}.parquet"
        write_whole(path, data)
        self._waiting.clear()

    def note(self, nodes: dict[str, str]) -> None:
        """What happened to nodes: name and reason."""
        write_whole(self.folder / "nodes.json", json.dumps(nodes, indent=1).encode())

    def close(self) -> None:
        self.flush()
        self._lock.close()


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """The results so far, by job. May be called while a run writes."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("batch-*.parquet")):
        from . import table

        try:
            found = table.read(path)
        except (OSError, ValueError) as error:
            raise StoreError(f"{path}: no readable results: {error}") from error
        for row in found:
            rows.setdefault(row["job"], row)
    return rows


def read_plan(folder: Path) -> dict[str, Any]:
    try:
        plan = json.loads((folder / "plan.json").read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise StoreError(f"{folder}: no results of a farm: {error}") from error
    return dict(plan)
