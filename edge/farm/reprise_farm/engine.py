"""Ray, as far as the farm needs it: joining it, its nodes, and a job on a node of our choice."""

from __future__ import annotations

import os
import sys
from typing import Any

from .job import Job, work
from .node import Node
from .suite import Suite

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


class Engine:
    """A Ray that runs already, here or elsewhere."""

    def __init__(self, suite: Suite, address: str | None) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        try:
            import ray
        except ImportError as error:
            raise ConnectionError(f"Ray cannot be loaded: {error}; --local plays without it") from error

        self.ray = ray
        self.suite = suite
        # Nodes need Ray alone: what runs there is sent to them.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__package__ or "reprise_farm"])
        ray.init(address=address or "auto", log_to_driver=False, logging_level="ERROR")
        self.own_node: str = ray.get_runtime_context().get_node_id()
        self._source: Any = None

        from . import play

        def run(told: dict[str, Any], source: Any) -> dict[str, Any]:
            if source is None:
                return play.play(told, None)

            def chunk(offset: int, size: int) -> bytes:
                data: bytes = ray.get(source.read.remote(told["path"], offset, size))
                return data

            return play.play(told, chunk)

        self._run = ray.remote(max_retries=0)(run)

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

        source = None if node.id == self.own_node else self.source()
        named = {key: amount for key, amount in needs.items() if key not in ("CPU", "memory")}
        options: dict[str, Any] = {"num_cpus": needs["CPU"], "resources": named}
        if "memory" in needs:
            options["memory"] = int(needs["memory"])
        strategy = NodeAffinitySchedulingStrategy(node.id, soft=False)
        return self._run.options(scheduling_strategy=strategy, **options).remote(work(job, self.suite), source)

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
