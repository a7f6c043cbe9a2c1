"""The tables of ``compare``, for a terminal and a notebook, and the costs of a round for the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr

from boundkit.algebra import CAUSES, Theorem
from boundkit.algebra.notation import C, m, tau
from boundkit.algebra.printing import Formula
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.compared_theorem import ComparedTheorem, LowestBoundChange
from boundkit.analysis.costs import Cost, CostRow, costs_of_theorem
from boundkit.analysis.costs.cost import candidates, check, number, quantities
from boundkit.report import Cell, Heading, Report, Sentences, Table, sentence
from boundkit.report.formatting import format_number, join_names

if TYPE_CHECKING:
    from boundkit.analysis.compare import Comparison


HEADER = ["costs of a round", "numbers down", "numbers up", "gradients", "memory at the server"]

_MEANS: dict[str, Quantity] = {"tau_i": tau, "q_i": C}
"""Quantities of costs that are means over heterogeneous clients."""


@dataclass(frozen=True, eq=False)
class ComparedVariant:
    """A variant of a theorem's method, its values (none: symbols), and those of them that were assumed."""

    theorem: str
    row: CostRow
    assumed: tuple[str, ...]

    @property
    def counted(self) -> tuple[Expr, ...]:
        """Down, up and gradients of all clients of a round together, and the state that the server stores."""
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
) -> tuple[ComparedVariant, ...]:
    """A line for each variant of each theorem's method.

    A quantity that the comparison lacks is the mean of the given values of the clients (tau_i, q_i), else its
    typical value. Raises BoundkitError for given values that contradict each other.
    """
    result = []
    for theorem in theorems:
        for cost in costs_of_theorem(theorem):
            given_values, defaults = _values(cost, theorem, values, assumed) if at_a_point else ({}, ())
            result.append(ComparedVariant(theorem.name, CostRow(cost, given_values), defaults))
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


def legend(result: Sequence[ComparedVariant], named: Sequence[str] = ()) -> str:
    """What the columns count, and the assumed values except those of ``named``."""
    text = (
        "down, up, gradients: all clients of a round together; "
        "memory: numbers stored in addition to the model"
    )
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


def comparison_report(comparison: Comparison, rows: int | None) -> Report:
    """The claim, the table, whose bound is lowest, and what must be known beside it."""
    header, lines = _table(comparison, rows)
    bounds = (
        Heading(_heading(comparison)),
        Table(header, lines),
        Sentences(_omitted_points(comparison, lines)),
        Sentences(_remarks(comparison)),
    )
    if comparison.axes:
        return Report(bounds)
    costs = Table(HEADER, [each.cells() for each in comparison.costs])
    return Report((*bounds, costs, Sentences([legend(comparison.costs, comparison.assumed)])))


def _omitted_points(comparison: Comparison, lines: list[list[str]]) -> list[str]:
    left_out = _points(comparison) - len(lines) if len(comparison.axes) == 1 else 0
    return [f"... and {left_out} more points"] if left_out else []


def _heading(comparison: Comparison) -> str:
    claims = list(dict.fromkeys(c.theorem.claim.name for c in comparison.contenders))
    best = ", each with its best eta" if comparison.tuned else ""
    return f"{len(comparison.contenders)} bounds on the {' / '.join(claims)}{best}"


def _table(comparison: Comparison, rows: int | None) -> tuple[list[str], list[list[str]]]:
    if not comparison.axes:
        return ["", *comparison.names], _side_by_side(comparison.contenders)
    if len(comparison.axes) == 2 and not comparison.ranked:
        ends = (
            [c.name, format_number(c.total.min()), format_number(c.total.max())]
            for c in comparison.contenders
        )
        return ["", "from", "to"], list(ends)
    if len(comparison.axes) == 2:
        shares = comparison.shares
        return ["lowest", "share of the area"], [[n, f"{100 * share:.1f} %"] for n, share in shares.items()]
    ((axis, values),) = comparison.axes.items()
    count = values.size if rows is None else min(rows, values.size)
    lines = [
        [format_number(values[k]), *(_marked(c, k) for c in comparison.contenders)] for k in range(count)
    ]
    best = {f"eta of {c.name}": c.steps for c in comparison.contenders if c.steps is not None}
    lines = [[*line, *(format_number(steps[k]) for steps in best.values())] for k, line in enumerate(lines)]
    if not comparison.ranked:
        return [axis, *comparison.names, *best], lines
    lowest, ratio = np.asarray(comparison.lowest), np.asarray(comparison.ratio)
    lines = [[*line, str(lowest[k]), format_number(ratio[k])] for k, line in enumerate(lines)]
    return [axis, *comparison.names, *best, "lowest", "next/lowest"], lines


def _marked(c: ComparedTheorem, place: int) -> str:
    return format_number(c.total[place]) + ("" if c.holds[place] else "*")


def _side_by_side(contenders: tuple[ComparedTheorem, ...]) -> list[list[str]]:
    """A row a cause, then the total, the best step, and whether the steps are allowed."""
    split = [c.by_cause() for c in contenders]
    rows = [
        [cause, *(format_number(float(one[cause])) if cause in one else "" for one in split)]
        for cause in CAUSES
        if any(cause in one for one in split)
    ]
    rows.append(["total", *(format_number(float(c.total)) for c in contenders)])
    if any(c.steps is not None for c in contenders):
        rows.append(
            ["best eta", *("" if c.steps is None else format_number(float(c.steps)) for c in contenders)]
        )
    rows.append(["largest eta", *(format_number(float(c.limit)) for c in contenders)])
    rows.append(["steps", *("inside" if c.holds.all() else "OUTSIDE" for c in contenders)])
    return rows


def _remarks(comparison: Comparison) -> list[Cell]:
    lines = _verdict(comparison)
    for c in comparison.contenders:
        if len(comparison.axes) == 2 and c.steps is not None:
            ends = [format_number(float(end)) for end in (c.steps.min(), c.steps.max())]
            lines.append(f"best eta of {c.name}: from {ends[0]} to {ends[1]}.")
        outside = int(c.holds.size - c.holds.sum())
        if outside:
            mark = " (*)" if len(comparison.axes) == 1 else ""
            where = f"at {outside} of {c.holds.size} points" if comparison.axes else "here"
            lines.append(
                f"the steps are outside the condition of {c.name} {where}: its bound is not proved{mark}."
            )
    by_owner: dict[tuple[str, ...], list[str]] = {}
    for name, who in comparison.alone.items():
        by_owner.setdefault(who, []).append(name)
    for who, names in by_owner.items():
        lines.append(
            f"{join_names(names)} {'is' if len(names) == 1 else 'are'} known to {join_names(who)} alone."
        )
    lines += comparison.notes
    for c in comparison.contenders:
        lines += [
            sentence(f"{name} of {c.name} = ", Formula(rule), ".") for name, rule in c.part.rules.items()
        ]
        lines += [f"{name} of {c.name} = {value}." for name, value in c.theorem.clients.items()]
    if comparison.assumed:
        lines.append(
            "assumed: "
            + ", ".join(f"{n} = {format_number(comparison.values[n])}" for n in comparison.assumed)
        )
    return lines


def _verdict(comparison: Comparison) -> list[Cell]:
    if not comparison.ranked:
        return []
    if not comparison.axes:
        ratio = float(comparison.ratio)
        if comparison.lowest == "equal":
            return ["the lowest two are equal."]
        inside = {c.name: float(c.total) for c in comparison.contenders if c.holds.all()}
        if inside and comparison.lowest not in inside:
            lowest_inside = min(inside, key=inside.__getitem__)
            return [f"lowest of those inside their conditions: {lowest_inside}."]
        return [f"lowest: {comparison.lowest}; the next is {format_number(ratio)} times as high."]
    if len(comparison.axes) == 1:
        return [_change(change) for change in comparison.changes] or _throughout(comparison)
    lines: list[Cell] = []
    for pair, equal in comparison.borders:
        for curve in equal:
            if curve.inside and curve.expr is not None:
                equals = Formula(curve.expr, curve.quantity)
                lines.append(sentence(f"{join_names(pair)} are equal on ", equals, "."))
            elif curve.inside:
                lines.append(f"{join_names(pair)} are equal on a curve without closed form.")
    return list(dict.fromkeys(lines)) or _throughout(comparison)


def _throughout(comparison: Comparison) -> list[Cell]:
    shares = comparison.shares
    if len(shares) == 1:
        (name,) = shares
        return [
            "the lowest two are equal everywhere." if name == "equal" else f"{name} is lowest everywhere."
        ]
    return []


def _change(change: LowestBoundChange) -> Cell:
    known = change.formula is not None
    formula: list[Cell] = [" (", Formula(change.formula, change.axis), ")"] if known else []
    at = format_number(float(f"{change.at:.10g}"))
    return sentence(
        f"from {change.axis} = {at} on", *formula, f": {change.after} instead of {change.before}."
    )


def _points(comparison: Comparison) -> int:
    return int(np.prod([values.size for values in comparison.axes.values()]))
