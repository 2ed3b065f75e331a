"""The nodes of a run, as its driver sees them: what each offers, what our jobs take of it, and why one is left alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from .job import Job

SLACK = 1e-9


@dataclass
class Node:
    id: str
    name: str
    total: dict[str, float]
    used: dict[str, float] = field(default_factory=dict)
    excluded: str | None = None
    """Why no job goes there any more."""
    dead: bool = False

    def offers(self, needs: dict[str, float]) -> bool:
        """Whether an idle node of this kind could run it."""
        return all(self.total.get(key, 0.0) + SLACK >= amount for key, amount in needs.items())

    def fits(self, needs: dict[str, float]) -> bool:
        """Whether it can run it now, beside what it runs."""
        return all(self.total.get(key, 0.0) - self.used.get(key, 0.0) + SLACK >= amount for key, amount in needs.items())

    def take(self, needs: dict[str, float], sign: int = 1) -> None:
        for key, amount in needs.items():
            self.used[key] = self.used.get(key, 0.0) + sign * amount

    @property
    def load(self) -> float:
        total = self.total.get("CPU", 0.0)
        return self.used.get("CPU", 0.0) / total if total else 1.0

    @property
    def usable(self) -> bool:
        return not self.dead and self.excluded is None


def needs_of(job: Job, cpus: float) -> dict[str, float]:
    needs = {"CPU": cpus} | job.resources()
    if job.gpu.memory_mib:
        needs["memory"] = float(job.gpu.memory_mib << 20)
    return needs


def choose(nodes: list[Node], needs: dict[str, float], without: set[str]) -> Node | None:
    """The least loaded node that can run it now."""
    able = [node for node in nodes if node.usable and node.id not in without and node.fits(needs)]
    return min(able, key=lambda node: (node.load, node.id), default=None)


def why_nowhere(nodes: list[Node], needs: dict[str, float]) -> str | None:
    """Why no node will ever run it; None where one can."""
    offering = [node for node in nodes if node.offers(needs)]
    if any(node.usable for node in offering):
        return None
    if offering:
        return "; ".join(f"{node.name}: {node.excluded or 'died'}" for node in offering)
    words = ", ".join(f"{amount:g} of {key}" for key, amount in sorted(needs.items()))
    return f"no node offers {words}"
