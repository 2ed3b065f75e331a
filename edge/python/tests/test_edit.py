"""Edits, pixels and shaders by the module."""

from __future__ import annotations

from pathlib import Path

import pytest
import reprise
from built import BUNDLES, GEARS, PROGRAM, captured


def test_an_edited_trace_lacks_the_draw(tmp_path: Path) -> None:
    trace = reprise.open(GEARS)
    draws = [call.call for call in trace.calls(methods="Draw*")]
    edits = [f"call {draws[0]}: drop", f"call {draws[1]}: drop"]
    assert trace.check_edit(*edits, program=PROGRAM)["dropped_calls"] == 2
    edited = trace.edit(*edits, output=tmp_path / "without.reprise", program=PROGRAM)
    assert edited.path == tmp_path / "without.reprise"
    assert len(list(edited.calls(methods="Draw*"))) == len(draws) - 2
    with trace.replay(program=PROGRAM) as whole, edited.replay(program=PROGRAM) as without:
        last = [next(one.calls(methods="ExecuteCommandLists")).call for one in (trace, edited)]
        target = whole.run_to(draws[0]).texture(target=0).resource
        assert whole.run_to(last[0]).texture(target).data != without.run_to(last[1]).texture(target).data


def test_edits_that_cannot_be_done_are_named(tmp_path: Path) -> None:
    trace = reprise.open(GEARS)
    draw = next(trace.calls(methods="DrawInstanced")).call if list(trace.calls(methods="DrawInstanced")) else 91
    output = tmp_path / "none.reprise"
    for edits, edit, words in [
        ([f"call {draw}: drop", "call 10000000: drop"], "call 10000000: drop", "10000000"),
        ([f"call {draw}: drp"], f"call {draw}: drp", "column"),
        (["call 1: drop"], "call 1: drop", "."),
    ]:
        with pytest.raises(reprise.EditRefused, match=words) as raised:
            trace.edit(*edits, output=output, program=PROGRAM)
        assert (raised.value.edit, raised.value.file) == (edit, str(GEARS)) and raised.value.reason
        assert not output.exists()
    output.write_bytes(b"mine")
    with pytest.raises(reprise.EditRefused, match=r"replace it with force=True$"):
        trace.edit(f"call {draw}: drop", output=output, program=PROGRAM)
    assert output.read_bytes() == b"mine"
    trace.edit(f"call {draw}: drop", output=output, force=True, program=PROGRAM)
    with pytest.raises(reprise.Error, match="cannot be run"):
        trace.edit(f"call {draw}: drop", output=output, program="/none")


def test_a_pixel_has_its_history(passes: Path) -> None:
    trace = reprise.open(passes)
    history = trace.pixel(3, 3, frame=1, values_only=True, program=PROGRAM)
    assert history["last"]["values"] == [1, 0, 0, 1]
    with pytest.raises(reprise.ReplayError, match="frame"):
        trace.pixel(3, 3, frame=1000, program=PROGRAM)


def test_a_shader_has_its_steps(traces: Path) -> None:
    trace = reprise.open(captured(traces / "compute.reprise", "compute"))
    dispatch = next(trace.calls(methods="Dispatch")).call
    record = trace.debug(dispatch, thread=(5, 0, 0), program=PROGRAM)
    assert record["steps"] and record["call"] == dispatch
    with pytest.raises(reprise.ReplayError, match="thread") as raised:
        trace.debug(dispatch, thread=(10**6, 0, 0), program=PROGRAM)
    assert raised.value.call == dispatch


def test_a_pixel_of_a_draw_has_its_steps() -> None:
    trace = reprise.open(BUNDLES)
    assert "Draw" in next(trace.calls(methods="Draw*")).method
    with pytest.raises(reprise.ReplayError):
        trace.debug(3, pixel=(1, 1), program=PROGRAM)
