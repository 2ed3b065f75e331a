"""The page: one file without scripts or requests. Whatever a name holds, it is shown as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .comparison import Frame, Line

STYLE = """
:root{color-scheme:light dark;--back:#f7f8fa;--card:#fff;--text:#1c2430;--soft:#5d6b7e;--line:#e1e6ee;
--good:#16794a;--bad:#b3261e;--warn:#9a5b00;--chip:#eef1f6}
@media(prefers-color-scheme:dark){:root{--back:#12161c;--card:#1a2029;--text:#e4e9f0;--soft:#93a1b5;--line:#2b3441;
--good:#5fd08f;--bad:#ff8a80;--warn:#f0b45c;--chip:#252d39}}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1400px;margin:0 auto;padding:28px 20px 60px}
h1{margin:0 0 4px;font-size:26px}.sub{color:var(--soft);margin:0 0 18px}
.counts{display:flex;flex-wrap:wrap;gap:10px;margin-bottom:20px}
.count{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:8px 16px}
.count b{display:block;font-size:22px}
.table{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:8px 12px;border-bottom:1px solid var(--line)}
tr:last-child>td{border-bottom:0}th{color:var(--soft);font-weight:600;font-size:13px}
td{overflow-wrap:anywhere}.number{white-space:nowrap;font-variant-numeric:tabular-nums}
.status{white-space:nowrap;font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.soft{color:var(--soft)}
pre{background:var(--chip);padding:10px;border-radius:8px;overflow:auto;max-height:320px;white-space:pre-wrap;font-size:12px}
summary{cursor:pointer;color:var(--soft)}
.pictures{display:flex;gap:12px;margin:8px 0}
figure{margin:0}figcaption{color:var(--soft);font-size:12px}
img{max-width:min(240px,12vw);border:1px solid var(--line);border-radius:6px;background:#888;image-rendering:pixelated}
.notes{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--warn);border-radius:8px;
padding:8px 16px;margin-bottom:20px}
"""


@dataclass(frozen=True)
class Entry:
    line: Line
    configuration: str
    what: str
    seconds: str
    speed: str
    slower_draws: tuple[str, ...] = ()


def _kind(status: str) -> str:
    return "good" if status == "pass" else "warn" if status in ("left out", "nowhere", "not yet played") else "bad"


def _frame(frame: Frame) -> str:
    said = f"{frame.pixels} of {frame.of} pixels differ" if frame.pixels is not None else frame.note
    figures = "".join(
        f'<figure><img alt="" src="{escape(url)}"><figcaption>{word}</figcaption></figure>'
        for word, url in (("earlier", frame.old), ("now", frame.new), ("difference", frame.difference))
        if url
    )
    return f'<p class="soft">frame {frame.number}: {escape(said)}</p><div class="pictures">{figures}</div>'


def _details(entry: Entry) -> str:
    row, parts = entry.line.row, []
    if entry.slower_draws:
        draws = "\n".join(entry.slower_draws)
        parts.append(f"<details open><summary>slower draws on this machine</summary><pre>{escape(draws)}</pre></details>")
    parts += [_frame(frame) for frame in entry.line.frames]
    for title, text in (("diagnosis", row.get("diagnosis")), ("what the replay said", row.get("errors"))):
        if text and (title == "diagnosis" or row["outcome"] != "pass"):
            if title == "diagnosis":
                text = json.dumps(json.loads(text), indent=1)
            parts.append(f"<details><summary>{title}</summary><pre>{escape(str(text))}</pre></details>")
    return "".join(parts)


def _row(entry: Entry) -> str:
    row, status = entry.line.row, entry.line.status
    speed = {"slower": "bad", "faster": "good"}.get(entry.line.time.word if entry.line.time else "", "soft")
    on = escape(str(row.get("node") or ""))
    machine = escape(str(row.get("driver_version") or row.get("adapter") or ""))
    return (
        f'<tr><td class="status {_kind(status)}">{escape(status)}</td>'
        f'<td title="{escape(str(row.get("path")))}">{escape(str(row["name"]))}</td>'
        f'<td>{escape(entry.configuration)}<br><span class="soft">{machine}</span></td>'
        f"<td>{escape(entry.what)}{_details(entry)}</td>"
        f'<td class="number">{escape(entry.seconds)}</td><td class="number {speed}">{escape(entry.speed)}</td>'
        f'<td class="soft">{on}</td></tr>'
    )


def write(title: str, earlier: str, entries: Sequence[Entry], nodes: dict[str, str], order: Sequence[str]) -> str:
    counts = Counter(entry.line.status for entry in entries)
    boxes = "".join(
        f'<div class="count"><b class="{_kind(status)}">{counts[status]}</b>{escape(status)}</div>'
        for status in order
        if counts[status]
    )
    notes = "".join(f"<li>{escape(name)}: {escape(why)}</li>" for name, why in nodes.items())
    beside = f", beside {escape(earlier)}" if earlier else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="sub">{len(entries)} jobs{beside}. Times: medians; '
        "against: new through old, with the interval of 95 %.</p>"
        f'<div class="counts">{boxes}</div>'
        + (f'<div class="notes"><b>Nodes</b><ul>{notes}</ul></div>' if notes else "")
        + '<div class="table"><table><thead><tr><th>status</th><th>trace</th><th>GPU / driver / option</th><th>what</th>'
        "<th>time</th><th>against</th><th>node</th></tr></thead><tbody>"
        + "".join(_row(entry) for entry in entries)
        + "</tbody></table></div></main></body></html>\n"
    )
