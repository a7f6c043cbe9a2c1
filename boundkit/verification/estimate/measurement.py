"""A measured constant of a problem: its interval, the place of the measurement, and the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boundkit.simulation.constant import Constant


@dataclass(frozen=True)
class MeasuredConstant:
    """``value`` in [``low``, ``high``], measured at ``where``; ``how`` describes method and interval."""

    value: float
    low: float
    high: float
    where: str
    how: str

    def cells(self) -> list[str]:
        """The row of a table: value, from, to, where and how."""
        return [f"{self.value:.6g}", f"{self.low:.6g}", f"{self.high:.6g}", self.where, self.how]

    def _repr_html_(self) -> str:
        from boundkit.report.html import html_table

        return html_table(COLUMNS, [self.cells()])

    def constant(self) -> Constant:
        """The value as an estimated constant, for a theorem.

        >>> MeasuredConstant(2.0, 1.9, 2.1, "x_0", "a measurement").constant()
        Constant(value=2.0, trust='estimated', how='a measurement; at x_0')
        """
        return Constant(self.value, "estimated", f"{self.how}; at {self.where}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON, with None for an infinite end."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        finite = {n: v if abs(v) < float("inf") else None for n, v in ends.items()}
        return {**finite, "where": self.where, "how": self.how}


COLUMNS = ["value", "from", "to", "measured at", "how"]
"""The header of the cells of a measured constant."""


class Estimates(dict[str, MeasuredConstant]):
    """Measured constants by keyword; a dict that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from boundkit.algebra.notation import ALPHABET
        from boundkit.report.html import html_table

        units = {n: str(ALPHABET[n].dimension) if n in ALPHABET else "" for n in self}
        rows = [[name, units[name], *constant.cells()] for name, constant in self.items()]
        return html_table(["constant", "unit", *COLUMNS], rows)


def exact_at_points(value: float, where: str, how: str) -> MeasuredConstant:
    """A constant that is exact at the points of its measurement."""
    return MeasuredConstant(value, value, value, where, how)
