"""A replay that goes forward from stop to stop, in a process of its own (`reprise steps`).

Both sides speak through a socket: lines of JSON, and bytes behind those that say so.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._reprise import Damaged
from .errors import Crashed, Ended, Passed, ReplayError

DAMAGED = 3
"""How the program ends where it cannot read all of the trace."""
COMPLAINS = "reprise: "
"""What stands before what the program says is wrong."""
PATIENCE = 5.0
"""Seconds for the process to end by itself."""


def in_words(said: str) -> str:
    """What the program says is wrong."""
    said = said.strip()
    return said[len(COMPLAINS) :] if said.startswith(COMPLAINS) else said


class Steps:
    """The process. Whatever interrupts a question ends it: half an answer may be on its way."""

    def __init__(self, file: object, words: Sequence[str]) -> None:
        self._file = file
        # A question and its answer are one thread's.
        self._lock = threading.Lock()
        self._said = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        own, other = socket.socketpair()
        try:
            with other:
                # A session of its own: who presses Ctrl+C interrupts Python, which ends the process.
                self._process = subprocess.Popen(
                    words, stdin=other.fileno(), stdout=self._said, stderr=self._said, start_new_session=True
                )
        except OSError as wrong:
            own.close()
            self._said.close()
            raise ReplayError(file, None, f"{words[0]} cannot be run: {wrong}") from wrong
        self._socket = own
        self._lines = own.makefile("rb")

    def run_to(self, call: int, before: bool) -> int:
        """Goes on to a call. Gives how many pieces of the trace are damaged, as far as it was read."""
        answer, _ = self._ask(call, {"do": "run", "call": call, "before": before})
        if "stop" not in answer:
            raise self._wrong(call, answer)
        return int(answer.get("damaged", 0))

    def look(self, wishes: Sequence[Mapping[str, Any]]) -> None:
        """Says what is asked for later, so that it is looked at when the replay is there."""
        answer, _ = self._ask(None, {"do": "look", "of": list(wishes)})
        if "looked" not in answer:
            raise self._wrong(None, answer)

    def get(self, wish: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes]:
        """What a wish shows, and its bytes. `Passed` where the replay is beyond it and was not told before."""
        answer, data = self._ask(int(wish["call"]), {"do": "get", "wish": wish})
        if "follows" not in answer:
            raise self._wrong(int(wish["call"]), answer)
        return answer, data

    def close(self) -> None:
        """Ends the process, which waits for a question; one that does not end is killed."""
        with contextlib.suppress(OSError):
            self._socket.sendall(b'{"do": "end"}\n')
        self._lines.close()
        self._socket.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._kill()
        self._said.close()

    def kill(self) -> None:
        """Kills the process, wherever it is."""
        self._lines.close()
        self._socket.close()
        self._kill()
        self._said.close()

    def _kill(self) -> None:
        # What it started (translators of shaders) is in its session, and reads from it.
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _ask(self, call: Optional[int], request: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes]:
        asked = json.dumps(request).encode() + b"\n"
        with self._lock:
            try:
                self._socket.sendall(asked)
                line = self._lines.readline()
                answer: Mapping[str, Any] = json.loads(line) if line else {}
                data = self._lines.read(int(answer.get("follows", 0)))
            except (OSError, ValueError):
                # A line that is no JSON was cut: the process died while it wrote.
                line, answer, data = b"", {}, b""
        if not line or len(data) != answer.get("follows", 0):
            raise self._died(call)
        return answer, data

    def _wrong(self, call: Optional[int], answer: Mapping[str, Any]) -> Exception:
        if "passed" in answer:
            passed = answer["passed"]
            return Passed(
                self._file, call, f"the replay is at call {passed} already and goes forward only: restart() begins anew"
            )
        reason = str(answer.get("error", "the trace ends before"))
        if answer.get("code") == DAMAGED:
            return Damaged(f"{self._file}: {reason}")
        if answer.get("ended"):
            return Ended(self._file, call, f"the replay ended before: {reason}")
        return ReplayError(self._file, call, reason)

    def _died(self, call: Optional[int]) -> ReplayError:
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._kill()
            code = self._process.returncode
        self._said.seek(0)
        said = in_words(self._said.read())
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        reason = f"the process of the replay {how}"
        if code == DAMAGED and said:
            raise Damaged(said)
        return (Crashed if code < 0 else Ended)(self._file, call, f"{reason}: {said}" if said else reason)
