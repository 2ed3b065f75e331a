"""One job: a trace in one configuration. Its id comes from the trace's contents and the configuration alone."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .suite import Driver, Gpu, Option, Suite, SuiteError

MANY_BYTES = 64 << 20
"""Bytes of traces whose hashes take a processor some 50 ms."""


@dataclass(frozen=True)
class Job:
    id: str
    trace: str
    """SHA-256 of the trace's bytes, in hexadecimal."""
    path: str
    size: int
    """Bytes of the trace."""
    gpu: Gpu
    driver: Driver
    option: Option
    dangerous: str | None = None
    leave_out: str | None = None

    @property
    def configuration(self) -> str:
        return f"{self.gpu.name}/{self.driver.name}/{self.option.name}"

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def resources(self) -> dict[str, float]:
        """The Ray resources beside processors and memory."""
        wanted: dict[str, float] = {}
        if self.gpu.resource:
            wanted[self.gpu.resource] = self.gpu.share
        if self.driver.resource:
            # The driver is no quantity: every job of a node may use it at once.
            wanted[self.driver.resource] = 0.001
        return wanted


def identity(trace: str, gpu: Gpu, driver: Driver, option: Option, suite: Suite) -> str:
    """Equal for equal work, whatever the trace's path. How a job is placed, and who waits how long, is no part of it."""
    what: dict[str, Any] = {
        "trace": trace,
        "gpu": [gpu.name, gpu.select],
        "driver": [driver.name, driver.icd, driver.environment],
        "option": asdict(option),
        "plays": suite.plays,
        "pictures": suite.pictures,
        "verify": suite.verify,
    }
    if suite.profiles is not None:
        # Absent otherwise: jobs of results that are there keep their ids.
        what["profiles"] = suite.profiles
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def hash_file(path: Path) -> tuple[str, int]:
    """SHA-256, and the bytes that there are."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    except OSError as error:
        raise SuiteError(f"cannot read {path}: {error}") from error


def hash_files(paths: list[Path]) -> list[tuple[str, int]]:
    """On all processors where it takes a while: nothing is played before."""
    if sum(path.stat().st_size for path in paths if path.exists()) < MANY_BYTES:
        return [hash_file(path) for path in paths]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return list(threads.map(hash_file, paths))


def plan(suite: Suite) -> list[Job]:
    """All jobs, in the order of the suite. Equal traces under two paths are one."""
    jobs: dict[str, Job] = {}
    hashes = hash_files([Path(trace.path) for trace in suite.traces])
    for trace, (sha, size) in zip(suite.traces, hashes, strict=True):
        for gpu in suite.gpus:
            for driver in suite.drivers:
                if driver.gpus and gpu.name not in driver.gpus:
                    continue
                for option in suite.options:
                    id = identity(sha, gpu, driver, option, suite)
                    job = Job(id, sha, trace.path, size, gpu, driver, option, trace.dangerous, trace.leave_out)
                    jobs.setdefault(id, job)
    return list(jobs.values())


def work(job: Job, suite: Suite) -> dict[str, Any]:
    """What a node is told of a job."""
    environment = dict(job.driver.environment)
    if job.driver.icd:
        environment["VK_DRIVER_FILES"] = job.driver.icd
    arguments = list(job.option.arguments)
    if job.gpu.select:
        arguments += ["--gpu", job.gpu.select]
    return {
        "job": job.id, "trace": job.trace, "path": job.path, "size": job.size, "arguments": arguments,
        "environment": environment, "program": suite.program, "plays": suite.plays, "pictures": suite.pictures,
        "verify": suite.verify, "timeout_s": suite.timeout_s, "cache_mib": suite.cache_mib, "cache_dir": suite.cache_dir,
        "free_mib": suite.free_mib, "profiles": suite.profiles, "name": job.name, "select": job.gpu.select,
    }  # fmt: skip


def describe(job: Job) -> dict[str, Any]:
    """What the plan's file says of a job."""
    return {
        "id": job.id, "name": job.name, "path": job.path, "trace": job.trace,
        "gpu": job.gpu.name, "driver": job.driver.name, "option": job.option.name,
    }  # fmt: skip
