"""Which traces endanger a GPU. Pure: what happened goes in, what to do comes out.

A stop of the GPU takes along what runs beside it, so a stop, a timeout or a failure beside one counts only when the job
had run alone. A job whose machine died is a suspect; after two deaths it runs alone, and after a third it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import outcome

SUSPECT = 2
"""Deaths of machines under a job, after which it runs alone and last."""


@dataclass
class Quarantine:
    machine_retries: int = 3
    deaths: dict[str, int] = field(default_factory=dict)
    alone: dict[str, str] = field(default_factory=dict)
    """Jobs that run alone and last, each with the reason."""

    def died(self, job: str, reason: str) -> str | None:
        """A machine died under this job. None: play it again; otherwise the reason why it is left out."""
        count = self.deaths[job] = self.deaths.get(job, 0) + 1
        if count > self.machine_retries:
            return f"{count} machines died while they played it: {reason}"
        if count >= SUSPECT:
            self.alone.setdefault(job, f"{count} machines died while they played it")
        return None

    def ended(self, job: str, verdict: str, was_alone: bool, beside: list[tuple[str, str]]) -> tuple[bool, list[str]]:
        """Whether the result counts, and whose results of those beside it (job, outcome) do not count any more."""
        if verdict not in outcome.ENDANGERS or was_alone:
            return True, []
        self.alone.setdefault(job, f"{verdict}: it endangers its GPU")
        victims = [other for other, had in beside if had != outcome.PASS]
        for other in victims:
            self.alone.setdefault(other, "failed beside a job that endangers its GPU")
        return False, victims
