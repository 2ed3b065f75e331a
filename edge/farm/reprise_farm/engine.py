"""Ray, as far as the farm needs it: starting or joining it, its nodes, and a job on a node of our choice."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .job import Job
from .node import Node
from .suite import Suite

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


class Engine:
    """A Ray that runs. `local` starts one for this process alone, which ends with it."""

    def __init__(self, suite: Suite, local: bool, address: str | None, cpus: int | None = None) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        if local:
            # Nobody else speaks to it: the token is this process's own and goes with it, and its ports are on loopback. Ray
            # takes 127.0.0.1 as a node's address, and then binds all ports to it, only where it is told that nodes of other
            # machines never join; this is the variable's meaning on every system. Ray reads it when it is imported.
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        import ray

        self.ray = ray
        self.suite = suite
        self.local = local
        # Nodes need Ray alone: what runs there is sent to them.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__package__ or "reprise_farm"])
        if local:
            resources: dict[str, float] = {}
            for driver in suite.drivers:
                if driver.resource and (driver.icd is None or Path(driver.icd).is_file()):
                    resources[driver.resource] = 1.0
            for gpu in suite.gpus:
                if gpu.resource and self._has_gpu(gpu.resource.partition(":")[2] or gpu.resource):
                    resources[gpu.resource] = 1.0
            ray.init(
                address="local", num_cpus=cpus or os.cpu_count(), resources=resources, include_dashboard=False,
                log_to_driver=False, logging_level="ERROR", configure_logging=True,
                object_store_memory=256 << 20,
            )  # fmt: skip
        else:
            ray.init(address=address or "auto", log_to_driver=False, logging_level="ERROR")
        self.own_node: str = ray.get_runtime_context().get_node_id()
        self._source: Any = None

        from . import play

        def run(work: dict[str, Any], source: Any) -> dict[str, Any]:
            if source is None:
                return play.play(work, None)

            def chunk(offset: int, size: int) -> bytes:
                data: bytes = ray.get(source.read.remote(work["path"], offset, size))
                return data

            return play.play(work, chunk)

        self._run = ray.remote(max_retries=0)(run)

    def _has_gpu(self, name: str) -> bool:
        import subprocess

        try:
            listed = subprocess.run([self.suite.program, "gpus"], capture_output=True, text=True, timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired):
            return False
        return name in listed

    def source(self) -> Any:
        """The actor that reads traces where the driver of the run is."""
        if self._source is None:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            class Source:
                def read(self, path: str, offset: int, size: int) -> bytes:
                    with open(path, "rb") as file:
                        file.seek(offset)
                        return file.read(size)

            here = NodeAffinitySchedulingStrategy(self.own_node, soft=False)
            self._source = self.ray.remote(num_cpus=0)(Source).options(scheduling_strategy=here).remote()
        return self._source

    def nodes(self) -> list[Node]:
        return [
            Node(info["NodeID"], info["NodeName"] or info["NodeManagerAddress"], dict(info["Resources"]),
                 dead=not info["Alive"])
            for info in self.ray.nodes()
        ]  # fmt: skip

    def start(self, job: Job, node: Node, needs: dict[str, float]) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        environment = dict(job.driver.environment)
        if job.driver.icd:
            environment["VK_DRIVER_FILES"] = job.driver.icd
        arguments = list(job.option.arguments)
        if job.gpu.select:
            arguments += ["--gpu", job.gpu.select]
        work = {
            "job": job.id, "trace": job.trace, "path": job.path, "size": job.size, "arguments": arguments,
            "environment": environment,
        } | {key: asdict(self.suite)[key] for key in (
            "program", "plays", "pictures", "verify", "timeout_s", "cache_mib", "cache_dir", "free_mib")}  # fmt: skip
        source = None if node.id == self.own_node else self.source()
        named = {key: amount for key, amount in needs.items() if key not in ("CPU", "memory")}
        options: dict[str, Any] = {"num_cpus": needs["CPU"], "resources": named}
        if "memory" in needs:
            options["memory"] = int(needs["memory"])
        strategy = NodeAffinitySchedulingStrategy(node.id, soft=False)
        return self._run.options(scheduling_strategy=strategy, **options).remote(work, source)

    def wait(self, tasks: list[Any], seconds: float) -> list[Any]:
        done, _ = self.ray.wait(tasks, num_returns=len(tasks), timeout=0, fetch_local=False)
        if not done:
            done, _ = self.ray.wait(tasks, num_returns=1, timeout=seconds, fetch_local=False)
        return list(done)

    def result(self, task: Any) -> tuple[dict[str, Any] | None, str]:
        """A job's result, or None and why there is none: its machine or its process died."""
        try:
            result: dict[str, Any] = self.ray.get(task)
            return result, ""
        except self.ray.exceptions.RayError as error:
            text = str(error).strip().splitlines()
            return None, f"{type(error).__name__}: {text[0] if text else ''}"

    def drop(self, task: Any) -> None:
        """Ends a copy whose result is not needed any more."""
        self.ray.cancel(task, force=False)

    def close(self) -> None:
        self.ray.shutdown()
