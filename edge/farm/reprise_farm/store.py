"""The results of a run: a folder with Parquet files, pictures and the plan.

A file appears whole or not at all. A reader takes the first row of each job, so no job counts twice even where two files
have it.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

FRAME = pa.struct([("frame", pa.int64()), ("width", pa.int64()), ("height", pa.int64()), ("hash", pa.string())])
SCHEMA = pa.schema(
    [
        ("job", pa.string()), ("trace", pa.string()), ("name", pa.string()), ("path", pa.string()),
        ("gpu", pa.string()), ("driver", pa.string()), ("option", pa.string()),
        ("outcome", pa.string()), ("reason", pa.string()), ("code", pa.int64()), ("errors", pa.string()),
        ("diagnosis", pa.string()), ("seconds", pa.list_(pa.float64())), ("frames", pa.list_(FRAME)),
        ("different_frames", pa.list_(pa.int64())), ("different_bytes", pa.int64()),
        ("adapter", pa.string()), ("driver_version", pa.string()), ("node", pa.string()),
        ("attempts", pa.int64()), ("alone", pa.bool_()), ("start", pa.float64()), ("end", pa.float64()),
        ("fetched_bytes", pa.int64()),
    ]
)  # fmt: skip


class StoreError(Exception):
    """The folder of results cannot be used; the text says why and what to do."""


def write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
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
        if not self._waiting:
            return
        rows = [{name: row.get(name) for name in SCHEMA.names} for row in self._waiting]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), sink)
        number = len(list(self.folder.glob("batch-*.parquet")))
        path = self.folder / f"batch-{number:06}-{uuid.uuid4().hex[:8]}.parquet"
        write_whole(path, sink.getvalue().to_pybytes())
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
        try:
            table = pq.read_table(path, partitioning=None)
        except (OSError, pa.ArrowInvalid) as error:
            raise StoreError(f"{path}: no readable results: {error}") from error
        for row in table.to_pylist():
            rows.setdefault(row["job"], row)
    return rows


def read_plan(folder: Path) -> dict[str, Any]:
    try:
        plan = json.loads((folder / "plan.json").read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise StoreError(f"{folder}: no results of a farm: {error}") from error
    return dict(plan)
