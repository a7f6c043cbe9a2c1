"""The tables of ``compare``, for a terminal and a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import CAUSES
from boundkit.algebra.formula import Formula
from boundkit.analysis.compare_costs import HEADER, legend
from boundkit.analysis.lowest_bound_changes import Change
from boundkit.report import Cell, Heading, Report, Sentences, Table, sentence
from boundkit.report.formatting import format_number, join_names

if TYPE_CHECKING:
    from boundkit.analysis.compare import Comparison
    from boundkit.analysis.compared_theorem import Contender


def comparison_report(found: Comparison, rows: int | None) -> Report:
    """The claim, the table, whose bound is lowest, and what must be known beside it."""
    header, lines = _table(found, rows)
    bounds = (
        Heading(_heading(found)),
        Table(header, lines),
        Sentences(_more(found, lines)),
        Sentences(_said(found)),
    )
    if found.axes:
        return Report(bounds)
    costs = Table(HEADER, [each.cells() for each in found.costs])
    return Report((*bounds, costs, Sentences([legend(found.costs, found.assumed)])))


def _more(found: Comparison, lines: list[list[str]]) -> list[str]:
    left_out = _points(found) - len(lines) if len(found.axes) == 1 else 0
    return [f"... and {left_out} more points"] if left_out else []


def _heading(found: Comparison) -> str:
    claims = list(dict.fromkeys(c.theorem.claim.name for c in found.contenders))
    best = ", each with its best eta" if found.tuned else ""
    return f"{len(found.contenders)} bounds on the {' / '.join(claims)}{best}"


def _table(found: Comparison, rows: int | None) -> tuple[list[str], list[list[str]]]:
    if not found.axes:
        return ["", *found.names], _side_by_side(found.contenders)
    if len(found.axes) == 2 and not found.ranked:
        ends = (
            [c.name, format_number(c.total.min()), format_number(c.total.max())] for c in found.contenders
        )
        return ["", "from", "to"], list(ends)
    if len(found.axes) == 2:
        shares = found.shares
        return ["lowest", "share of the area"], [[n, f"{100 * share:.1f} %"] for n, share in shares.items()]
    ((axis, values),) = found.axes.items()
    count = values.size if rows is None else min(rows, values.size)
    lines = [[format_number(values[k]), *(_marked(c, k) for c in found.contenders)] for k in range(count)]
    if not found.ranked:
        return [axis, *found.names], lines
    lowest, ratio = np.asarray(found.lowest), np.asarray(found.ratio)
    lines = [[*line, str(lowest[k]), format_number(ratio[k])] for k, line in enumerate(lines)]
    return [axis, *found.names, "lowest", "next/lowest"], lines


def _marked(c: Contender, place: int) -> str:
    return format_number(c.total[place]) + ("" if c.holds[place] else "*")


def _side_by_side(contenders: tuple[Contender, ...]) -> list[list[str]]:
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


def _said(found: Comparison) -> list[Cell]:
    lines = _verdict(found)
    for c in found.contenders:
        outside = int(c.holds.size - c.holds.sum())
        if outside:
            mark = " (*)" if len(found.axes) == 1 else ""
            where = f"at {outside} of {c.holds.size} points" if found.axes else "here"
            lines.append(
                f"the steps are outside the condition of {c.name} {where}: its bound is not proved{mark}."
            )
    by_owner: dict[tuple[str, ...], list[str]] = {}
    for name, who in found.alone.items():
        by_owner.setdefault(who, []).append(name)
    for who, names in by_owner.items():
        lines.append(
            f"{join_names(names)} {'is' if len(names) == 1 else 'are'} known to {join_names(who)} alone."
        )
    lines += found.notes
    for c in found.contenders:
        lines += [
            sentence(f"{name} of {c.name} = ", Formula(rule), ".") for name, rule in c.part.rules.items()
        ]
        lines += [f"{name} of {c.name} = {value}." for name, value in c.theorem.clients.items()]
    if found.assumed:
        lines.append(
            "assumed: " + ", ".join(f"{n} = {format_number(found.values[n])}" for n in found.assumed)
        )
    return lines


def _verdict(found: Comparison) -> list[Cell]:
    if not found.ranked:
        return []
    if not found.axes:
        ratio = float(found.ratio)
        if found.lowest == "equal":
            return ["the lowest two are equal."]
        return [f"lowest: {found.lowest}; the next is {format_number(ratio)} times as high."]
    if len(found.axes) == 1:
        return [_change(change) for change in found.changes] or _throughout(found)
    lines: list[Cell] = []
    for pair, equal in found.borders:
        for curve in equal:
            if curve.inside and curve.expr is not None:
                equals = Formula(curve.expr, curve.quantity)
                lines.append(sentence(f"{join_names(pair)} are equal on ", equals, "."))
            elif curve.inside:
                lines.append(f"{join_names(pair)} are equal on a curve without closed form.")
    return list(dict.fromkeys(lines)) or _throughout(found)


def _throughout(found: Comparison) -> list[Cell]:
    shares = found.shares
    if len(shares) == 1:
        (name,) = shares
        return [
            "the lowest two are equal everywhere." if name == "equal" else f"{name} is lowest everywhere."
        ]
    return []


def _change(change: Change) -> Cell:
    known = change.formula is not None
    formula: list[Cell] = [" (", Formula(change.formula, change.axis), ")"] if known else []
    at = format_number(float(f"{change.at:.10g}"))
    return sentence(
        f"from {change.axis} = {at} on", *formula, f": {change.after} instead of {change.before}."
    )


def _points(found: Comparison) -> int:
    return int(np.prod([values.size for values in found.axes.values()]))
