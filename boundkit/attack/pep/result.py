"""Result of an exact worst case, compared with its bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number

TOLERANCE = 2e-6
"""Relative accuracy of a value, as the solver leaves it."""

_DUST = 1e-8
"""Eigenvalues of the Gram matrix below this fraction of the largest do not count as dimensions."""


@dataclass(frozen=True, repr=False)
class WorstCase(Reported):
    """The largest value of a theorem's claim over its class, without noise, for one choice of parameters.

    ``value`` is the value of the dual program, which nothing in the class exceeds. ``attained`` is that of
    the primal, which a problem in ``dimension`` dimensions or fewer attains where the program is ``exact``;
    otherwise the worst case is at most ``value``. ``at_fixed_point``: whether it is over runs at a fixed
    point. ``terms`` are the bound's by label, and ``inside`` tells whether its conditions hold. ``unit`` is
    the claim's unit in the program, in which L and the largest other constant are 1.
    """

    theorem: str
    claim: str
    setting: Mapping[str, Any] = field(hash=False)
    assumed: tuple[str, ...]
    largest_step: bool
    inside: bool
    at_fixed_point: bool
    terms: Mapping[str, float] = field(hash=False)
    value: float
    attained: float
    exact: bool
    losses: int
    solver: str
    dimension: int
    conditions: int
    seconds: float
    unit: float

    @property
    def bound(self) -> float:
        """The theorem's bound: the sum of its terms."""
        return sum(self.terms.values())

    @property
    def ratio(self) -> float:
        """Worst case/bound: 1 where the bound is attained; inf where it is 0 and the worst case is not."""
        if self.bound == 0:
            return inf if self.value > 0 else 1.0
        return self.value / self.bound

    @property
    def slack(self) -> float:
        """Bound/worst case: how many times smaller the bound could be at this setting, at most."""
        return self.bound / self.value if self.value > 0 else inf

    @property
    def open(self) -> float:
        """Relative gap between primal and dual value."""
        return abs(self.value - self.attained) / self.value if self.value > 0 else 0.0

    @property
    def refutes(self) -> bool:
        """Whether an exact worst case inside the conditions exceeds the bound by more than the tolerance."""
        allowed = self.bound * (1 + max(TOLERANCE, self.open)) + _DUST * self.unit
        return self.exact and self.inside and self.attained > allowed

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON; an infinite ratio is None."""
        return {
            "theorem": self.theorem,
            "quantity": self.claim,
            "setting": dict(self.setting),
            "assumed": list(self.assumed),
            "at_rest": self.at_fixed_point,
            "inside": self.inside,
            "terms": dict(self.terms),
            "bound": self.bound,
            "worst_case": self.value,
            "attained": self.attained,
            "ratio": self.ratio if self.ratio < inf else None,
            "slack": self.slack if self.slack < inf else None,
            "exact": self.exact,
            "refutes": self.refutes,
            "tolerance": TOLERANCE,
            "dimension": self.dimension,
            "conditions": self.conditions,
            "solver": self.solver,
            "seconds": self.seconds,
        }

    def report(self) -> Report:
        """The terms, the bound, the worst case, their ratio, and notes."""
        table = Table(["", "value"], self._rows())
        return Report((Heading(self._title()), table, Sentences(self._notes())))

    def _title(self) -> str:
        return f"{self.theorem}: {self.claim}, without noise{', at rest' * self.at_fixed_point}"

    def _rows(self) -> list[list[str]]:
        return [
            *([label, format_number(value)] for label, value in self.terms.items()),
            ["bound", format_number(self.bound)],
            ["worst case" if self.exact else "worst case, at most", format_number(self.value)],
            ["bound/worst case" if self.exact else "bound/worst case, at least", format_number(self.slack)],
        ]

    def _notes(self) -> list[str]:
        notes = [self._kind(), self._verdict()]
        notes.append("setting: " + ", ".join(f"{n} = {_shown(v)}" for n, v in self.setting.items()))
        if self.largest_step:
            notes.append("step size: the largest eta that the theorem allows")
        if self.assumed:
            notes.append(f"assumed: {', '.join(self.assumed)}")
        return notes

    def _kind(self) -> str:
        dimensions = f"{self.dimension} dimension{'s' * (self.dimension != 1)}"
        if self.exact:
            over = (
                "all runs that come to rest, in all dimensions" if self.at_fixed_point else "all dimensions"
            )
            result = f"exact over {over}; a problem in at most {dimensions} attains it"
        else:
            result = "a relaxation: losses that need not be convex; their worst case is at most this"
        exactness = max(TOLERANCE, self.open)
        solved = f"{self.conditions} inequalities, {self.seconds:.1f} s, to a relative {exactness:.0e}"
        return f"{result} ({solved})"

    def _verdict(self) -> str:
        if not self.inside:
            return "the steps are OUTSIDE the conditions of the theorem, so the bound is not proved here"
        if self.refutes:
            return "REFUTED: the worst case lies above the bound"
        if self.value <= self.bound * (1 + max(TOLERANCE, self.open)):
            runs = " for every run that comes to rest" if self.at_fixed_point else ""
            return f"the bound holds over the whole class at this setting{runs}"
        return "the relaxation lies above the bound, which does not refute it"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return value if isinstance(value, str) else format_number(value)
