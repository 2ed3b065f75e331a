"""Runs on this machine alone: what jobs share, and that nothing stays, whatever ends the run or a process of it."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reprise_farm import cli, play, store, suite, table
from reprise_farm.here import Here
from reprise_farm.job import plan, work

Make = Callable[..., Path]


class Farm:
    """A local run, whose processes are told from others by a value in their environment."""

    def __init__(self, folder: Path, path: Path, *words: str, **environment: str) -> None:
        self.mark = secrets.token_hex(8)
        self.results, self.log = folder / "results", folder / "log"
        command = [sys.executable, "-m", "reprise_farm", "run", str(path), "--results", str(self.results), "--local", *words]
        self.process = subprocess.Popen(
            command, env=os.environ | {"FARM_MARK": self.mark, "FARM_LOG": str(self.log)} | environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def begun(self) -> list[str]:
        """Names of the traces whose replays began."""
        return [line.split()[-1] for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def plays(self, count: int) -> None:
        self.until(lambda: len(self.begun()) >= count)

    def until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + 100
        while not holds():
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < end
            time.sleep(0.02)

    def ends(self, code: int) -> str:
        try:
            said, _ = self.process.communicate(timeout=100)
        finally:
            if self.process.returncode is None:
                self.kill()
        assert self.process.returncode == code, said
        return said

    def processes(self) -> list[Path]:
        found = []
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdigit() and self.mark.encode() in (process / "environ").read_bytes():
                    found.append(process)
            except OSError:
                continue  # It ended, or belongs to somebody else.
        return found

    def is_gone(self) -> None:
        """The kernel ends what is left; how soon depends on how busy the machine is."""
        end = time.monotonic() + 30
        while self.processes() and time.monotonic() < end:
            time.sleep(0.02)
        assert not self.kill()

    def kill(self) -> list[Path]:
        """No test leaves a process behind, though it fails."""
        left = self.processes()
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)
        return left

    def rows(self) -> list[dict[str, Any]]:
        return [row for batch in self.results.glob("batch-*") for row in table.read(batch)]


def test_without_a_ray_that_loads(tmp_path: Path, suite_file: Make) -> None:
    path = suite_file({"a": "", "b": ""})
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "ray.py").write_text('raise ImportError("this Ray is broken")')
    Farm(tmp_path, path, PYTHONPATH=str(broken)).ends(0)
    command = [sys.executable, "-m", "reprise_farm", "run", str(path), "--results", str(tmp_path / "other")]
    run = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(broken)}, capture_output=True, text=True)
    assert run.returncode == 2 and "this Ray is broken; --local plays without it" in run.stderr, run.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--local", "--address", "127.0.0.1:1"], "--address names one"),
        (["--jobs", "2"], "--jobs is for --local"),
        (["--local", "--jobs", "0"], "at least 1"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    tmp_path: Path, suite_file: Make, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], said: str,
) -> None:  # fmt: skip
    results = tmp_path / "results"
    monkeypatch.setattr(sys, "argv", ["farm", "run", str(suite_file({"a": ""})), "--results", str(results), *words])
    assert cli.main() == 2
    assert said in capsys.readouterr().err
    assert not results.exists()


def test_jobs_share_what_there_is_and_no_more(tmp_path: Path, suite_file: Make) -> None:
    shares = {"half": 0.5, "whole": 1.0, "none": 0.0}
    gpus = "".join(
        f'[[gpu]]\nname = "{name}"\n' + (f'resource = "gpu:test"\nshare = {share}\n' if share else "")
        for name, share in shares.items()
    )
    path = suite_file({f"t{n}": "" for n in range(6)}, tail=gpus)
    farm = Farm(tmp_path, path, "--jobs", "3", FARM_WORK_S="0.1")
    farm.ends(0)
    rows = farm.rows()
    assert len(rows) == 18 and len({row["job"] for row in rows}) == 18
    at_once = [[other for other in rows if other["start"] <= row["start"] < other["end"]] for row in rows]
    assert max(map(len, at_once)) == 3
    assert max(sum(shares[row["gpu"]] for row in some) for some in at_once) == 1.0
    assert len({row["node"] for row in rows}) == 1


def test_a_gpu_that_is_not_listed_is_nowhere(tmp_path: Path, suite_file: Make) -> None:
    farm = Farm(tmp_path, suite_file({"t": ""}, tail='[[gpu]]\nname = "g"\nresource = "gpu:other"\n'))
    farm.ends(1)
    assert farm.rows()[0]["outcome"] == "nowhere" and "gpu:other" in farm.rows()[0]["reason"]


def test_it_goes_on_after_its_driver_died(tmp_path: Path, suite_file: Make) -> None:
    traces = {f"t{n:02}": "" for n in range(20)} | {"x": "stop", "y": "crash"}
    path = suite_file(traces)
    first = Farm(tmp_path, path, "--jobs", "2", FARM_WORK_S="0.4")
    first.until(lambda: len(store.read(first.results)) >= 4)
    os.kill(first.process.pid, signal.SIGKILL)
    first.ends(-signal.SIGKILL)
    first.is_gone()
    before = store.read(first.results)
    assert 4 <= len(before) < len(traces)
    begun = len(first.begun())

    assert "--resume" in Farm(tmp_path, path).ends(2)
    again = Farm(tmp_path, path, "--jobs", "2", "--resume", FARM_WORK_S="0.1")
    again.ends(1)
    assert sorted(row["name"] for row in again.rows()) == sorted(traces)
    played = again.begun()[begun:]
    assert not {row["name"] for row in before.values()} & set(played), "what has a result is not played again"
    by_name = {row["name"]: row for row in again.rows()}
    assert by_name["y"]["outcome"] == "crashed"
    assert by_name["x"]["outcome"] == "stopped" and by_name["x"]["alone"]
    # The crash may have been beside the stop: then it, too, is played alone.
    assert "call 7" in by_name["x"]["reason"] and "x" in played[-2:]


@pytest.mark.parametrize("count", [0, 2])
def test_nothing_stays_of_a_run_that_is_killed(tmp_path: Path, suite_file: Make, count: int) -> None:
    """At any time of its start, and with replays that hang."""
    for pause in (0.05, 0.1, 0.2, 0.3) if count == 0 else (0.0,):
        farm = Farm(tmp_path, suite_file({"a": "hang", "b": "hang", "c": ""}), "--jobs", "2", "--resume")
        farm.plays(count)
        time.sleep(pause)
        os.kill(farm.process.pid, signal.SIGKILL)
        farm.ends(-signal.SIGKILL)
        farm.is_gone()
        store.Store(farm.results, resume=True).close()  # Its lock went with it.


def test_an_interrupt_ends_replays_and_keeps_results(tmp_path: Path, suite_file: Make) -> None:
    path = suite_file({"a": "", "b": "hang", "c": "hang"})
    farm = Farm(tmp_path, path, "--jobs", "2")
    farm.plays(3)
    os.killpg(farm.process.pid, signal.SIGINT)  # As a terminal does: all processes of its group get it.
    assert "--resume goes on" in farm.ends(130)
    assert not farm.processes(), "it waits for what it ends"
    assert [row["name"] for row in farm.rows()] == ["a"]
    assert not list((tmp_path / "cache").glob("job-*"))


def test_a_job_whose_worker_dies_is_played_again(tmp_path: Path, suite_file: Make) -> None:
    path = suite_file({"a": "", "b": "", "c": ""})
    farm = Farm(tmp_path, path, "--jobs", "1", FARM_WORK_S="1")
    farm.plays(1)
    (worker,) = children(farm.process.pid)
    os.kill(worker, signal.SIGINT)  # It is for the driver alone.
    farm.plays(2)
    (replay,) = children(worker)
    os.kill(worker, signal.SIGKILL)
    assert "SIGKILL" in farm.ends(0)
    assert not Path("/proc", str(replay)).exists()
    assert sorted((row["name"], row["attempts"]) for row in farm.rows()) == [("a", 1), ("b", 2), ("c", 1)]


def children(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_it_listens_nowhere(tmp_path: Path, suite_file: Make) -> None:
    farm = Farm(tmp_path, suite_file({"a": "hang"}))
    farm.plays(1)
    processes = farm.processes()
    assert len(processes) == 3, "the driver, a worker and a replay"
    sockets = {os.readlink(entry) for process in processes for entry in (process / "fd").iterdir()}
    lines = [line.split() for name in ("tcp", "tcp6", "udp", "udp6") for line in Path("/proc/net", name).read_text().splitlines()]
    assert not [words for words in lines if f"socket:[{words[9]}]" in sockets]
    os.killpg(farm.process.pid, signal.SIGINT)
    farm.ends(130)


@pytest.mark.parametrize("old", [False, True])
def test_the_end_of_a_replay_is_seen(tmp_path: Path, suite_file: Make, monkeypatch: pytest.MonkeyPatch, old: bool) -> None:
    """Also on a kernel that cannot tell it (`old`)."""

    def refused(pid: int) -> int:
        raise OSError(38, "Function not implemented")

    if old:
        monkeypatch.setattr(os, "pidfd_open", refused)
    chosen = suite.load(suite_file({"a": "", "b": "hang", "c": "crash"}, head="timeout_s = 2"))
    found = [play.play(work(job, chosen), None) for job in plan(chosen)]
    assert [result["outcome"] for result in found] == ["pass", "timeout", "crashed"]


def test_a_worker_that_cannot_play_says_so(suite_file: Make) -> None:
    chosen = suite.load(suite_file({"a": ""}))
    (job,) = plan(chosen)
    here = Here(chosen, 1)
    task = here.start(replace(job, path="a\0b"), here.nodes()[0], {})
    assert here.wait([task], 30) == [task]
    assert here.result(task) == (None, "ValueError: embedded null byte")
    again = here.start(job, here.nodes()[0], {})
    assert again is task, "the worker plays on"
    assert (here.result(again)[0] or {})["outcome"] == "pass"
    os.kill(task.pid, signal.SIGKILL)
    os.waitid(os.P_PID, task.pid, os.WEXITED | os.WNOWAIT)
    after = here.start(job, here.nodes()[0], {})
    assert (here.result(after)[0] or {})["outcome"] == "pass", "one that died while idle is replaced"
    here.close()
