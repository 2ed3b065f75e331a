"""This machine as the only node of a run. Processes of the run's own play the jobs: nothing is started beforehand.

A *worker* plays one job at a time. The kernel ends it when the run's driver ends, and its replay when the worker ends, so
nothing stays behind a SIGKILL of either.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from . import play
from .job import Job, work
from .node import Node
from .suite import Suite

PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl


def _die_with(parent: int) -> None:
    """Has the kernel end this process when the thread ends that forked it. Drivers and workers fork in their main thread."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # It had ended before.


def _serve(pipe: Connection, driver: int) -> None:
    """What a worker does until the driver closes the pipe."""
    _die_with(driver)

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Once: what follows ends the replay.
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    # A terminal sends SIGINT to the workers, too, but it is for the driver. A replay would inherit SIG_IGN.
    signal.signal(signal.SIGINT, lambda *_: None)
    # The driver's lock on its results, and the pipes of other workers, go with the driver alone.
    os.closerange(3, pipe.fileno())
    os.closerange(pipe.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    born = partial(_die_with, os.getpid())
    while True:
        try:
            told = pipe.recv()
        except EOFError:
            return
        answer: tuple[dict[str, Any] | None, str]
        try:
            answer = play.play(told, None, born), ""
        except Exception as error:
            answer = None, f"{type(error).__name__}: {error}"
        pipe.send(answer)


class Worker:
    """The driver's end of a worker. While it plays a job, it is that job's task."""

    def __init__(self) -> None:
        driver = os.getpid()
        self.pipe, theirs = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                _serve(theirs, driver)
                code = 0
            finally:
                os._exit(code)
        theirs.close()


class Here:
    def __init__(self, suite: Suite, processors: int | None = None) -> None:
        self.suite = suite
        self.node = Node(os.urandom(16).hex(), os.uname().nodename, _offers(suite, processors))
        self.idle: list[Worker] = []
        self.busy: set[Worker] = set()

    def nodes(self) -> list[Node]:
        return [Node(self.node.id, self.node.name, self.node.total)]

    def start(self, job: Job, node: Node, needs: dict[str, float]) -> Worker:
        told = work(job, self.suite)
        worker = None
        while worker is None:
            worker = self.idle.pop() if self.idle else Worker()
            try:
                worker.pipe.send(told)
            except OSError:  # Somebody killed it while it was idle.
                self._end(worker)
                worker = None
        self.busy.add(worker)
        return worker

    def wait(self, tasks: list[Worker], seconds: float) -> list[Worker]:
        ready = wait([task.pipe for task in tasks], seconds)
        return [task for task in tasks if task.pipe in ready]

    def result(self, task: Worker) -> tuple[dict[str, Any] | None, str]:
        """A job's result, or None and why there is none: the worker died, or could not play."""
        self.busy.remove(task)
        try:
            answer: tuple[dict[str, Any] | None, str] = task.pipe.recv()
        except (EOFError, OSError):
            return None, f"the process that played it ended ({self._end(task)})"
        self.idle.append(task)
        return answer

    def drop(self, task: Worker) -> None:
        """Ends a job whose result is not needed any more. Its replay ends with it."""
        with suppress(ProcessLookupError):
            os.kill(task.pid, signal.SIGTERM)

    def close(self) -> None:
        for worker in self.busy:
            self.drop(worker)
        workers = [*self.idle, *self.busy]
        for worker in workers:
            worker.pipe.close()
        for worker in workers:
            self._end(worker)
        self.idle.clear()
        self.busy.clear()

    def _end(self, worker: Worker) -> str:
        """How it ended. It does so at once, or, where it has to kill a replay, in `play.KILL_WAIT_S` seconds."""
        worker.pipe.close()
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _offers(suite: Suite, processors: int | None) -> dict[str, float]:
    offers = {"CPU": float(processors or len(os.sched_getaffinity(0))), "memory": _memory()}
    for driver in suite.drivers:
        if driver.resource and (driver.icd is None or Path(driver.icd).is_file()):
            offers[driver.resource] = 1.0
    wanted = [gpu.resource for gpu in suite.gpus if gpu.resource]
    listed = _gpus(suite.program) if wanted else ""
    for resource in wanted:
        if (resource.partition(":")[2] or resource) in listed:
            offers[resource] = 1.0
    return offers


def _gpus(program: str) -> str:
    try:
        return subprocess.run([program, "gpus"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _memory() -> float:
    """Bytes that programs can still have on this machine, or in this container."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    free = next(float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    with suppress(OSError, ValueError):  # ValueError: there is no limit, which the file calls `max`.
        free = min(free, float(int(Path("/sys/fs/cgroup/memory.max").read_text())))
    return free
