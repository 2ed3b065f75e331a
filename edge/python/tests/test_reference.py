"""The reference page is what the module says of itself."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
import reprise

REFERENCE = Path(__file__).parents[1] / "reference.py"


def test_the_page_is_what_the_module_says(monkeypatch: pytest.MonkeyPatch) -> None:
    made = runpy.run_path(str(REFERENCE))
    assert made["page"]() == made["PAGE"].read_text(), "run edge/python/reference.py"
    monkeypatch.setattr(reprise.ReplayError, "__doc__", "Something else.")
    assert made["page"]() != made["PAGE"].read_text()


def test_the_page_has_every_name() -> None:
    lines = runpy.run_path(str(REFERENCE))["page"]().splitlines()
    for name in reprise.__all__:
        assert any(line.startswith((f"## `{name}`", f"## `reprise.{name}(")) for line in lines), name
    assert any(
        line.startswith("- `calls(*, methods: Optional") and "as an iterator of `Call`" in line for line in lines
    )
