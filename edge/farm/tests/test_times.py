"""Traces that are measured beside stored profiles: what a run makes of it, and what its report shows for each machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reprise_farm import job, outcome, suite

Make = Callable[..., Path]


def farm(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "reprise_farm", *words], capture_output=True, text=True, timeout=100)


def played(path: Path, results: Path) -> dict[str, dict[str, Any]]:
    """The jobs of the report, by the names of their traces."""
    run = farm("run", str(path), "--results", str(results), "--local", "-q")
    assert run.returncode in (0, 1), run.stderr
    report = farm("report", str(results), "--json")
    return {one["name"]: one for one in json.loads(report.stdout)["jobs"]}


def profiles(folder: Path, words: dict[str, str]) -> Path:
    folder.mkdir()
    for name, word in words.items():
        (folder / name).write_text(word)
    return folder


def test_slower_draws_are_told_for_each_trace_and_machine(suite_file: Make, tmp_path: Path) -> None:
    known = profiles(
        tmp_path / "profiles",
        {"fast": "pass", "slow": "slower", "dies": "crash", "other": "differs", "lost": "unknown"},
    )
    traces = dict.fromkeys(["fast", "slow", "dies", "other", "lost", "new"], "x")
    path = suite_file(traces, f'profiles = "{known}"')
    results = tmp_path / "results"
    jobs = played(path, results)
    found = {name: (one["outcome"], one["reason"]) for name, one in jobs.items()}
    assert found["fast"] == ("pass", "")
    assert found["slow"] == ("slower", "7 Draw takes longer")
    assert found["new"] == ("pass", "not measured: no profile")
    assert found["dies"][0] == "crashed" and found["other"] == ("failed", "its times: differs")
    assert found["lost"][0] == "failed" and "no trace of that name" in found["lost"][1]
    draws = [{"what": "7 Draw <b>", "ms": 3.0, "profile_ms": 2.0}]
    assert jobs["slow"]["times"]["slower_operations"] == draws and jobs["fast"]["times"]["slower_operations"] == []
    assert jobs["new"]["times"] is None

    markdown = farm("report", str(results), "--markdown").stdout
    assert "Slower draws of slow on" in markdown and "7 Draw &lt;b>: 3.000 ms, 2.000 in the profile" in markdown
    assert markdown.count("Slower draws of") == 1
    assert farm("report", str(results)).returncode == 0
    page = (results / "report.html").read_text()
    assert "slower draws on this machine" in page and "7 Draw &lt;b&gt;" in page and "<b>: 3" not in page


def test_without_profiles_nothing_is_measured(suite_file: Make, tmp_path: Path) -> None:
    profiles(tmp_path / "profiles", {"slow": "slower"})
    jobs = played(suite_file({"slow": "x"}), tmp_path / "results")
    assert jobs["slow"]["outcome"] == "pass" and jobs["slow"]["times"] is None


def test_profiles_are_part_of_what_a_job_is(suite_file: Make) -> None:
    plain = suite.load(suite_file({"a": "x"}))
    measured = suite.load(suite_file({"a": "x"}, 'profiles = "/profiles"'))
    assert job.plan(plain)[0].id != job.plan(measured)[0].id


@pytest.mark.parametrize(
    ("head", "tail", "why"),
    [
        ('profiles = "profiles"', "", "write its whole path"),
        ('profiles = "/profiles"', '[[gpu]]\nname = "g"\nshare = 0.5', "disturb each other"),
    ],
)
def test_what_cannot_be_measured_is_refused(suite_file: Make, head: str, tail: str, why: str) -> None:
    with pytest.raises(suite.SuiteError, match=why):
        suite.load(suite_file({"a": "x"}, head, tail))


def test_ends_of_measuring() -> None:
    assert outcome.judge_times(1, {"results": [{"status": "slower", "why": "w", "times": {}}]}, "") == ("slower", "w")
    assert outcome.judge_times(0, {"results": []}, "")[0] == "failed"
    assert outcome.judge_times(None, None, "")[0] == "timeout"
    assert outcome.judge_times(-6, None, "")[0] == "crashed"
