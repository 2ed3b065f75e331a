"""A replay that is led: at each stop it has what a replay from the beginning has there, and it ends when it is to."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reprise
from built import BUNDLES, GEARS, PROGRAM, captured


def draws_of(trace: reprise.Trace) -> list[int]:
    return [call.call for call in trace.calls(methods="Draw*")]


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def process_of(replay: reprise.Replay) -> int:
    steps = replay._steps
    assert steps is not None
    return int(steps._process.pid)


@pytest.mark.parametrize("name", ["gears", "passes", "bundles"])
def test_each_stop_has_what_a_replay_from_the_beginning_has(name: str, passes: Path) -> None:
    trace = reprise.open({"gears": GEARS, "passes": passes, "bundles": BUNDLES}[name])
    fresh = trace.replay(program=PROGRAM)
    with trace.replay(program=PROGRAM) as replay:
        seen = []
        for draw in replay.draws(methods="Draw*"):
            assert replay.call == draw.call
            if name == "bundles" and not replay.targets():
                # A bundle draws to the targets of the list that runs it.
                seen.append((draw.call, replay.texture(target=0).data))
            seen += [(draw.call, target.data) for slot, target in replay.targets().items() if slot == 0]
        assert [call for call, _ in seen] == draws_of(trace)
        # Several draws of one list are seen in the one replay.
        assert replay.restarts == 0
    wanted = fresh.read([{"call": call, "target": 0} for call, _ in seen])
    for (_, data), texture in zip(seen, wanted):
        assert isinstance(texture, reprise.Texture) and texture.data == data
    # What a draw leaves is not what the last one leaves.
    assert len({data for _, data in seen}) > 1


def test_what_is_asked_where_the_list_has_run_takes_another_replay() -> None:
    trace = reprise.open(GEARS)
    fresh, draw = trace.replay(program=PROGRAM), draws_of(trace)[2]
    with trace.replay(program=PROGRAM).run_to(draw) as replay:
        target = replay.texture(target=0)
        assert replay.restarts == 0
        assert replay.texture(target.resource).data == target.data == fresh.texture(call=draw, target=0).data
        assert replay.restarts == 1
        # Both are looked at in the one that began anew.
        assert replay.texture(target=0).data == target.data and replay.restarts == 1
        depth = replay.depth()
        wanted = fresh.texture(call=draw, depth=True)
        assert depth is not None and depth.data == wanted.data and depth.data != target.data


def test_a_stop_is_before_or_after_its_call(passes: Path) -> None:
    trace = reprise.open(passes)
    fresh = trace.replay(program=PROGRAM)
    copy = next(trace.calls(methods="CopyBufferRegion"))
    target, size = copy.args["pDstBuffer"]["id"], copy.args["NumBytes"]
    first = copy.args["DstOffset"]
    with trace.replay(program=PROGRAM) as replay:
        before = replay.run_to(copy.call, before=True).buffer(target, first=first, size=size)
        after = replay.run_to(copy.call).buffer(target, first=first, size=size)
    assert before == fresh.buffer(target, call=copy.call, before=True, first=first, size=size)
    assert after == fresh.buffer(target, call=copy.call, first=first, size=size)
    gears = reprise.open(GEARS)
    draw = draws_of(gears)[2]
    with gears.replay(program=PROGRAM) as replay:
        found = replay.run_to(draw, before=True).texture(target=0)
        # The list has run now.
        left = replay.run_to(draw).texture(target=0)
    assert found.data == gears.replay(program=PROGRAM).texture(call=draw, target=0, before=True).data
    assert left.data == gears.replay(program=PROGRAM).texture(call=draw, target=0).data != found.data


def test_calls_of_queues_are_stops_where_all_that_was_submitted_is_done(passes: Path) -> None:
    trace = reprise.open(passes)
    fresh = trace.replay(program=PROGRAM)
    with trace.replay(program=PROGRAM) as replay:
        target = replay.run_to(next(trace.calls(methods="DrawInstanced")).call).texture(target=0).resource
        seen = set()
        for call in trace.calls(methods="ExecuteCommandLists"):
            at = replay.run_to(call.call).texture(target)
            assert at.data == fresh.texture(target, call=call.call).data
            seen.add(at.data)
            # There it may be asked for whatever comes to mind.
            assert replay.texture(target, mip=0).data == at.data
        assert len(seen) > 1 and replay.restarts == 0
        assert replay.targets() == {} and replay.depth() is None


def test_replays_go_forward_only() -> None:
    trace = reprise.open(GEARS)
    draws = draws_of(trace)
    with trace.replay(program=PROGRAM) as replay:
        replay.run_to(draws[1])
        for back in (lambda: replay.run_to(draws[0]), lambda: replay.run_to(draws[1], before=True), replay.draws):
            with pytest.raises(reprise.Passed, match=r"restart\(\)") as raised:
                back()
            assert raised.value.call is not None and raised.value.call <= draws[1]
            assert raised.value.file == str(GEARS) and raised.value.reason in str(raised.value)
        first = replay.restart().run_to(draws[0]).texture(target=0)
        assert first.data == trace.replay(program=PROGRAM).texture(call=draws[0], target=0).data


def test_what_is_wrong_does_not_end_it(passes: Path) -> None:
    trace = reprise.open(passes)
    draw = next(trace.calls(methods="DrawInstanced")).call
    with trace.replay(program=PROGRAM).run_to(draw) as replay:
        wrong: list[tuple[Callable[[], Any], str]] = [
            (lambda: replay.texture(10**6), "no object 1000000"),
            (lambda: replay.texture(target=7), "no target 7"),
            (lambda: replay.texture(target=0, before=True), r"before=True\) stops before"),
            (lambda: replay.run_to(10**6), "there is no call 1000000"),
            (lambda: replay.buffer(8), "texture"),
        ]
        for ask, words in wrong:
            with pytest.raises(reprise.ReplayError, match=words) as raised:
                ask()
            assert not isinstance(raised.value, reprise.Ended)
        assert replay.texture(target=0).width == 32


@pytest.fixture(scope="module")
def blending(traces: Path) -> Path:
    return captured(traces / "blending.reprise", "blending", "--shaders", "dxil")


def test_what_was_refused_is_not_asked_again(blending: Path) -> None:
    trace = reprise.open(blending)
    draw = draws_of(trace)[0]
    wanted = trace.replay(program=PROGRAM).texture(call=draw, target=0)
    with trace.replay(program=PROGRAM).run_to(draw) as replay:
        assert replay.texture(target=0).data == wanted.data
        for _ in range(2):
            with pytest.raises(reprise.ReplayError, match="--mip is nothing for --target"):
                replay.texture(target=0, mip=1)
            assert replay.texture(target=0).data == wanted.data and replay.restarts == 0
        assert replay.texture(wanted.resource).data == wanted.data
    # Nor does what was only named in advance keep others from being answered.
    with trace.replay(program=PROGRAM).run_to(draw, look=[{"target": 0, "mip": 1}, {"target": 0}]) as replay:
        assert replay.texture(target=0).data == wanted.data
        with pytest.raises(reprise.ReplayError, match="--mip is nothing for --target"):
            replay.texture(target=0, mip=1)


def test_a_replay_that_begins_anew_looks_at_nothing_of_before(blending: Path) -> None:
    trace = reprise.open(blending)
    draw = draws_of(trace)[0]
    with trace.replay(program=PROGRAM).run_to(draw) as replay:
        target = replay.texture(target=0)
        replay.restart().run_to(draw)
        assert replay._known == {}
        assert replay.texture(target.resource).data == target.data
        assert list(replay._known.values()) == [{"resource": target.resource}]


def test_draws_begin_right_after_where_it_stands() -> None:
    trace = reprise.open(GEARS)
    draws = draws_of(trace)
    fresh = trace.replay(program=PROGRAM)
    for before in (True, False):
        with trace.replay(program=PROGRAM).run_to(draws[1], before=before) as replay:
            seen = [(draw.call, replay.texture(target=0).data) for draw in replay.draws(calls=(draws[1], draws[2]))]
            assert [call for call, _ in seen] == draws[1:3]
            assert [data for _, data in seen] == [fresh.texture(call=call, target=0).data for call in draws[1:3]]
    with trace.replay(program=PROGRAM).run_to(draws[1] + 1, before=True) as replay, pytest.raises(reprise.Passed):
        replay.draws(calls=(draws[1], draws[2]))


def test_no_bytes_are_no_bytes(passes: Path) -> None:
    trace = reprise.open(passes)
    copy = next(trace.calls(methods="CopyBufferRegion"))
    buffer = copy.args["pDstBuffer"]["id"]
    fresh = trace.replay(program=PROGRAM)
    assert fresh.buffer(buffer, call=copy.call, size=0) == b""
    with fresh.run_to(copy.call) as replay:
        assert replay.buffer(buffer, first=4, size=0) == b""
        assert len(replay.buffer(buffer, size=1)) == 1
    with pytest.raises(reprise.Ended):
        replay.buffer(buffer, size=0)


@pytest.mark.parametrize(("ending", "kind"), [("kill -ABRT $$", "Crashed"), ("exit 9", "Ended")])
def test_half_a_line_is_the_end_of_the_process(tmp_path: Path, ending: str, kind: str) -> None:
    program = tmp_path / "reprise"
    program.write_text(f'#!/bin/sh\nread -r line <&0\nprintf \'{{"stop": {{"ca\' >&0\n{ending}\n')
    program.chmod(0o755)
    trace = reprise.open(GEARS)
    with pytest.raises(reprise.Ended) as raised:
        trace.replay(program=program).run_to(draws_of(trace)[0])
    assert type(raised.value).__name__ == kind and raised.value.call == draws_of(trace)[0]


def test_it_ends_with_its_block_and_says_so(passes: Path) -> None:
    trace = reprise.open(passes)
    draw = next(trace.calls(methods="DrawInstanced")).call
    with trace.replay(program=PROGRAM).run_to(draw) as replay:
        process = process_of(replay)
        assert is_there(process)
    assert not is_there(process)
    for ask in (
        lambda: replay.run_to(draw + 1),
        lambda: replay.texture(target=0),
        lambda: replay.texture(call=draw, target=0),
        lambda: replay.mesh(call=draw),
        lambda: replay.ask("info"),
        replay.draws,
        replay.restart,
    ):
        with pytest.raises(reprise.Ended, match="its block was left"):
            ask()
    # Nobody has to leave a block.
    left = trace.replay(program=PROGRAM).run_to(draw)
    process = process_of(left)
    del left
    assert not is_there(process)


def test_an_interrupt_ends_the_replay_and_its_process() -> None:
    trace = reprise.open(GEARS)
    replay = trace.replay(program=PROGRAM).run_to(draws_of(trace)[0])
    process = process_of(replay)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            # The process does not answer while it stands still.
            os.kill(process, signal.SIGSTOP)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            replay.run_to(draws_of(trace)[1])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert not is_there(process)
    with pytest.raises(reprise.Ended, match="KeyboardInterrupt"):
        replay.texture(target=0)


def test_a_crash_is_an_exception() -> None:
    trace = reprise.open(GEARS)
    draws = draws_of(trace)
    replay = trace.replay(program=PROGRAM).run_to(draws[0])
    os.kill(process_of(replay), signal.SIGABRT)
    with pytest.raises(reprise.Crashed, match="SIGABRT") as raised:
        replay.run_to(draws[1])
    assert (raised.value.call, raised.value.file) == (draws[1], str(GEARS))
    with pytest.raises(reprise.Ended, match="SIGABRT"):
        replay.run_to(draws[2])
    # Another process gets it whole.
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.call) == (reprise.Crashed, str(raised.value), draws[1])
    for wrong, words in [({"gpu": "sky"}, "sky"), ({"runtime": "/none.so"}, "none"), ({"program": "/bin/false"}, "1")]:
        options: dict[str, Any] = {"program": PROGRAM, **wrong}
        with pytest.raises(reprise.ReplayError, match=words):
            trace.replay(**options).run_to(draws[0])


def test_damage_ends_it(tmp_path: Path) -> None:
    whole = BUNDLES.read_bytes()
    file = tmp_path / "hurt.reprise"
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes(64) + whole[middle + 64 :])
    trace = reprise.open(file)
    calls = []
    with pytest.raises(reprise.Damaged):
        calls += [call.call for call in trace.calls()]
    # A comprehension keeps nothing of what raised.
    call = next(reprise.open(BUNDLES).calls(methods="ExecuteCommandLists")).call
    with trace.replay(program=PROGRAM) as replay:
        with pytest.raises(reprise.Error, match=r"hurt\.reprise") as raised:
            replay.run_to(call)
        if isinstance(raised.value, reprise.Damaged):
            # It is told once, and the replay stands there.
            assert replay.call == call and replay.run_to(call).call == call


def test_other_threads_run_while_it_waits() -> None:
    trace = reprise.open(GEARS)
    replay = trace.replay(program=PROGRAM).run_to(draws_of(trace)[0])
    process = process_of(replay)
    os.kill(process, signal.SIGSTOP)
    asking = threading.Thread(target=lambda: replay.run_to(draws_of(trace)[1]))
    asking.start()
    time.sleep(0.1)
    assert asking.is_alive()
    os.kill(process, signal.SIGCONT)
    asking.join(30)
    assert not asking.is_alive() and replay.call == draws_of(trace)[1]
