"""The module beside the program: what both say of the same trace is the same, and of what a program drew its own
numbers are there."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy
import pyarrow
import pytest
import reprise
from built import BUNDLES, GOLDEN, HURT, PROGRAM, said


def test_calls_are_those_of_dump() -> None:
    lines = [json.loads(line) for line in said("dump", "--json", BUNDLES).splitlines()]
    calls = [line for line in lines if "call" in line]
    trace = reprise.open(BUNDLES)
    assert [call.to_dict() for call in trace.calls()] == calls
    frame = next(line["frame"] for line in calls if "::Draw" in line["method"])
    draws = [line for line in calls if "::Draw" in line["method"] and line["frame"] == frame]
    own = list(trace.calls(methods=["Draw*"], frames=frame))
    assert draws and [call.to_dict() for call in own] == draws
    first = own[0]
    assert (first.call, first.frame, first.method, first["args"]) == (
        draws[0]["call"],
        frame,
        draws[0]["method"].split("::")[1],
        draws[0]["args"],
    )
    assert first["method"] == f"{first.interface}::{first.method}"
    assert "args" in first and "colour" not in first
    assert (first.this, first.result, first.thread) == (draws[0]["this"], None, draws[0]["thread"])
    with pytest.raises(KeyError):
        first["colour"]
    assert trace.call(first.call).to_dict() == draws[0]
    assert [call.call for call in trace.calls(calls=(5, 7))] == [5, 6, 7]
    of_object = {call.call for call in trace.calls(objects=[1])}
    assert of_object and of_object < {line["call"] for line in calls}


def test_what_is_told_is_what_the_program_tells() -> None:
    trace = reprise.open(str(BUNDLES))
    assert trace.info() == json.loads(said("info", "--json", BUNDLES))
    assert trace.info(brief=True) == json.loads(said("info", "--json", "--brief", BUNDLES))
    draw = next(trace.calls(methods="Draw*")).call
    assert trace.state(draw) == json.loads(said("state", "--json", BUNDLES, draw))
    assert trace.state(draw, object=1) == json.loads(said("state", "--json", "--object", "1", BUNDLES, draw))
    findings = subprocess.run([PROGRAM, "lint", "--json", BUNDLES], capture_output=True, text=True, check=False)
    assert trace.findings() == [json.loads(line) for line in findings.stdout.splitlines()]


def test_shaders_are_the_files_of_extract(tmp_path: Path) -> None:
    said("extract", "-o", tmp_path / "out", BUNDLES)
    trace = reprise.open(BUNDLES)
    files = {
        path.name.split(".")[0]: path.read_bytes() for path in tmp_path.rglob("*") if path.suffix in (".dxbc", ".dxil")
    }
    own = {shader["hash"]: trace.shader(shader["hash"]) for shader in trace.shaders()}
    assert own and own == {name: files[name] for name in own}


@pytest.mark.parametrize("name", ["gears", "frames-wanted", "bundles"])
def test_frames_divide_the_calls(name: str) -> None:
    trace = reprise.open(GOLDEN / f"{name}.reprise")
    info = trace.info()
    frames = trace.frames()
    assert sum(frame["calls"] for frame in frames) == info["calls_kept"]
    assert len([frame for frame in frames if frame["ended"]]) == (info["frames"] or info["submissions"])
    of_calls = Counter(call.frame for call in trace.calls())
    assert {frame["frame"]: frame["calls"] for frame in frames if frame["calls"]} == of_calls


def test_objects_have_their_classes() -> None:
    objects = {one["id"]: one for one in reprise.open(BUNDLES).objects()}
    made = [call for call in reprise.open(BUNDLES).calls(methods="CreateCommandQueue") if call.result == "S_OK"]
    queues = {call.args["ppCommandQueue"]["id"]: call.call for call in made}
    assert queues
    for queue, call in queues.items():
        assert (objects[queue]["class"], objects[queue]["call"]) == ("ID3D12CommandQueue", call)


def test_columns_are_arrow() -> None:
    trace = reprise.open(BUNDLES)
    columns = trace.columns()
    table = pyarrow.table(columns)
    names = Counter(f"{row['interface']}::{row['method']}".lstrip(":") for row in table.to_pylist())
    assert names == trace.info()["methods"]
    assert table["call"].to_pylist() == [call.call for call in trace.calls()]
    with pytest.raises(reprise.Error, match="read once"):
        pyarrow.table(columns)


def test_textures_have_what_was_drawn(passes: Path) -> None:
    trace = reprise.open(passes)
    with trace.replay(program=PROGRAM) as replay:
        cleared = next(trace.calls(methods="BeginRenderPass"))
        ended = next(trace.calls(methods="EndRenderPass"))
        drawn = next(trace.calls(methods="DrawInstanced"))
        wanted = cleared.args["pRenderTargets"][0]["BeginningAccess"]["Clear"]["ClearValue"]["Color"]
        texture = replay.texture(call=drawn.call, target=0)
        values = texture.values
        assert (values.shape, texture.channels, texture.format) == ((32, 32, 4), "rgba", "R8G8B8A8_UNORM")
        # The draw leaves a part of what the pass cleared.
        assert (values == numpy.float32(wanted)).all(axis=2).any()
        assert not (values == numpy.float32(wanted)).all()
        assert numpy.asarray(texture).shape == values.shape
        # The first pass clears, and draws nothing.
        same, other = replay.run_to(drawn.call).read(
            [{"target": 0}, {"resource": texture.resource, "call": ended.call}]
        )
        assert isinstance(same, reprise.Texture) and same.data == texture.data
        assert isinstance(other, reprise.Texture) and (other.values == numpy.float32(wanted)).all()
        for x, y in [(0, 0), (16, 16), (31, 31)]:
            told = json.loads(
                said("show", passes, "--call", drawn.call, "--target", 0, "--pixel", f"{x},{y}", "--json")
            )
            assert told["pixels"][0]["values"] == values[y, x].tolist()


def test_meshes_have_the_places_of_their_vertices(passes: Path) -> None:
    trace = reprise.open(passes)
    draw = next(trace.calls(methods="DrawInstanced"))
    mesh = trace.replay(program=PROGRAM).mesh(call=draw.call)
    places = mesh.columns["SV_Position"]
    assert (mesh.position == places).all()
    assert places.shape == (mesh.about["vertices"], 4) and places.dtype == numpy.float32
    # A strip of four vertices is two triangles, on the rectangle that the picture has.
    assert places.shape[0] == 3 * (draw.args["VertexCountPerInstance"] - 2)
    texture = trace.replay(program=PROGRAM).texture(call=draw.call, target=0)
    clear = numpy.array([0, 1, 0, 1], dtype=numpy.float32)
    rows, columns = numpy.nonzero((texture.values != clear).any(axis=2))
    pixels = (places[:, :2] / places[:, 3:] * [1, -1] + 1) / 2 * [texture.width, texture.height]
    assert pixels.min(axis=0).round().tolist() == [columns.min(), rows.min()]
    assert pixels.max(axis=0).round().tolist() == [columns.max() + 1, rows.max() + 1]
    with pytest.raises(reprise.Error, match="call 3"):
        trace.replay(program=PROGRAM).mesh(call=3)


def test_commands_answer(passes: Path) -> None:
    replay = reprise.open(passes).replay(program=PROGRAM)
    verified = replay.ask("verify", "--runtime", "ours")
    assert len(verified) == 1 and verified[0]["compared_bytes"] > 0 and verified[0]["different_bytes"] == 0
    history = replay.ask("pixel", "--frame", 1, "--at", "3,3", "--values-only")
    assert history[0]["last"]["values"] == [1, 0, 0, 1]
    with pytest.raises(reprise.Error, match=r"pixel: .*frame"):
        replay.ask("pixel", "--frame", 1000, "--at", "3,3")


def test_buffers_have_their_bytes(passes: Path) -> None:
    trace = reprise.open(passes)
    copy = next(trace.calls(methods="CopyBufferRegion"))
    replay = trace.replay(program=PROGRAM).run_to(copy.call)
    source, target = copy.args["pSrcBuffer"]["id"], copy.args["pDstBuffer"]["id"]
    size = copy.args["NumBytes"]
    before = replay.buffer(source, first=copy.args["SrcOffset"], size=size)
    assert len(before) == size and replay.buffer(target, first=copy.args["DstOffset"], size=size) == before
    assert len(replay.buffer(target)) >= size


def test_what_is_wrong_is_named(passes: Path, tmp_path: Path) -> None:
    trace = reprise.open(passes)
    replay = trace.replay(program=PROGRAM)
    for wrong, words in [
        (lambda: trace.calls(methods="Drow*"), "no method is called Drow"),
        (lambda: trace.call(0), "there is no call 0"),
        (lambda: trace.call(10**6), "there is no call 1000000"),
        (lambda: trace.state(10**6), "no call 1000000"),
        (lambda: trace.state(5, object=10**6), "1000000"),
        (lambda: trace.calls(frames=0), "count from 1"),
        (lambda: trace.calls(calls=(2, 1)), "first stands first"),
        (lambda: trace.calls(methods=[]), "selects nothing"),
        (lambda: replay.ask("--version"), "no JSON"),
        (lambda: replay.mesh(call=45), "draw"),
        (lambda: replay.read(["sky"]), "mapping"),  # type: ignore[list-item]
        (lambda: replay.buffer(8, call=43, first=-1), "from 0"),
        (lambda: trace.replay(program="/none").texture(call=43, target=0), "cannot be run"),
        (lambda: trace.shader("sky"), "no hash of 32 digits"),
        (lambda: trace.shader("0" * 32), "there is no shader"),
        (lambda: trace.timings(), "reprise time --save"),
        (lambda: reprise.open(tmp_path / "none"), "none"),
        (lambda: reprise.open(__file__), "this is no trace"),
        (lambda: replay.texture(target=0), "which call"),
        (lambda: replay.texture(10**6, call=43), "no object 1000000"),
        (lambda: replay.texture(call=10**6, target=0), "no such call"),
        (lambda: replay.texture(call=43, target=7), "no target 7"),
        (lambda: trace.replay(program=PROGRAM, gpu="sky").texture(call=43, target=0), "sky"),
    ]:
        with pytest.raises(reprise.Error, match=words) as raised:
            wrong()  # type: ignore[no-untyped-call]
        assert len(str(raised.value)) > len(words)


def test_damage_is_raised_after_what_is_sound(tmp_path: Path) -> None:
    whole = BUNDLES.read_bytes()
    sound = [call.call for call in reprise.open(BUNDLES).calls()]
    file = tmp_path / "hurt.reprise"
    hurt = bytearray(whole)
    middle = len(whole) // 2
    hurt[middle : middle + 64] = bytes(64)
    file.write_bytes(hurt)
    seen = []
    with pytest.raises(reprise.Damaged, match=r"hurt\.reprise"):
        for call in reprise.open(file).calls():
            seen.append(call.call)
    assert set(seen) <= set(sound)
    # The program says the same of it. What has one answer has it in the exception.
    for ask in ("frames", "objects", "shaders", "findings"):
        with pytest.raises(reprise.Damaged) as raised:
            getattr(reprise.open(file), ask)()
        assert isinstance(raised.value.sound, list)
    with pytest.raises(Exception, match=r"hurt\.reprise"):
        pyarrow.table(reprise.open(file).columns())
    with pytest.raises(reprise.Damaged):
        reprise.open(file).replay(program=PROGRAM).ask("dump")
    told = subprocess.run([PROGRAM, "dump", "--json", file], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.returncode == 3 and seen == [line["call"] for line in lines if "call" in line]


def test_measured_times_are_rows(passes: Path) -> None:
    said("time", passes, "--save", "--counters", "--runs", "2")
    times = Path(f"{passes}.times")
    try:
        rows = reprise.open(passes).timings()
        assert reprise.open(passes).timings(times) == rows
        draws = [row for row in rows if row["method"] == "DrawInstanced"]
        assert len(draws) == len(list(reprise.open(passes).calls(methods="DrawInstanced")))
        assert all(row["gpu_ns"] > 0 and row["counts"]["vertices"] == 4 and row["pipeline"] for row in draws)
    finally:
        times.unlink()


def test_files_stay_the_same_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: Path) -> None:
    monkeypatch.chdir(passes.parent)
    trace = reprise.open(passes.name)
    monkeypatch.chdir(tmp_path)
    assert trace.path == passes
    assert trace.replay(program=PROGRAM).texture(call=43, target=0).width == 32


def test_many_traces_of_older_builds() -> None:
    files = [file for file in sorted(GOLDEN.parent.glob("v*/*.reprise")) if file.stem not in HURT]
    opened = [reprise.open(file) for file in files for _ in range(3)]
    names = [{call.method for call in trace.calls()} for trace in opened]
    assert len(opened) > 20 and not any(name.startswith("method ") for all_of in names for name in all_of)


def test_other_threads_run_and_iterators_may_be_left() -> None:
    trace = reprise.open(BUNDLES)
    wanted = [call.call for call in trace.calls()]
    found: list[list[int]] = []
    threads = [threading.Thread(target=lambda: found.append([call.call for call in trace.calls()])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        assert next(trace.calls()).call == wanted[0]
    gc.collect()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_readers_of_left_iterators_end() -> None:
    # Threads of readers end when nobody wants more: none is left when the interpreter ends.
    script = f"import reprise; trace = reprise.open({str(BUNDLES)!r}); next(trace.calls()); trace.columns()"
    subprocess.run(
        [sys.executable, "-c", script], check=True, timeout=60, env={**os.environ, "PYTHONFAULTHANDLER": "1"}
    )
