"""What goes wrong in a replay or an edit, with the file, the call and the reason as attributes."""

from __future__ import annotations

from typing import Any, Optional

from ._reprise import Error


class ReplayError(Error):
    """A replay, or a question to it, failed."""

    file: str
    """The trace."""
    call: Optional[int]
    """The call that it is about."""
    reason: str
    """Why, without the two before."""

    def __init__(self, file: object, call: Optional[int], reason: str) -> None:
        super().__init__(f"{file}: {reason}" if call is None else f"{file}: call {call}: {reason}")
        self.file, self.call, self.reason = str(file), call, reason

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes get it whole.
        return type(self), (self.file, self.call, self.reason)


class Passed(ReplayError):
    """The replay is beyond this call: it goes forward only. `restart()` begins anew."""


class Ended(ReplayError):
    """The replay is over: it failed, its block was left, or it was closed."""


class Crashed(Ended):
    """The process of the replay died, by a driver or by a signal."""


class EditRefused(Error):
    """An edit is none, or cannot be done; nothing was written."""

    file: str
    """The trace."""
    edit: Optional[str]
    """The text of the edit."""
    call: Optional[int]
    """The call that is the reason."""
    reason: str
    """Why, as a sentence."""

    def __init__(self, file: object, edit: Optional[str], call: Optional[int], reason: str) -> None:
        of = "" if edit is None else f" ({edit})"
        super().__init__(f"{file}{of}: {reason}" if call is None else f"{file}{of}: call {call}: {reason}")
        self.file, self.edit, self.call, self.reason = str(file), edit, call, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.edit, self.call, self.reason)
