"""The suite file: traces x GPUs x drivers x options."""

from __future__ import annotations

import glob
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class SuiteError(Exception):
    """What is wrong in a suite, where, and what to do."""


@dataclass(frozen=True)
class Gpu:
    """A kind of GPU. `resource` is the Ray resource that its nodes offer; `select` is the value of `--gpu`."""

    name: str
    resource: str | None = None
    select: str | None = None
    share: float = 1.0
    """Part of the GPU that one job takes: 1 has it exclusively, 0.25 lets four jobs share it."""
    memory_mib: int = 0


@dataclass(frozen=True)
class Driver:
    name: str
    icd: str | None = None
    """Path of the Vulkan driver's JSON file on the nodes (VK_DRIVER_FILES)."""
    resource: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    gpus: tuple[str, ...] = ()
    """Names of the GPUs that it drives; none: all."""


@dataclass(frozen=True)
class Option:
    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trace:
    path: str
    dangerous: str | None = None
    """The reason why it is played alone and last."""
    leave_out: str | None = None
    """The reason why it is not played at all."""


@dataclass(frozen=True)
class Suite:
    name: str
    traces: tuple[Trace, ...]
    gpus: tuple[Gpu, ...] = (Gpu("any"),)
    drivers: tuple[Driver, ...] = (Driver("any"),)
    options: tuple[Option, ...] = (Option("plain"),)
    program: str = "reprise"
    plays: int = 1
    """How often each job plays its trace. From the second play on, times count; see `play`."""
    pictures: str | None = None
    """Frames whose pictures are kept, as `replay --screenshots` takes them."""
    verify: bool = False
    profiles: str | None = None
    """A folder of `reprise suite` on the nodes: traces are measured, and compared with the profiles that are stored there."""
    timeout_s: float = 600.0
    cpus: float = 1.0
    cache_mib: int = 16384
    cache_dir: str = "/tmp/reprise-farm-cache"
    free_mib: int = 64
    """A node with less space than this beside its cache counts as full."""
    machine_retries: int = 3
    """How often a job is played again because its machine died."""
    folder: Path = field(default=Path("."), compare=False)


def _take(table: dict[str, Any], where: str, known: dict[str, type | tuple[type, ...]]) -> dict[str, Any]:
    for key, value in table.items():
        if key not in known:
            raise SuiteError(f"{where}: there is no `{key}`; there are: {', '.join(sorted(known))}")
        if not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            raise SuiteError(f"{where}: `{key}` has the wrong type, {type(value).__name__}")
    return dict(table)


def _tables(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    tables = document.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SuiteError(f"{name}: write [[{name}]] for each")
    return tables


def _words(values: list[Any], where: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise SuiteError(f"{where}: a list of strings is wanted")
    return tuple(values)


NUMBER = (int, float)


def parse(text: str, folder: Path) -> Suite:
    """Reads a suite. Paths and patterns of traces are relative to `folder`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"no TOML: {error}") from error
    sections = {"suite", "trace", "gpu", "driver", "option"}
    for key in document:
        if key not in sections:
            raise SuiteError(f"there is no section `{key}`; there are: {', '.join(sorted(sections))}")
    head = document.get("suite", {})
    if not isinstance(head, dict):
        raise SuiteError("suite: write [suite]")
    head = _take(
        head,
        "suite",
        {
            "name": str, "program": str, "plays": int, "pictures": str, "verify": bool, "profiles": str, "timeout_s": NUMBER,
            "cpus": NUMBER, "cache_mib": int, "cache_dir": str, "free_mib": int, "machine_retries": int,
        },
    )  # fmt: skip
    for key in ("plays", "timeout_s", "cpus", "cache_mib"):
        if key in head and head[key] <= 0:
            raise SuiteError(f"suite: `{key}` has to be more than 0")
    head.setdefault("name", folder.name or "suite")

    traces: dict[str, Trace] = {}
    for number, table in enumerate(_tables(document, "trace"), 1):
        where = f"trace {number}"
        table = _take(table, where, {"path": str, "dangerous": str, "leave_out": str})
        if "path" not in table:
            raise SuiteError(f"{where}: `path` is missing")
        pattern = str(folder / table["path"])
        found = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else [pattern]
        if not found:
            raise SuiteError(f"{where}: no file matches {table['path']}")
        for path in found:
            if not Path(path).is_file():
                raise SuiteError(f"{where}: {path} is no file")
            # A later table names a trace that a pattern had: its word counts.
            traces[path] = Trace(path, table.get("dangerous"), table.get("leave_out"))

    gpus = []
    for number, table in enumerate(_tables(document, "gpu"), 1):
        where = f"gpu {number}"
        known: dict[str, type | tuple[type, ...]] = {
            "name": str, "resource": str, "select": str, "share": NUMBER, "memory_mib": int,
        }  # fmt: skip
        gpu = Gpu(**_named(_take(table, where, known), where))
        if not 0 < gpu.share <= 1:
            raise SuiteError(f"{where}: `share` is a part of the GPU, more than 0 and at most 1")
        gpus.append(gpu)
    drivers = []
    for number, table in enumerate(_tables(document, "driver"), 1):
        where = f"driver {number}"
        table = _named(_take(table, where, {"name": str, "icd": str, "resource": str, "environment": dict, "gpus": list}), where)
        environment = table.get("environment", {})
        _words(list(environment.values()), f"{where}: environment")
        table["environment"] = tuple(sorted(environment.items()))
        table["gpus"] = _words(table.get("gpus", []), f"{where}: gpus")
        for name in table["gpus"]:
            if name not in [gpu.name for gpu in gpus]:
                raise SuiteError(f"{where}: there is no gpu `{name}`")
        drivers.append(Driver(**table))
    options = []
    for number, table in enumerate(_tables(document, "option"), 1):
        where = f"option {number}"
        table = _named(_take(table, where, {"name": str, "arguments": list}), where)
        options.append(Option(table["name"], _words(table.get("arguments", []), f"{where}: arguments")))
    for kind, items in (("gpu", gpus), ("driver", drivers), ("option", options)):
        names = [item.name for item in items]
        if len(set(names)) != len(names):
            raise SuiteError(f"two of [[{kind}]] have one name")
    if "profiles" in head:
        if not Path(head["profiles"]).is_absolute():
            raise SuiteError("suite: `profiles` is a folder on each node: write its whole path, from /")
        for gpu in gpus:
            if gpu.share < 1:
                raise SuiteError(
                    f"gpu `{gpu.name}`: jobs that share a GPU disturb each other's times: leave `share` out, or `profiles`"
                )
    if not traces:
        raise SuiteError("no trace: write [[trace]] with a `path`")
    return Suite(
        traces=tuple(traces.values()),
        gpus=tuple(gpus) or (Gpu("any"),),
        drivers=tuple(drivers) or (Driver("any"),),
        options=tuple(options) or (Option("plain"),),
        folder=folder,
        **head,
    )


def _named(table: dict[str, Any], where: str) -> dict[str, Any]:
    if not table.get("name"):
        raise SuiteError(f"{where}: `name` is missing")
    return table


def load(path: Path) -> Suite:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"cannot read {path}: {error}") from error
    try:
        return parse(text, path.resolve().parent)
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from error
