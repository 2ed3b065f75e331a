"""Ids, suites, the cache, statistics, what an exit code means, and pages of hostile names."""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reprise_farm import cache, outcome, page, report, statistics, suite
from reprise_farm.comparison import Line
from reprise_farm.job import identity, plan
from reprise_farm.suite import Driver, Gpu, Option, Suite, SuiteError, Trace

SUITE = Suite("s", (Trace("t"),))


def test_equal_contents_are_one_job_and_configurations_are_not(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.reprise").write_bytes(b"same")
    text = '[[trace]]\npath = "*.reprise"\n[[option]]\nname = "x"\n[[option]]\nname = "y"\narguments = ["--sync"]\n'
    found = plan(suite.parse(text, tmp_path))
    assert [job.option.name for job in found] == ["x", "y"]
    assert found[0].trace == hashlib.sha256(b"same").hexdigest()
    assert len({job.id for job in found}) == 2


@given(st.text(), st.text(), st.floats(0.1, 1))
def test_placement_is_no_part_of_an_id(name: str, resource: str, share: float) -> None:
    ids = {
        identity("t", Gpu(name, where, None, part), Driver("d"), Option("o"), SUITE)
        for where, part in ((None, 1), (resource, share))
    }
    assert len(ids) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[suite", "no TOML"),
        ("", "no trace"),
        ('[[trace]]\npath="none.reprise"', "is no file"),
        ('[[trace]]\npath="none*.reprise"', "no file matches"),
        ('[[trace]]\npat="x"', "there is no `pat`"),
        ('[suite]\nplays="3"', "`plays` has the wrong type"),
        ("[suite]\nplays=0", "more than 0"),
        ("[[gpu]]\nshare=0.5", "`name` is missing"),
    ],
)
def test_a_wrong_suite_is_told(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=re.escape(said)):
        suite.parse(text, tmp_path)


@pytest.mark.parametrize(
    ("code", "report_", "errors", "expected"),
    [
        (0, {}, "", "pass"),
        (1, {"different_bytes": 3}, "", "differs"),
        (1, None, "x", "failed"),
        (6, {"diagnosis": {"reason": "call 7"}}, "", "stopped"),
        (-6, None, "", "crashed"),
        (139, None, "", "crashed"),
        (None, None, "", "timeout"),
        (3, None, "", "failed"),
    ],
)
def test_exit_codes(code: int | None, report_: dict[str, object] | None, errors: str, expected: str) -> None:
    assert outcome.judge(code, report_, errors)[0] == expected


def test_the_cache_fetches_once_checks_and_makes_room(tmp_path: Path) -> None:
    asked = []

    def get(data: bytes) -> tuple[str, int, object]:
        def chunk(offset: int, size: int) -> bytes:
            asked.append(offset)
            return data[offset : offset + size]

        sha = hashlib.sha256(data).hexdigest()
        with cache.hold(tmp_path, sha, len(data), 250, chunk) as (path, fetched):
            assert path.read_bytes() == data
            return sha, fetched, None

    first = get(b"a" * 100)
    assert first[1] == 100 and get(b"a" * 100)[1] == 0 and len(asked) == 1
    get(b"b" * 100)
    get(b"c" * 100)
    assert not (tmp_path / f"{first[0]}.reprise").exists()
    with pytest.raises(cache.CacheError), cache.hold(tmp_path, "0" * 64, 3, 250, lambda *_: b"abc"):
        pass
    assert not list(tmp_path.glob("*.part"))


def test_a_trace_that_is_played_is_not_removed(tmp_path: Path) -> None:
    sha = hashlib.sha256(b"held").hexdigest()
    with cache.hold(tmp_path, sha, 4, 4, lambda *_: b"held") as (path, _):
        cache.make_room(tmp_path, 100, 4)
        assert path.exists()
    cache.make_room(tmp_path, 100, 4)
    assert not path.exists()


def test_intervals_hold_the_true_ratio() -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(60):
        found = statistics.ratio(list(random.lognormal(0.2, 0.1, 12)), list(random.lognormal(0.0, 0.1, 12)))
        assert found is not None
        held += found.low <= np.exp(0.2) <= found.high
    assert held >= 50
    assert statistics.ratio([1.0, 1.0], [1.0, 1.0]) is None


HOSTILE = st.text(alphabet=st.sampled_from([*"<>&\"'`|\n\\[]()*_ab/=", "\u202e", "\x00"]))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


@given(HOSTILE, HOSTILE)
def test_hostile_names_stay_text(name: str, reason: str) -> None:
    bad = f"<script>{name}</script>"
    row = {
        "name": bad, "path": name, "outcome": "crashed", "reason": reason, "errors": bad, "diagnosis": '"</pre><script>"',
        "trace": "t", "gpu": bad, "driver": "d", "option": "o", "node": bad,
    }  # fmt: skip
    line = Line(row, status="crashed")
    text = page.write(bad, bad, [page.Entry(line, bad, report.what(line), "", "")], {bad: bad}, report.ORDER)
    tags = Tags()
    tags.feed(text)
    assert "script" not in tags.seen
    table = report.as_markdown(bad, [line], {})
    assert "<" not in table
    assert len(table.splitlines()) == 7
