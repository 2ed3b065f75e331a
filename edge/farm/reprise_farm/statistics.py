"""Slower or faster: ratios of times with confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDS = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Ratio:
    """New time through old time, and the interval in which it lies with a confidence of 95 %."""

    value: float
    low: float
    high: float

    @property
    def word(self) -> str:
        if self.low > 1.0:
            return "slower"
        return "faster" if self.high < 1.0 else "same"


def ratio(new: list[float], old: list[float]) -> Ratio | None:
    """The ratio of medians, by the bootstrap: times of replays have long tails, so no normal distribution is assumed.

    None with fewer than three times (seconds) on a side: there is no interval then. The seed is fixed, so equal times
    give equal pages.
    """
    if len(new) < 3 or len(old) < 3 or min(*new, *old) <= 0:
        return None
    random = np.random.default_rng(1)
    a, b = np.asarray(new), np.asarray(old)
    news = np.median(random.choice(a, (ROUNDS, len(a))), axis=1)
    olds = np.median(random.choice(b, (ROUNDS, len(b))), axis=1)
    low, high = np.quantile(news / olds, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Ratio(float(np.median(a) / np.median(b)), float(low), float(high))
