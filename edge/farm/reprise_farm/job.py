"""One job: a trace in one configuration. Its id comes from the trace's contents and the configuration alone."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .suite import Driver, Gpu, Option, Suite, SuiteError


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
    what = {
        "trace": trace,
        "gpu": [gpu.name, gpu.select],
        "driver": [driver.name, driver.icd, driver.environment],
        "option": asdict(option),
        "plays": suite.plays,
        "pictures": suite.pictures,
        "verify": suite.verify,
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def plan(suite: Suite) -> list[Job]:
    """All jobs, in the order of the suite. Equal traces under two paths are one."""
    jobs: dict[str, Job] = {}
    for trace in suite.traces:
        path = Path(trace.path)
        try:
            sha, size = hash_file(path), path.stat().st_size
        except OSError as error:
            raise SuiteError(f"cannot read {path}: {error}") from error
        for gpu in suite.gpus:
            for driver in suite.drivers:
                if driver.gpus and gpu.name not in driver.gpus:
                    continue
                for option in suite.options:
                    id = identity(sha, gpu, driver, option, suite)
                    job = Job(id, sha, trace.path, size, gpu, driver, option, trace.dangerous, trace.leave_out)
                    jobs.setdefault(id, job)
    return list(jobs.values())


def describe(job: Job) -> dict[str, Any]:
    """What the plan's file says of a job."""
    return {
        "id": job.id, "name": job.name, "path": job.path, "trace": job.trace,
        "gpu": job.gpu.name, "driver": job.driver.name, "option": job.option.name,
    }  # fmt: skip
