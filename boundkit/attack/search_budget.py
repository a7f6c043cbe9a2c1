"""Budget of a search: seconds, or a number of evaluations, which is the same on every machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from numbers import Integral, Real

from boundkit.algebra import BoundkitError


def refuse_limits(budget: object, evaluations: object, seed: object) -> None:
    """Raise BoundkitError for a budget that is not finite and positive, and for an invalid seed."""
    if not isinstance(budget, Real) or not 0 < float(budget) < inf:
        raise BoundkitError(f"the budget must be finite and above 0 seconds, but it is {budget!r}.")
    for name, value, least in (("evaluations", evaluations, 1), ("seed", seed, 0)):
        if value is None and name == "evaluations":
            continue
        if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
            raise BoundkitError(f"{name} must be a whole number, at least {least}, but it is {value!r}.")


class BudgetExhausted(Exception):
    """The budget of the search is exhausted."""


class Clock:
    """Counts evaluations against a budget of seconds, or against a number of them."""

    def __init__(
        self, budget: float, evaluations: int | None, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self.budget, self.evaluations, self.progress = budget, evaluations, progress
        self.begun, self.done = time.monotonic(), 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.begun

    @property
    def part(self) -> float:
        """The used fraction of the budget."""
        if self.evaluations is not None:
            return self.done / max(self.evaluations, 1)
        return self.seconds / max(self.budget, 1e-9)

    def tick(self) -> None:
        """Begin one evaluation. Raises Over where the budget is exhausted."""
        if self.done == 1:  # the first has loaded what all need, which takes seconds
            self.begun = time.monotonic()
        if self.done and self.part >= 1:
            raise BudgetExhausted
        self.done += 1
        if self.progress is not None:
            self.progress(*self._progress())

    def _progress(self) -> tuple[int, int]:
        if self.evaluations is not None:
            return self.done, self.evaluations
        return min(round(1000 * self.part), 1000), 1000
