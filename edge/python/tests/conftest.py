from __future__ import annotations

from pathlib import Path

import pytest
from built import captured


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for traces of test programs."""
    return tmp_path_factory.mktemp("traces")


@pytest.fixture(scope="session")
def passes(traces: Path) -> Path:
    """A program of ours that draws to two targets, and whose render passes clear them to colours that are known."""
    return captured(traces / "passes.reprise", "passes")
