"""Real Ray on the loopback interface: three nodes, of which one is killed, one slow, and one has a full disk."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reprise_farm import table

SUITE_TAIL = '[[gpu]]\nname = "g"\nresource = "gpu:test"\nshare = 0.5\n'


@contextmanager
def cluster(monkeypatch: pytest.MonkeyPatch, nodes: list[str], environment: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A head that works, and nodes with these names in FARM_NODE. Each node's processes go by their ids."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 2, "resources": {"gpu:test": 1}, "include_dashboard": False}
    monkeypatch.setenv("FARM_NODE", "good")
    made = Cluster(initialize_head=True, head_node_args=head)
    found = {}
    try:
        for name in nodes:
            monkeypatch.setenv("FARM_NODE", name)
            found[name] = made.add_node(num_cpus=2, resources={"gpu:test": 1}, object_store_memory=80 << 20)
        monkeypatch.delenv("FARM_NODE")
        yield {"address": made.address, "cluster": made, "nodes": found}
    finally:
        made.shutdown()


def farm(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "reprise_farm", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_faults_lose_nothing_and_double_nothing(
    tmp_path: Path, suite_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 24
    log, results = tmp_path / "log", tmp_path / "results"
    traces = {f"t{n:02}": "fail" if n == 3 else "" for n in range(count)}
    path = suite_file(traces, tail=SUITE_TAIL)
    environment = {
        # The node that dies is slow, too: it has jobs when it is killed, however busy the machine is.
        "FARM_LOG": str(log), "FARM_SLOW": "slow dies", "FARM_SLOW_S": "20", "FARM_FULL": "full", "FARM_WORK_S": "0.3",
    }  # fmt: skip
    with cluster(monkeypatch, ["dies", "slow", "full"], environment) as made:
        run = farm("run", str(path), "--results", str(results), "--address", made["address"])

        def kill() -> None:
            while not log.exists() or log.read_text().count("dies ") < 2:
                time.sleep(0.05)
            made["cluster"].remove_node(made["nodes"]["dies"], allow_graceful=False)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        said, _ = run.communicate(timeout=200)
    assert run.returncode == 1, said
    rows = [row for batch in results.glob("batch-*") for row in table.read(batch)]
    assert sorted(row["name"] for row in rows) == sorted(traces), said
    assert {row["name"]: row["outcome"] for row in rows} == {name: "failed" if text else "pass" for name, text in traces.items()}
    notes = json.loads((results / "nodes.json").read_text())
    assert any("died" in why for why in notes.values()), said
    assert any("No space left" in why for why in notes.values()), said
    begun = log.read_text().splitlines()
    assert sum(line.startswith("full ") for line in begun) <= 2, "a full node gets what it had, and no more"
    assert sum(line.endswith(" t03") for line in begun if line.startswith("good")) <= 1, "what fails is not played again"
