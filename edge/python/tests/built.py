"""What tests find in the workspace: programs that are built, and traces."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

WORKSPACE = Path(__file__).parents[3]
BUILT = WORKSPACE / "target" / "debug"
PROGRAM = BUILT / "reprise"
GOLDEN = WORKSPACE / "crates" / "cli" / "tests" / "golden" / "v3"
"""Traces that older builds recorded."""
HURT = ("crashed", "facts")
"""Those with gaps."""
BUNDLES = GOLDEN / "bundles.reprise"
GEARS = GOLDEN / "gears.reprise"


def said(*words: Any) -> str:
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=True).stdout


def captured(trace: Path, *words: Any) -> Path:
    """A trace of one of the test programs."""
    program = [PROGRAM, "capture", "-o", trace, "--", BUILT / "reprise-programs", *words]
    subprocess.run(list(map(str, program)), check=True, capture_output=True)
    return trace
