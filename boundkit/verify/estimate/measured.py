"""A number that was measured of a problem: its interval, where it was measured, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boundkit.verify.constant import Constant


@dataclass(frozen=True)
class Measured:
    """``value`` in [``low``, ``high``], measured at ``where``; ``how`` says what the interval is."""

    value: float
    low: float
    high: float
    where: str
    how: str

    def constant(self) -> Constant:
        """What a theorem is asked with: the value, no more than estimated.

        >>> Measured(2.0, 1.9, 2.1, "x_0", "a look").constant()
        Constant(value=2.0, trust='estimated', how='a look; at x_0')
        """
        return Constant(self.value, "estimated", f"{self.how}; at {self.where}")

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an end that is not finite is null."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        finite = {n: v if abs(v) < float("inf") else None for n, v in ends.items()}
        return {**finite, "where": self.where, "how": self.how}


def exactly(value: float, where: str, how: str) -> Measured:
    """A number that is exact where it was measured."""
    return Measured(value, value, value, where, how)
