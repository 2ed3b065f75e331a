"""A stand-in for `reprise`: the farm's tests are about what happens around a replay."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Tests' clusters listen on loopback alone. Ray reads this when it is imported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
# No timed tests; the machine may be busy.
settings.register_profile("farm", deadline=None, max_examples=30)
settings.load_profile("farm")

PROGRAM = """#!{python} -S
import json, os, sys, time
arguments = sys.argv[1:]
if arguments == ["gpus"]:
    print("0: test")
    sys.exit()
if arguments[:2] == ["suite", "run"]:
    # The folder of a suite has a file for each trace that it knows, with a word.
    words = dict(zip(arguments, arguments[1:]))
    assert "--time" in arguments and words["--json"] == "-" and "--allow-missing" in arguments, arguments
    known = os.path.join(arguments[2], words["--only"])
    word = open(known).read() if os.path.exists(known) else "no profile"
    if word == "crash":
        os.abort()
    if word == "unknown":
        print("reprise: the suite has no trace of that name", file=sys.stderr)
        sys.exit(2)
    draws = [{{"what": "7 Draw <b>", "ms": 3.0, "profile_ms": 2.0}}] if word == "slower" else []
    times = {{"profile": words.get("--gpu", "any"), "total_ms": 3.0, "slower": draws, "slower_operations": draws}}
    found = {{"status": word, "why": "7 Draw takes longer" if draws else "", "times": None if word == "no profile" else times}}
    print(json.dumps({{"results": [found]}}))
    sys.exit(1 if draws else 0)
path = arguments[-1]
text = open(path).read()
node = os.environ.get("FARM_NODE", "")
log = os.environ.get("FARM_LOG")
if log:
    with open(log, "a") as file:
        file.write(f"{{node}} {{text.split()[0]}}\\n")
if node in os.environ.get("FARM_SLOW", "-").split():
    time.sleep(float(os.environ.get("FARM_SLOW_S", "1000")))
if node in os.environ.get("FARM_FULL", "-").split():
    print("reprise: frame_1.png: No space left on device (os error 28)", file=sys.stderr)
    sys.exit(1)
words = text.split()
time.sleep(float(os.environ.get("FARM_WORK_S", "0")))
if "stop" in words:
    print(json.dumps({{"diagnosis": {{"reason": "call 7: the device was removed"}}}}))
    sys.exit(6)
if "crash" in words:
    os.abort()
if "hang" in words:
    time.sleep(1000)
if "fail" in words:
    print("reprise: <b>cannot</b>", file=sys.stderr)
    sys.exit(1)
frames = [{{"frame": 1, "width": 4, "height": 4, "hash": "%032x" % (len(words) + ("other" in sys.argv))}}]
print(json.dumps({{"frames": frames, "different_bytes": 0, "replayed_on": {{"adapter": "none", "driver": "1"}}}}))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "reprise"
    path.write_text(PROGRAM.format(python=sys.executable))
    path.chmod(0o755)
    return path


@pytest.fixture
def suite_file(tmp_path: Path, program: Path) -> Callable[..., Path]:
    def make(traces: dict[str, str], head: str = "", tail: str = "") -> Path:
        folder = tmp_path / "traces"
        folder.mkdir(exist_ok=True)
        for name, text in traces.items():
            (folder / f"{name}.reprise").write_text(f"{name} {text}")
        path = tmp_path / "suite.toml"
        path.write_text(
            f'[suite]\nprogram = "{program}"\ncache_dir = "{tmp_path / "cache"}"\nfree_mib = 0\n{head}\n'
            f'[[trace]]\npath = "traces/*.reprise"\n{tail}'
        )
        return path

    return make
