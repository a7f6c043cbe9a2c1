"""Costs of algorithms: communication, gradients and state of a round, as data and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.algebra.notation import T
from boundkit.algebra.printing import Formula, latex, plain
from boundkit.analysis.costs.algorithm_costs import COSTS, algorithms, costs_lines, costs_of, costs_of_theorem
from boundkit.analysis.costs.cost import Cost, Exchange, resolve
from boundkit.analysis.evaluate import evaluate
from boundkit.report import Cell, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number

__all__ = [
    "COSTS",
    "Cost",
    "CostRow",
    "CostTable",
    "Exchange",
    "algorithms",
    "cost_table",
    "costs_lines",
    "costs_of",
    "costs_of_theorem",
]


HEADER = ("algorithm", "clients", "down", "up", "gradients", "trips", "server", "client")
TOTALS = ("all down", "all up", "all gradients", "all samples")


@dataclass(frozen=True)
class CostRow:
    """One algorithm's cost at ``values``; symbols where there are none."""

    cost: Cost
    values: Mapping[str, float] = field(hash=False)

    def number(self, expr: Expr) -> float | None:
        """The expression as a number; None in a row of symbols."""
        return float(evaluate(expr, self.values)) if self.values else None

    @property
    def totals(self) -> dict[str, Expr]:
        """Totals over all clients: of one round, or of T rounds and the exchanges before them."""
        return self.cost.total(T) if T.name in self.values else self.cost.round()

    def cells(self) -> list[Cell]:
        """The row of a table."""
        cost = self.cost
        each = (cost.clients, cost.down, cost.up, cost.gradients, cost.trips, cost.server, cost.client)
        row = [cost.label, *map(self._cell, each)]
        return row + [self._cell(e) for e in self.totals.values()] if self.values else row

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON; every formula as plain text, as LaTeX, and as a number where values are given."""
        cost = self.cost
        each = {
            name: getattr(cost, name) for name in ("clients", "down", "up", "gradients", "server", "client")
        }
        return {
            "algorithm": cost.algorithm,
            "variant": cost.variant or None,
            "fixed": {q.name: plain(e) for q, e in cost.fixed},
            **{name: self._formula(e) for name, e in each.items()},
            "trips": cost.trips,
            "round": {key: self._formula(e) for key, e in cost.round().items()},
            "before": {key: self._formula(e) for key, e in cost.before().items()},
            "total": {key: self._formula(e) for key, e in cost.total(T).items()},
            "keeps_state": cost.keeps_state,
            "state": cost.state or None,
            "note": cost.note or None,
        }

    def _cell(self, expr: Any) -> Cell:
        if isinstance(expr, int):
            return str(expr)
        number = self.number(expr)
        return Formula(expr) if number is None else format_number(number)

    def _formula(self, expr: Expr) -> dict[str, Any]:
        known = {s.name for s in expr.free_symbols} <= set(self.values)
        return {"plain": plain(expr), "latex": latex(expr), "value": self.number(expr) if known else None}


@dataclass(frozen=True, repr=False)
class CostTable(Reported):
    """Rows of costs, the parameter values, and the names of the assumed ones."""

    rows: tuple[CostRow, ...]
    values: Mapping[str, float] = field(hash=False)
    assumed: tuple[str, ...] = ()

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [*HEADER, *(TOTALS if self.values else ())]

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return {
            "costs": [row.to_dict() for row in self.rows],
            "parameters": dict(self.values),
            "assumed": list(self.assumed),
        }

    def notes(self) -> list[str]:
        """State and remarks, a line for each algorithm."""
        remarks = {
            row.cost.label: "; ".join(filter(None, (row.cost.state, row.cost.note))) for row in self.rows
        }
        return [f"{name}: {text}." for name, text in remarks.items() if text]

    def legend(self) -> str:
        """Meaning of the columns, and the parameter values."""
        text = "clients: participating in a round; down, up: numbers that each of them receives and sends"
        text += "\nserver, client: numbers that each stores between rounds, in addition to the model."
        if not self.values:
            return text
        span = f"T = {format_number(self.values[T.name])} rounds" if T.name in self.values else "one round"
        at = ", ".join(f"{n} = {format_number(v)}" + (" (assumed)" if n in self.assumed else "")
                       for n, v in self.values.items())  # fmt: skip
        return f"{text}\nall: totals over the clients, over {span}. At {at}."

    def report(self) -> Report:
        """A row for each algorithm, and the legend."""
        rows = [row.cells() for row in self.rows]
        return Report((Table(self.header, rows), Sentences(self.legend().split("\n"))))


def cost_table(
    algorithms: Iterable[str | Theorem] | None = None, values: Mapping[str, object] | None = None
) -> CostTable:
    """The costs of these algorithms, or of all; as numbers where ``values`` are given.

    A theorem stands for its method under its assumptions: C = 1 with full participation.

    A missing value takes the typical one; where T is given, totals are over T rounds and the exchanges
    before them. Quantities of the notation that do not occur are ignored.

    Raises BoundkitError for an unknown algorithm or name, and for a value outside its domain.

    >>> table = cost_table(["fedavg", "scaffold (II)"], {"m": 100, "C": 0.1, "tau": 10, "d": 1000})
    >>> [row.number(row.totals["up"]) for row in table.rows]
    [10000.0, 20000.0]
    """
    names = list(COSTS) if algorithms is None else list(algorithms)
    costs = list(dict.fromkeys(cost for name in names for cost in _costs(name)))
    if values is None:
        return CostTable(tuple(CostRow(cost, {}) for cost in costs), {})
    numbers, assumed = resolve(costs, values)
    return CostTable(tuple(CostRow(cost, numbers) for cost in costs), numbers, assumed)


def _costs(method: str | Theorem) -> tuple[Cost, ...]:
    if isinstance(method, Theorem):
        return costs_of_theorem(method) or costs_of(method.cost_row)
    return costs_of(method)
