"""The run: which job goes where and when, and what its end means. Every job of the plan ends with exactly one row."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import outcome
from .job import Job
from .node import Node, choose, needs_of, why_nowhere
from .quarantine import Quarantine
from .store import Store
from .suite import Suite

FLUSH_S = 2.0
"""Seconds between files of results."""
NODES_S = 1.0
"""Seconds between looks at which nodes there are."""
STRAGGLER_FACTOR = 4.0
STRAGGLER_S = 5.0
"""A job that runs longer than both, 5 seconds and 4 times the median, gets a copy elsewhere once nothing else waits."""


class Cluster(Protocol):
    """What the run needs of Ray; tests have one of their own."""

    def nodes(self) -> list[Node]: ...
    def start(self, job: Job, node: Node, needs: dict[str, float]) -> Any: ...
    def wait(self, tasks: list[Any], seconds: float) -> list[Any]: ...
    def result(self, task: Any) -> tuple[dict[str, Any] | None, str]: ...
    def drop(self, task: Any) -> None: ...


@dataclass
class Running:
    job: Job
    node: Node
    needs: dict[str, float]
    start: float
    alone: bool
    beside: set[str] = field(default_factory=set)
    """Ids of jobs that ran on the node at some time while this one ran."""


class Run:
    def __init__(
        self, suite: Suite, jobs: list[Job], cluster: Cluster, store: Store, wait_s: float = 0.0,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:  # fmt: skip
        self.suite, self.cluster, self.store, self.say = suite, cluster, store, say
        self.wait_s = wait_s
        self.jobs = {job.id: job for job in jobs}
        self.quarantine = Quarantine(suite.machine_retries)
        self.nodes: dict[str, Node] = {}
        self.running: dict[Any, Running] = {}
        self.attempts: dict[str, int] = {}
        self.durations: list[float] = []
        self.held: dict[str, tuple[dict[str, Any], Running]] = {}
        """Results that do not count yet: a job that ran beside still runs, and may turn out to have stopped the GPU."""
        self.notes: dict[str, str] = {}
        self.queue: deque[Job] = deque()
        for job in jobs:
            if job.id in store.rows:
                continue
            if job.leave_out is not None:
                self._end(job, outcome.LEFT_OUT, job.leave_out)
                continue
            if job.dangerous is not None:
                self.quarantine.alone[job.id] = job.dangerous
            else:
                self.queue.append(job)

    def run(self) -> None:
        self.began = time.monotonic()
        flushed = looked = 0.0
        try:
            while True:
                now = time.monotonic()
                if now - looked >= NODES_S:
                    self._look()
                    looked = now
                self._start_all()
                if now - flushed >= FLUSH_S:
                    self.store.flush()
                    flushed = now
                if not self.queue and all(id in self.store.rows for id in self.jobs):
                    break  # Copies that are not needed may still run; nobody waits for them.
                if self.running:
                    for task in self.cluster.wait(list(self.running), 0.25):
                        if task in self.running:
                            self._ended(task)
                            self._release()
                elif not self.queue and not self._lone():
                    break
                else:
                    time.sleep(0.1)
        finally:
            for task in self.running:
                self.cluster.drop(task)
            self.store.flush()

    def _lone(self) -> list[Job]:
        return [self.jobs[id] for id in self.quarantine.alone if id in self.jobs and id not in self.store.rows]

    def _look(self) -> None:
        for found in self.cluster.nodes():
            node = self.nodes.setdefault(found.id, found)
            if found.dead and not node.dead:
                node.dead = True
                self._note(node, "died")
            node.dead = found.dead

    def _note(self, node: Node, reason: str) -> None:
        self.notes[f"{node.name} ({node.id[:8]})"] = reason
        self.store.note(self.notes)
        self.say(f"node {node.name} ({node.id[:8]}): {reason}")

    def _exclude(self, node: Node, reason: str) -> None:
        if node.excluded is None:
            node.excluded = reason
            self._note(node, reason)

    def _start_all(self) -> None:
        nodes = list(self.nodes.values())
        waiting: deque[Job] = deque()
        full: list[dict[str, float]] = []
        processors = {"CPU": self.suite.cpus}
        while self.queue:
            if choose(nodes, processors, set()) is None and any(node.usable for node in nodes):
                break  # Every job waits, and a long queue is not looked through each time that one ends.
            job = self.queue.popleft()
            if job.id in self.store.rows or job.id in self.quarantine.alone:
                continue
            needs = needs_of(job, self.suite.cpus)
            if needs not in full:
                node = choose(nodes, needs, set())
                if node is not None:
                    self._start(job, node, needs, alone=False)
                    continue
                if self._nowhere(job, needs):
                    continue
                full.append(needs)
            waiting.append(job)
        waiting.extend(self.queue)
        self.queue = waiting
        if self.queue:
            return
        if not self.running:
            for job in self._lone():
                needs = needs_of(job, self.suite.cpus)
                node = choose(nodes, needs, set())
                if node is not None:
                    self._start(job, node, needs, alone=True)
                    return
                if not self._nowhere(job, needs):
                    return
        else:
            self._copy_stragglers(nodes)

    def _nowhere(self, job: Job, needs: dict[str, float]) -> bool:
        why = why_nowhere(list(self.nodes.values()), needs)
        if why is None or time.monotonic() - self.began < self.wait_s:
            return False
        self._end(job, outcome.NOWHERE, why)
        return True

    def _copy_stragglers(self, nodes: list[Node]) -> None:
        if len(self.durations) < 3:
            return
        import statistics

        limit = max(STRAGGLER_S, STRAGGLER_FACTOR * statistics.median(self.durations))
        now = time.monotonic()
        by_job: dict[str, list[Running]] = {}
        for running in self.running.values():
            by_job.setdefault(running.job.id, []).append(running)
        for copies in by_job.values():
            first = copies[0]
            has_result = first.job.id in self.store.rows or first.job.id in self.held
            if has_result or len(copies) > 1 or first.alone or now - first.start < limit:
                continue
            node = choose(nodes, first.needs, {first.node.id})
            if node is not None:
                self.say(f"{first.job.name} ({first.job.configuration}) is slow on {first.node.name}: a copy elsewhere")
                self._start(first.job, node, first.needs, alone=False)

    def _start(self, job: Job, node: Node, needs: dict[str, float], alone: bool) -> None:
        running = Running(job, node, needs, time.monotonic(), alone)
        for other in self.running.values():
            if other.node.id == node.id:
                other.beside.add(job.id)
                running.beside.add(other.job.id)
        node.take(needs)
        self.attempts[job.id] = self.attempts.get(job.id, 0) + 1
        self.running[self.cluster.start(job, node, needs)] = running

    def _ended(self, task: Any) -> None:
        running = self.running.pop(task)
        running.node.take(running.needs, -1)
        result, why = self.cluster.result(task)
        job = running.job
        if job.id in self.store.rows:
            return  # The other copy was first.
        other_copy = any(other.job.id == job.id for other in self.running.values())
        if result is None:
            self._look()
            left_out = self.quarantine.died(job.id, why)
            if other_copy:
                return
            if left_out is not None:
                self._end(job, outcome.LEFT_OUT, left_out)
            elif job.id not in self.quarantine.alone:
                self.queue.append(job)
            self.say(f"{job.name} ({job.configuration}): {why}; it is played again")
            return
        verdict = str(result["outcome"])
        if verdict in (outcome.NODE_FULL, outcome.NODE_BROKEN) or result.get("wedged"):
            self._exclude(running.node, f"{verdict}: {result['reason']}")
            if not result.get("wedged"):
                if not other_copy and job.id not in self.quarantine.alone:
                    self.queue.append(job)
                return
        beside = [(id, self._verdict(id)) for id in running.beside if id in self.jobs]
        counts, victims = self.quarantine.ended(job.id, verdict, running.alone, beside)
        for victim in victims:
            self.held.pop(victim, None)
        if not counts:
            self.say(f"{job.name} ({job.configuration}): {verdict}; it is played again, alone and last")
            return
        if job.id in self.quarantine.alone and not running.alone:
            return  # It failed beside a job that endangers its GPU.
        if verdict != outcome.PASS and not running.alone and self._may_be_victim(running):
            self.held[job.id] = (result, running)
        else:
            self._accept(job, result, running)

    def _verdict(self, id: str) -> str:
        row = self.store.rows.get(id)
        if row is not None:
            return outcome.PASS  # It counts already.
        if id in self.held:
            return str(self.held[id][0]["outcome"])
        return outcome.PASS if any(r.job.id == id for r in self.running.values()) else outcome.FAILED

    def _may_be_victim(self, running: Running) -> bool:
        return any(other.job.id in running.beside and other.node.id == running.node.id for other in self.running.values())

    def _release(self) -> None:
        for id, (result, running) in list(self.held.items()):
            if not self._may_be_victim(running):
                del self.held[id]
                self._accept(running.job, result, running)

    def _accept(self, job: Job, result: dict[str, Any], running: Running) -> None:
        self.durations.append(time.monotonic() - running.start)
        for task, other in list(self.running.items()):
            if other.job.id == job.id:
                # Its slot stays taken until it ends: Ray may still hold it.
                self.cluster.drop(task)
        self._end(job, str(result["outcome"]), str(result["reason"]), result, running)

    def _end(
        self, job: Job, verdict: str, reason: str, result: dict[str, Any] | None = None, running: Running | None = None
    ) -> None:
        import json

        result = result or {}
        pictures = {}
        for frame in result.get("frames", []):
            data = result.get("pictures", {}).get(frame["frame"])
            if data is not None and re.fullmatch(r"[0-9a-f]{8,64}", str(frame["hash"])):
                pictures[str(frame["hash"])] = data
        diagnosis = result.get("diagnosis")
        lone = self.quarantine.alone.get(job.id)
        self.store.add(
            result | {
                "job": job.id, "trace": job.trace, "name": job.name, "path": job.path, "gpu": job.gpu.name,
                "driver": job.driver.name, "option": job.option.name, "outcome": verdict,
                "reason": f"{reason} (played alone: {lone})" if lone and running else reason,
                "diagnosis": json.dumps(diagnosis) if diagnosis else None,
                "times": json.dumps(result["times"]) if result.get("times") else None,
                "node": f"{running.node.name} ({running.node.id[:8]})" if running else None,
                "attempts": self.attempts.get(job.id, 0), "alone": bool(running and running.alone),
            },
            pictures,
        )  # fmt: skip
        if verdict != outcome.PASS:
            self.say(f"{job.name} ({job.configuration}): {verdict}: {reason}")
