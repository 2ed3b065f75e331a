"""The notebook and the script beside it run, and find what is to be found."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import reprise
from built import BUILT, GEARS, PROGRAM, WORKSPACE

EXAMPLES = Path(__file__).parents[1] / "examples"
VKD3D = Path("/usr/lib/x86_64-linux-gnu/libvkd3d.so.1")


def run_cells(notebook: Path) -> dict[str, Any]:
    """Runs its cells of code in their order. What they define."""
    cells = json.loads(notebook.read_text())["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{notebook.name}, {cell['id']}", "exec"), names)
    return names


def test_the_notebook_finds_the_draw_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("TRACE", str(GEARS))
    monkeypatch.setenv("OTHER", "vkd3d" if VKD3D.exists() else "ours")
    monkeypatch.setenv("PATH", f"{BUILT}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    names = run_cells(EXAMPLES / "wrong_pixel.ipynb")
    assert names["found"] == names["dropped"]
    assert names["differs"].any() and not names["differs"].all()
    assert names["replay"].restarts == 0
    counts, changes = names["counts"], names["changes"]
    assert counts.max() > 1 and changes.shape == counts.shape
    # What changes was written.
    assert (counts[changes > 0] > 0).all() and (changes > 0).any()
    # Two libraries draw the same teeth; edges may differ.
    assert names["apart"].shape == counts.shape and numpy.median(names["apart"]) < 0.01


def test_the_script_saves_the_target_and_prints_vertices(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{BUILT}{os.pathsep}{os.environ['PATH']}"}
    words = [sys.executable, str(EXAMPLES / "mesh_and_target.py"), str(GEARS)]
    ended = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "draws to B8G8R8A8_UNORM" in ended.stdout
    assert " in " in ended.stdout and " out SV_POSITION" in ended.stdout
    trace = reprise.open(GEARS)
    call = int(ended.stdout.split()[1])
    target = trace.replay(program=PROGRAM).texture(call=call, target=0)
    head = b"P6 %d %d 255\n" % (target.width, target.height)
    picture = (tmp_path / "target.ppm").read_bytes()
    assert picture.startswith(head)
    saved = numpy.frombuffer(picture[len(head) :], "u1").reshape(target.height, target.width, 3)
    # The page shows this very script.
    assert (EXAMPLES / "mesh_and_target.py").read_text() in (WORKSPACE / "docs" / "python.md").read_text()
    assert (saved == (target.values[:, :, :3] * 255).round()).all() and saved.any()


def test_the_examples_of_the_page_run_as_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", f"{BUILT}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    # A trace of the program, and under the name, that the README has.
    shutil.copy(GEARS, "vkd3d-gears.reprise")
    page = (WORKSPACE / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    script = (EXAMPLES / "mesh_and_target.py").read_text()
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        if block != script:
            exec(compile(block, f"docs/python.md: {block.splitlines()[0]}", "exec"), names)
    assert len(blocks) == 5
    # Each of them came to something.
    assert names["draw"].method == "DrawIndexedInstanced"
    assert names["target"].values.any() and names["mesh"].columns["COLOR"].any()
    assert len(names["data"]) == 256 and names["numbers"].any()
    assert sum(1 for _ in names["without"].calls()) == sum(1 for _ in names["trace"].calls()) - 1
