"""Whole runs on a cluster without Ray: machines die, fill up and stand still at random, and every job has one result."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reprise_farm import outcome, schedule, store, table
from reprise_farm.job import Job
from reprise_farm.node import Node
from reprise_farm.schedule import Run
from reprise_farm.suite import Driver, Gpu, Option, Suite, Trace

ANY = Gpu("any")


def jobs(count: int, gpu: Gpu = ANY) -> list[Job]:
    return [Job(f"job{n}", f"{n:064x}", f"/t/{n}.reprise", 1, gpu, Driver("any"), Option("plain")) for n in range(count)]


SUITE = Suite("s", (Trace("t"),))


class Model:
    """Three nodes of two processors. `fate` decides about each attempt: (job, node, alone) to an outcome, or None: it died."""

    def __init__(self, fate: Any, kill: int | None = None) -> None:
        self.all = [Node(name, name, {"CPU": 2.0}) for name in ("a", "b", "c")]
        self.fate, self.kill = fate, kill
        self.begun: list[tuple[str, str]] = []
        self.ended: list[tuple[str, str, Any]] = []
        self.now: dict[int, tuple[Job, Node]] = {}
        self.dead: set[str] = set()

    def nodes(self) -> list[Node]:
        return [Node(node.id, node.name, node.total, dead=node.id in self.dead) for node in self.all]

    def start(self, job: Job, node: Node, needs: dict[str, float]) -> Any:
        self.begun.append((job.id, node.id))
        task = len(self.begun)
        self.now[task] = (job, node)
        if task == self.kill:
            self.dead.add("b")
        return task

    def wait(self, tasks: list[Any], seconds: float) -> list[Any]:
        return [random.choice(tasks)]

    def result(self, task: Any) -> tuple[dict[str, Any] | None, str]:
        job, node = self.now.pop(task)
        if node.id in self.dead:
            return None, "NodeDiedError"
        alone = not self.now
        verdict = self.fate(job, node, alone)
        self.ended.append((job.id, node.id, verdict))
        return (None, "died") if verdict is None else ({"outcome": verdict, "reason": ""}, "")

    def drop(self, task: Any) -> None:
        pass


def play(model: Model, todo: list[Job], folder: Path, resume: bool = False) -> dict[str, dict[str, Any]]:
    results = store.Store(folder, resume)
    Run(SUITE, todo, model, results).run()
    results.close()
    return store.read(folder)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["pass", "failed", "stopped", "timeout", "crashed", "kills"]), max_size=12),
    st.sets(st.sampled_from("ac"), max_size=1),
    st.none() | st.integers(1, 8),
    st.integers(0, 1000),
)
def test_every_job_has_one_result(fates: list[str], full: set[str], kill: int | None, seed: int) -> None:
    random.seed(seed)
    todo = jobs(len(fates))

    def fate(job: Job, node: Node, alone: bool) -> str | None:
        if node.id in full:
            return outcome.NODE_FULL
        told = fates[int(job.id.removeprefix("job"))]
        return None if told == "kills" else told

    with tempfile.TemporaryDirectory() as name:
        rows = play(Model(fate, kill), todo, Path(name))
        files = [row for path in Path(name).glob("batch-*") for row in table.read(path)]
        assert sorted(row["job"] for row in files) == sorted(job.id for job in todo)
        for job, told in zip(todo, fates, strict=True):
            assert rows[job.id]["outcome"] == ("left out" if told == "kills" else told)
            if told in outcome.ENDANGERS:
                assert rows[job.id]["alone"]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 10), st.integers(0, 10))
def test_a_resumed_run_plays_what_is_missing(count: int, done: int) -> None:
    todo = jobs(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(Model(lambda *_: "pass"), todo[:done], folder)
        model = Model(lambda *_: "pass")
        rows = play(model, todo, folder, resume=True)
        assert len(rows) == count
        assert {job for job, _ in model.begun} == {job.id for job in todo[done:]}


def test_a_job_that_no_node_can_run_says_why(tmp_path: Path) -> None:
    rows = play(Model(lambda *_: "pass"), jobs(1, Gpu("h100", "gpu:H100")), tmp_path)
    assert rows["job0"]["outcome"] == outcome.NOWHERE
    assert "gpu:H100" in rows["job0"]["reason"]


def test_a_result_that_waits_counts_when_what_ran_beside_it_died(tmp_path: Path) -> None:
    def fate(job: Job, node: Node, alone: bool) -> str | None:
        return None if job.id == "job0" else "failed"

    for seed in range(20):
        random.seed(seed)
        model = Model(fate)
        model.all = model.all[:1]
        rows = play(model, jobs(2), tmp_path / str(seed))
        assert {id: row["outcome"] for id, row in rows.items()} == {"job0": "left out", "job1": "failed"}


def test_shares_of_a_gpu_are_kept(tmp_path: Path) -> None:
    most = 0

    class Counting(Model):
        def start(self, job: Job, node: Node, needs: dict[str, float]) -> Any:
            nonlocal most
            task = super().start(job, node, needs)
            most = max(most, len(self.now))
            return task

    model = Counting(lambda *_: "pass")
    model.all = [Node("a", "a", {"CPU": 8.0, "gpu:H100": 1.0})]
    play(model, jobs(12, Gpu("h100", "gpu:H100", share=0.5)), tmp_path)
    assert most == 2


@pytest.mark.parametrize("verdict", ["pass", "failed"])
def test_a_job_that_has_a_result_gets_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str) -> None:
    """Though its first attempt runs on, because it cannot be ended at once."""
    monkeypatch.setattr(schedule, "STRAGGLER_S", 0.0)
    monkeypatch.setattr(schedule, "STRAGGLER_FACTOR", 0.0)

    class Slow(Model):
        def wait(self, tasks: list[Any], seconds: float) -> list[Any]:
            return [random.choice([task for task in tasks if self.now[task][1].id != "b"] or tasks)]

        def start(self, job: Job, node: Node, needs: dict[str, float]) -> Any:
            assert sum(job.id == begun for begun, _ in self.begun) < 2
            return super().start(job, node, needs)

    begun = 0
    for seed in range(10):
        random.seed(seed)
        model = Slow(lambda *_: verdict)
        assert len(play(model, jobs(9), tmp_path / str(seed))) == 9
        begun += len(model.begun)
    assert begun > 90, "there were copies"


def test_what_fails_beside_a_stop_is_played_again_alone(tmp_path: Path) -> None:
    def fate(job: Job, node: Node, alone: bool) -> str:
        if job.id == "job0":
            return "stopped"
        return "pass" if alone else "crashed"

    for seed in range(10):
        random.seed(seed)
        model = Model(fate)
        model.all = model.all[:1]
        rows = play(model, jobs(2), tmp_path / str(seed))
        assert rows["job0"]["outcome"] == "stopped" and rows["job0"]["alone"]
        assert rows["job1"]["outcome"] == "pass"
