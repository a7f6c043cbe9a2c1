"""Costs of a round for the compared methods, at a point or in symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, m, tau
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.costs import Cost, CostRow, costs_of_theorem
from boundkit.analysis.costs.cost import candidates
from boundkit.analysis.costs.parameters import check, number, quantities
from boundkit.report.formatting import format_number

HEADER = ["costs of a round", "numbers down", "numbers up", "gradients", "memory at the server"]

_MEANS: dict[str, Quantity] = {"tau_i": tau, "q_i": C}
"""Quantities of costs that are means over heterogeneous clients."""


@dataclass(frozen=True, eq=False)
class Line:
    """A variant of a theorem's method, its values (none: symbols), and those of them that were assumed."""

    theorem: str
    row: CostRow
    assumed: tuple[str, ...]

    @property
    def counted(self) -> tuple[Expr, ...]:
        """Down, up and gradients of all clients of a round together, and what the server keeps."""
        together = self.row.cost.round()
        return (together["down"], together["up"], together["gradients"], self.row.cost.server)

    def cells(self) -> list[str]:
        """The row of a table at a point."""
        numbers = [self.row.number(expr) for expr in self.counted]
        return [
            f"{self.theorem}: {self.row.cost.name}",
            *("" if value is None else format_number(value) for value in numbers),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        values = {"parameters": dict(self.row.values), "assumed": list(self.assumed)}
        return {"theorem": self.theorem, **self.row.to_dict(), **values}


def lines(
    theorems: Sequence[Theorem], values: Mapping[str, float], assumed: Sequence[str], at_a_point: bool
) -> tuple[Line, ...]:
    """A line for each variant of each theorem's method.

    A letter that the comparison does not know takes the mean of what was given of the clients (tau_i, q_i),
    else its typical value. Raises BoundkitError for given letters of costs that cannot be true together.
    """
    result = []
    for theorem in theorems:
        for cost in costs_of_theorem(theorem):
            given_values, defaults = _values(cost, theorem, values, assumed) if at_a_point else ({}, ())
            result.append(Line(theorem.name, CostRow(cost, given_values), defaults))
    return tuple(result)


def cost_parameters(
    theorems: Sequence[Theorem], given: Mapping[str, object], given_values: set[str]
) -> dict[str, float]:
    """The values of quantities that occur in costs but in no bound: d, or batch.

    Raises BoundkitError for a value outside its domain.
    """
    costs = [cost for theorem in theorems for cost in costs_of_theorem(theorem)]
    own = {q.name: q for cost in costs for q in cost.quantities}
    return {n: number(own[n], v) for n, v in given.items() if n in own and n not in given_values}


def legend(result: Sequence[Line], named: Sequence[str] = ()) -> str:
    """What the columns count, and the assumed values except those of ``named``."""
    text = "down, up, gradients: all clients of a round together; memory: numbers kept beside the model"
    defaults = {
        n: line.row.values[n]
        for line in result
        for n in line.assumed
        if n not in named and any(n == s.name for expr in line.counted for s in expr.free_symbols)
    }
    at = ", ".join(f"{n} = {format_number(value)}" for n, value in defaults.items())
    return f"{text}; at {at} (assumed)." if at else f"{text}."


def _values(
    cost: Cost, theorem: Theorem, values: Mapping[str, float], assumed: Sequence[str]
) -> tuple[dict[str, float], tuple[str, ...]]:
    lists = {_MEANS[n].name: v for n, v in theorem.clients.items() if n in _MEANS}
    means = {n: float(np.mean(np.asarray(v, dtype=np.float64))) for n, v in lists.items()}
    needed = {q.name: q for q in quantities([cost]) if q.name != "T"}
    known = {n: means.get(n, values.get(n)) for n in needed}
    numbers = {n: float(needed[n].typical if v is None else v) for n, v in known.items()}
    guessed = tuple(n for n, v in known.items() if v is None)
    if candidates.name in guessed:
        numbers[candidates.name] = max(numbers[candidates.name], numbers[C.name] * numbers[m.name])
    elif candidates.name in numbers:
        check(numbers, guessed)
    return numbers, (*guessed, *(n for n in needed if n in assumed and n not in guessed))
