"""What a node does for a job: it plays the trace with `reprise replay`, and tells the result as a plain dictionary.

This module is sent to nodes by value and needs the standard library only (`engine`).
"""

from __future__ import annotations

import errno
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import cache, outcome

KILL_WAIT_S = 10.0
"""Seconds that a killed replay has to go. One that stays hangs in its driver, and the node is left alone."""
ERRORS_KEPT = 8192
"""Bytes of standard error that a result keeps, from the end."""
HEED_S = 0.25
"""Seconds until a job that Ray cancels ends."""
MEASURED_PLAYS = 16
"""Plays that measuring takes at most: ten that count, one that warms up, and those that compare."""
PICTURES_KEPT = 16 << 20
"""Bytes of pictures that a result takes along. Frames beyond are named, without a picture."""


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """The exit code as soon as the process ends; None where it does not in time.

    The kernel wakes us: `Popen.wait` looks every 50 ms, which costs a short replay several percent. We also wake by
    ourselves, because Ray cancels a job by a flag that Python heeds between two calls.
    """
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # The kernel is older than 5.3, or a sandbox forbids it.
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None
    try:
        end = select.poll()
        end.register(handle, select.POLLIN)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not end.poll(min(left, HEED_S) * 1000):
            pass
        return process.poll()
    finally:
        os.close(handle)


def _run(
    command: list[str], environment: dict[str, str], folder: Path, timeout_s: float, born: Callable[[], None] | None
) -> dict[str, Any]:
    out, err = folder / "out", folder / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        start = time.monotonic()
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment, start_new_session=True,
                preexec_fn=born,
            )  # fmt: skip
        except OSError as error:
            return {"code": 127, "output": "", "errors": f"cannot run {command[0]}: {error}", "seconds": 0.0}
        code: int | None = None
        wedged = False
        try:
            code = _wait(process, timeout_s)
        finally:
            if code is None:
                # Whatever ends this process of ours ends its replay as well: its session, which is no other's.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                wedged = _wait(process, KILL_WAIT_S) is None
        seconds = time.monotonic() - start
    text = err.read_bytes()[-ERRORS_KEPT:].decode(errors="replace")
    return {
        "code": code, "output": out.read_text(errors="replace"), "errors": text, "seconds": seconds, "wedged": wedged,
    }  # fmt: skip


def _pictures(folder: Path, frames: list[dict[str, Any]]) -> dict[int, bytes]:
    hashes = {frame["frame"] for frame in frames}
    kept: dict[int, bytes] = {}
    total = 0
    for path in sorted(folder.glob("frame_*.png")):
        number = int(path.stem.removeprefix("frame_"))
        total += path.stat().st_size
        if number in hashes and total <= PICTURES_KEPT:
            kept[number] = path.read_bytes()
    return kept


def play(
    work: dict[str, Any], chunk: Callable[[int, int], bytes] | None, born: Callable[[], None] | None = None
) -> dict[str, Any]:
    """Plays a job. `chunk(offset, bytes)` gives pieces of the trace where this node lacks it; without it the path holds.
    A replay's process calls `born` before it becomes the program; only a process of one thread may ask for that.

    The first play compares, and keeps hashes and pictures. It also fills the caches of shaders, so its time counts only
    where there is no other play.
    """
    start = time.time()
    base: dict[str, Any] = {"job": work["job"], "start": start, "fetched_bytes": 0}
    scratch = Path(work["cache_dir"])
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(scratch).free
        if free < work["free_mib"] << 20:
            return base | {"outcome": outcome.NODE_FULL, "reason": f"{scratch}: {free >> 20} MiB are free"}
        with tempfile.TemporaryDirectory(prefix="job-", dir=scratch) as folder:
            if chunk is None:
                path = Path(work["path"])
                if path.stat().st_size != work["size"]:
                    return base | {"outcome": outcome.FAILED, "reason": f"{path} changed while the run goes on"}
                result = _play(work, path, Path(folder), born)
            else:
                limit = work["cache_mib"] << 20
                with cache.hold(scratch, work["trace"], work["size"], limit, chunk) as (path, fetched):
                    base["fetched_bytes"] = fetched
                    result = _play(work, path, Path(folder), born)
    except cache.CacheError as error:
        result = {"outcome": outcome.FAILED, "reason": str(error)}
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        result = {"outcome": outcome.NODE_FULL if full else outcome.NODE_BROKEN, "reason": str(error)}
    return base | result | {"end": time.time()}


def _measure(work: dict[str, Any], run: Callable[..., dict[str, Any]], folder: Path) -> tuple[str, str, dict[str, Any] | None]:
    """How long the GPU works at the trace beside its stored profile. The suite's folder lies on the node; it knows the
    trace by the name of its file."""
    words = ["suite", "run", work["profiles"], "--only", work["name"], "--time", "--allow-missing", "--json", "-",
             "--results", str(folder / "times"), "--timeout", str(work["timeout_s"])]  # fmt: skip
    if work["select"]:
        words += ["--gpu", work["select"]]
    ended = run(*words, seconds=work["timeout_s"] * MEASURED_PLAYS)
    report = outcome.report_of(ended["output"])
    verdict, reason = outcome.judge_times(ended["code"], report, ended["errors"])
    results = (report or {}).get("results") or [{}]
    return verdict, reason, results[0].get("times")


def _play(work: dict[str, Any], path: Path, folder: Path, born: Callable[[], None] | None) -> dict[str, Any]:
    environment = dict(os.environ) | dict(work["environment"])
    shots = folder / "pictures"
    base = ["replay", "--json", *work["arguments"]]

    def run(*words: str, seconds: float = work["timeout_s"]) -> dict[str, Any]:
        return _run([work["program"], *words], environment, folder, seconds, born)

    first = ["--frame-hashes", str(folder / "hashes")]
    if work["pictures"]:
        first += ["--screenshots", work["pictures"], "--screenshot-dir", str(shots)]
    ended = run(*base, *first, str(path))
    if work["pictures"] and ended["code"] == 1 and "no screenshot was written" in ended["errors"]:
        # A trace without such frames is compared by what its program read back.
        ended = run(*base, *first[:2], str(path))
    report = outcome.report_of(ended["output"])
    verdict, reason = outcome.judge(ended["code"], report, ended["errors"])
    if ended.get("wedged"):
        return {"outcome": outcome.TIMEOUT, "reason": "its process cannot be ended", "wedged": True}
    if verdict != outcome.PASS and outcome.disk_is_full(ended["errors"]):
        return {"outcome": outcome.NODE_FULL, "reason": ended["errors"].strip().splitlines()[-1]}
    frames = [frame for frame in (report or {}).get("frames", []) if isinstance(frame, dict) and frame.get("hash")]
    different: list[int] = []
    if verdict == outcome.PASS and work["verify"]:
        checked = run("verify", "--json", str(path))
        # 2: the trace has nothing to compare with, which is no fault of the replay.
        if checked["code"] != 2:
            found = outcome.report_of(checked["output"]) or {}
            verdict, reason = outcome.judge(checked["code"], found, checked["errors"])
            different = [int(frame["frame"]) for frame in found.get("different", []) if "frame" in frame]
    seconds: list[float] = []
    if verdict == outcome.PASS:
        seconds = [ended["seconds"]]
        for number in range(1, work["plays"]):
            again = run(*base, str(path))
            if number == 1:
                seconds = []
            verdict, reason = outcome.judge(again["code"], outcome.report_of(again["output"]), again["errors"])
            if verdict != outcome.PASS:
                reason = f"play {number + 1} of {work['plays']}: {reason}"
                if again.get("wedged"):
                    return {"outcome": outcome.TIMEOUT, "reason": reason, "wedged": True}
                ended["errors"] = again["errors"]
                break
            seconds.append(again["seconds"])
    times: dict[str, Any] | None = None
    if verdict == outcome.PASS and work["profiles"]:
        verdict, reason, times = _measure(work, run, folder)
    diagnosis = (report or {}).get("diagnosis")
    on = (report or {}).get("replayed_on") or {}
    return {
        "outcome": verdict, "reason": reason, "code": ended["code"], "errors": ended["errors"],
        "seconds": seconds, "frames": [{key: frame.get(key) for key in ("frame", "width", "height", "hash")}
                                       for frame in frames],
        "different_frames": different, "different_bytes": int((report or {}).get("different_bytes") or 0),
        "times": times, "diagnosis": diagnosis, "adapter": on.get("adapter"), "driver_version": on.get("driver"),
        "pictures": _pictures(shots, frames) if work["pictures"] else {},
    }  # fmt: skip
