"""`reprise farm report`: results as one page, as a table for people, or as JSON."""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import comparison, page, store, table
from .comparison import Line

ORDER = ("stopped", "timeout", "crashed", "differs", "failed", "slower", "nowhere", "left out", "not yet played", "pass")


def lines(folder: Path, against: Path | None, reference: str | None) -> list[Line]:
    rows = store.read(folder)
    plan = store.read_plan(folder)
    if reference is not None:
        names = sorted({comparison.key(row)[1] for row in rows.values()})
        if reference not in names:
            raise store.StoreError(f"there is no configuration `{reference}`; there are: {', '.join(names)}")
    old: dict[Any, dict[str, Any]] = {}
    if against is not None:
        store.read_plan(against)
        old = {comparison.key(row): row for row in store.read(against).values()}
    elif reference is not None:
        old = {row["trace"]: row for row in rows.values() if comparison.key(row)[1] == reference}
    result = []
    for job in plan["jobs"]:
        row = rows.get(job["id"])
        if row is None:
            row = dict.fromkeys(table.SCHEMA.names) | job | {"job": job["id"], "outcome": "not yet played", "reason": ""}
        if against is not None:
            before = old.get(comparison.key(row))
        else:
            before = old.get(row["trace"]) if comparison.key(row)[1] != reference else None
        result.append(comparison.compare(row, before, folder, against or folder))
    result.sort(key=lambda line: (ORDER.index(line.status) if line.status in ORDER else 0, line.row["name"]))
    return result


def what(line: Line) -> str:
    """One line for people: what is wrong, and where."""
    parts = []
    if line.different:
        first = line.frames[0] if line.frames else None
        text = f"{line.different} frame{'s' if line.different > 1 else ''} differ{'' if line.different > 1 else 's'}"
        if first:
            text += f", first {first.number}"
            if first.pixels is not None:
                text += f": {first.pixels} of {first.of} pixels, by up to {first.max_step} of 255"
        elif line.row.get("different_frames"):
            text += f", first {min(line.row['different_frames'])}"
        parts.append(text)
    if line.row.get("reason"):
        parts.append(str(line.row["reason"]))
    if line.old is not None and line.old["outcome"] != line.row["outcome"]:
        parts.append(f"was: {line.old['outcome']}")
    return "; ".join(parts)


def times_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """What was measured beside a profile; rows of earlier runs have nothing of it."""
    text = row.get("times")
    return dict(json.loads(text)) if text else None


def slower_draws(row: dict[str, Any]) -> list[str]:
    """The draws and other operations that take longer on this machine than in its profile, one a line."""
    found = (times_of(row) or {}).get("slower_operations") or []
    return [f"{one['what']}: {one['ms']:.3f} ms, {one['profile_ms']:.3f} in the profile" for one in found]


def seconds(line: Line) -> str:
    times = line.row.get("seconds") or []
    return f"{statistics.median(times):.3f} s" if times else ""


def speed(line: Line) -> str:
    time = line.time
    return f"{time.word}: {time.value:.2f} ({time.low:.2f}-{time.high:.2f})" if time else ""


def as_json(title: str, all_lines: list[Line], nodes: dict[str, str]) -> str:
    jobs = []
    for line in all_lines:
        row = {name: value for name, value in line.row.items() if name not in ("frames", "errors")}
        row["times"] = times_of(line.row)
        frames = [{k: v for k, v in asdict(frame).items() if k not in ("old", "new", "difference")}
                  for frame in line.frames]  # fmt: skip
        time = asdict(line.time) | {"word": line.time.word} if line.time else None
        was = line.old["outcome"] if line.old else None
        jobs.append(row | {"status": line.status, "was": was, "different": line.different, "compared": frames, "time": time})
    return json.dumps({"suite": title, "counts": Counter(line.status for line in all_lines), "nodes": nodes, "jobs": jobs})


def cell(text: str) -> str:
    """Text that stays in its cell of a Markdown table, whatever it holds."""
    text = "".join(c if c.isprintable() else " " for c in text).replace("\\", "\\\\").replace("|", "\\|")
    return text.replace("`", "\\`").replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*").replace("_", "\\_")


def as_markdown(title: str, all_lines: list[Line], nodes: dict[str, str]) -> str:
    out = [f"# {cell(title)}", ""]
    counts = Counter(line.status for line in all_lines)
    out += [", ".join(f"{counts[status]} {status}" for status in ORDER if counts[status]), ""]
    out += [f"- node {cell(name)}: {cell(why)}" for name, why in nodes.items()] + ([""] if nodes else [])
    out += ["| status | trace | configuration | what | time | against |", "|---|---|---|---|---|---|"]
    for line in all_lines:
        row = line.row
        words = [line.status, row["name"], comparison.key(row)[1], what(line), seconds(line), speed(line)]
        out.append("| " + " | ".join(cell(word) for word in words) + " |")
    for line in all_lines:
        draws = slower_draws(line.row)
        if draws:
            on = f"{line.row['name']} on {line.row.get('node') or 'a node'}, {comparison.key(line.row)[1]}"
            out += ["", f"Slower draws of {cell(on)}:", ""] + [f"- {cell(draw)}" for draw in draws]
    return "\n".join(out) + "\n"


def run(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.results
    title = str(store.read_plan(folder)["suite"])
    nodes: dict[str, str] = {}
    if (folder / "nodes.json").exists():
        nodes = json.loads((folder / "nodes.json").read_text())
    all_lines = lines(folder, arguments.against, arguments.reference)
    output: Path | None = arguments.output
    if arguments.json:
        text = as_json(title, all_lines, nodes) + "\n"
    elif arguments.markdown:
        text = as_markdown(title, all_lines, nodes)
    else:
        earlier = str(arguments.against or arguments.reference or "")
        table = [
            page.Entry(line, comparison.key(line.row)[1], what(line), seconds(line), speed(line), tuple(slower_draws(line.row)))
            for line in all_lines
        ]
        text = page.write(title, earlier, table, nodes, ORDER)
        output = output or folder / "report.html"
    if output is None:
        print(text, end="")
    else:
        store.write_whole(output, text.encode())
        print(output)
    return 0
