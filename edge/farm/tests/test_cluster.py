"""Real Ray on the loopback interface: three nodes, of which one is killed, one slow, and one has a full disk."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reprise_farm import store, table

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


def test_local_goes_on_after_its_driver_died(
    tmp_path: Path, suite_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    results, log = tmp_path / "results", tmp_path / "log"
    monkeypatch.setenv("FARM_LOG", str(log))
    monkeypatch.setenv("FARM_WORK_S", "0.4")
    traces = {f"t{n:02}": "" for n in range(20)} | {"x": "stop", "y": "crash"}
    path = suite_file(traces)
    first = farm("run", str(path), "--results", str(results), "--local", "--jobs", "2")
    until = time.monotonic() + 100
    while len(store.read(results)) < 4 and time.monotonic() < until:
        time.sleep(0.1)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    before = store.read(results)
    assert 4 <= len(before) < len(traces)
    begun = len(log.read_text().splitlines())

    refused = farm("run", str(path), "--results", str(results), "--local")
    assert "--resume" in refused.communicate()[0] and refused.returncode == 2
    said, _ = farm("run", str(path), "--results", str(results), "--local", "--jobs", "2", "--resume").communicate(timeout=200)
    rows = [row for batch in results.glob("batch-*") for row in table.read(batch)]
    assert sorted(row["name"] for row in rows) == sorted(traces), said
    again = [line.split()[-1] for line in log.read_text().splitlines()[begun:]]
    assert not {row["name"] for row in before.values()} & set(again), "what has a result is not played again"
    by_name = {row["name"]: row for row in rows}
    assert by_name["y"]["outcome"] == "crashed"
    assert by_name["x"]["outcome"] == "stopped" and by_name["x"]["alone"]
    # The crash may have been beside the stop: then it, too, is played alone.
    assert "call 7" in by_name["x"]["reason"] and "x" in again[-2:]


def test_a_local_ray_listens_on_loopback_alone(tmp_path: Path, suite_file: Callable[..., Path]) -> None:
    mark, log = secrets.token_hex(8), tmp_path / "log"
    path = suite_file({"t": ""})
    environment = os.environ | {"FARM_MARK": mark, "FARM_LOG": str(log), "FARM_WORK_S": "8"}
    # The run sets this itself: without it the test's own setting would be what is tested.
    environment.pop("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER")
    command = [sys.executable, "-m", "reprise_farm", "run", str(path), "--results", str(tmp_path / "results"), "--local"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        while not log.exists() and run.poll() is None:
            time.sleep(0.05)
        listening = addresses(mark)
        output, _ = run.communicate()
    assert run.returncode == 0, output
    assert len(listening) > 3, "Ray's server, its node and the run were looked at"
    # 127.0.0.1 as /proc/net/tcp has it, and the same as an address of version 6.
    others = {socket for socket in listening if socket.split(":")[0] not in ("0100007F", "0000000000000000FFFF00000100007F")}
    assert not others


def addresses(mark: str) -> set[str]:
    """Where processes listen that have this value in their environment: addresses and ports in hexadecimal."""
    sockets: set[str] = set()
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                sockets |= {os.readlink(entry) for entry in (process / "fd").iterdir()}
        except OSError:
            continue  # It ended, or belongs to somebody else.
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                found.add(words[1])
    return found
