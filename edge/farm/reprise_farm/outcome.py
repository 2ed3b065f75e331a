"""What a replay's end means: exit code, report, and what it says on standard error."""

from __future__ import annotations

import json
import signal
from typing import Any

PASS, DIFFERS, FAILED, CRASHED = "pass", "differs", "failed", "crashed"
STOPPED, TIMEOUT, LEFT_OUT, NOWHERE = "stopped", "timeout", "left out", "nowhere"
SLOWER = "slower"
"""The GPU works longer at it than its profile says."""
ENDANGERS = (STOPPED, TIMEOUT)
"""Outcomes after which a GPU may not be well: the trace runs again alone, and last."""

NODE_FULL, NODE_BROKEN = "node full", "node broken"
"""Outcomes that say nothing of the trace: the job goes to another node."""


def judge(code: int | None, report: dict[str, Any] | None, errors: str) -> tuple[str, str]:
    """The outcome and a reason for people. `code` is that of the process: negative for a signal, None for a timeout."""
    last = errors.strip().splitlines()[-1] if errors.strip() else ""
    if code is None:
        return TIMEOUT, "did not end in time"
    if code < 0 or code > 128:
        number = -code if code < 0 else code - 128
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return CRASHED, f"{name}: {last}" if last else name
    if code == 6:
        diagnosis = (report or {}).get("diagnosis") or {}
        return STOPPED, str(diagnosis.get("reason") or last or "the GPU stopped or was lost")
    if code == 0:
        return PASS, ""
    if code == 1 and report and (report.get("different_bytes") or report.get("different_frames")):
        count = report.get("different_bytes") or 0
        return DIFFERS, f"{count} bytes that the program read back differ" if count else "frames differ"
    meaning = {1: "the replay failed", 2: "wrong usage", 3: "the trace cannot be read",
               4: "Vulkan's validation found errors", 5: "a check found something wrong",
               126: "the program cannot be run", 127: "there is no such program"}  # fmt: skip
    said = meaning.get(code, f"exit code {code}")
    return FAILED, f"{said}: {last}" if last else said


def judge_times(code: int | None, report: dict[str, Any] | None, errors: str) -> tuple[str, str]:
    """The same of a trace that was measured beside its profile. Where there is no profile, that is a reason and no fault."""
    results = (report or {}).get("results") or []
    if len(results) != 1 or not isinstance(results[0], dict):
        verdict, reason = judge(code, None, errors)
        return (FAILED if verdict == PASS else verdict), f"its times: {reason or 'nothing was measured'}"
    status, why = str(results[0].get("status")), str(results[0].get("why") or "")
    if status == "slower":
        return SLOWER, why
    if status in ("pass", "no profile", "no golden"):
        measured = bool(results[0].get("times"))
        return PASS, "" if measured else f"not measured: {why or status}"
    return FAILED, f"its times: {why or status}"


def report_of(output: str) -> dict[str, Any] | None:
    """The last JSON object of a replay's output; None where there is none."""
    for line in reversed(output.strip().splitlines()):
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None


def disk_is_full(errors: str) -> bool:
    return any(text in errors for text in ("No space left on device", "os error 28", "Disk quota exceeded", "os error 27"))
