"""Mapped memory at a call: what a program wrote down of its memory at each submission is what the trace has there."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
import reprise
from built import GEARS, captured


def entries(log: bytes) -> list[tuple[int, bytes]]:
    """The number of a submission, and the bytes of a buffer that was mapped then."""
    head = b"reprise memory log 1\n"
    assert log.startswith(head)
    at, found = len(head), []
    while at < len(log):
        submission, _, size = (int.from_bytes(log[at + 8 * word : at + 8 * word + 8], "little") for word in range(3))
        found.append((submission, log[at + 24 : at + 24 + size]))
        at += 24 + size
    return found


def test_memory_is_what_the_program_had_there(traces: Path) -> None:
    log = traces / "writers.log"
    trace = reprise.open(captured(traces / "writers.reprise", "writers", "--memory-log", log))
    submissions = [call.call for call in trace.calls(methods="ExecuteCommandLists")]
    logged = entries(log.read_bytes())
    numbers = sorted({number for number, data in logged if any(data)})
    assert len(numbers) > 2
    for number in (numbers[0], numbers[len(numbers) // 2], numbers[-1]):
        memory = trace.memory(submissions[number - 1])
        wanted = [data for submission, data in logged if submission == number]

        def held(data: bytes, memory: reprise.Memory = memory) -> bool:
            return any(memory.bytes(place[0], size=len(data), subresource=place[1]) == data for place in memory.places)

        stored = [data for data in wanted if any(data)]
        assert stored and all(held(data) for data in stored)
        # One other byte, and nothing has these bytes.
        other = bytearray(stored[0])
        other[len(other) // 2] ^= 1
        assert not held(bytes(other))


def test_arrays_are_of_what_is_asked_for() -> None:
    trace = reprise.open(GEARS)
    last = trace.info(brief=True)["calls"]
    memory = trace.memory(last)
    resource, subresource = memory.places[0]
    ranges = memory.known(resource, subresource)
    end = sum(ranges[-1])
    whole = memory.array(resource)
    assert whole.dtype == numpy.uint8 and whole.size == end
    assert whole.tobytes() == memory.bytes(resource)
    floats = memory.array(resource, "<f4", first=4, size=9)
    # Of nine bytes two are whole floats.
    assert floats.shape == (2,) and floats.tobytes() == whole[4:12].tobytes()
    own = trace.memory(last, resource)
    assert {place for place, _ in own.places} == {resource} and own.bytes(resource) == memory.bytes(resource)
    # Later calls find more.
    assert trace.memory(1).places == []
    assert memory.bytes(resource, first=end, size=8) == bytes(8)
    for ask, words in [
        (lambda: trace.memory(0), "no call 0"),
        (lambda: trace.memory(10**6), "no call 1000000"),
        (lambda: memory.bytes(10**6), "resource 1000000"),
        (lambda: memory.known(resource, 99), "subresource 99"),
        (lambda: memory.bytes(resource, first=2**63, size=2**63), "no room"),
    ]:
        with pytest.raises(reprise.Error, match=words):
            ask()  # type: ignore[no-untyped-call]
