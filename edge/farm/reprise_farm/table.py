"""The rows of results as Parquet. Loading its library takes longer than many a replay: `store` does so beside the first jobs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

NUMPY = sys.modules.get("numpy")
# pyarrow loads numpy where it finds it. Rows need none of it, and it takes longer than all the rest.
if NUMPY is None:
    sys.modules["numpy"] = None  # type: ignore[assignment]
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

if NUMPY is None:
    del sys.modules["numpy"]

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
        ("fetched_bytes", pa.int64()), ("times", pa.string()),
    ]
)  # fmt: skip


def write(rows: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    named = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
    pq.write_table(pa.Table.from_pylist(named, schema=SCHEMA), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def read(path: Path) -> list[dict[str, Any]]:
    """ValueError or OSError where the file is not one of ours."""
    rows: list[dict[str, Any]] = pq.read_table(path, partitioning=None).to_pylist()
    return rows
