"""The tables of ``regimes``, for a terminal and a notebook."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra.printing import Formula
from boundkit.analysis.crossover import RESIDUAL, Curve
from boundkit.report import Cell, Heading, Report, Sentences, Table, sentence
from boundkit.report.formatting import format_number

if TYPE_CHECKING:
    from boundkit.analysis.regimes import Crossover, Regimes

_HEADER = ["term", "share of the area", "of it outside the condition"]
EXAMPLES = 3
"""Points of a curve without a formula."""


def _title(regimes: Regimes) -> str:
    ranges = " and ".join(
        f"{name} from {format_number(values[0])} to {format_number(values[-1])}"
        for name, values in ((regimes.x, regimes.window.xs), (regimes.y, regimes.window.ys))
    )
    open_ = "up to constants: " if regimes.prediction.up_to_constants else ""
    return f"{open_}{regimes.theorem.name}: which term dominates, over {ranges}"


def _crossings(regimes: Regimes) -> dict[str, list[list[Cell]]]:
    """The crossovers by what they are to the picture; nothing where there are none."""
    titles = {
        "crossovers that bound a regime here": True,
        "other crossovers: a third term is larger there, or they are outside the range": False,
    }
    rows = {
        title: [row for c in regimes.crossovers if c.bounds is bounds for row in _lines(c, regimes)]
        for title, bounds in titles.items()
    }
    return {title: each for title, each in rows.items() if each}


def regimes_report(regimes: Regimes) -> Report:
    """The dominant terms, where terms cross, where the steps are allowed, and what was assumed."""
    crossings = (
        Table(["", "", ""], rows, left=3, caption=title) for title, rows in _crossings(regimes).items()
    )
    shares = Table(_HEADER, _rows(regimes))
    return Report((Heading(_title(regimes)), shares, *crossings, Sentences(footer(regimes))))


def footer(regimes: Regimes) -> list[Cell]:
    """The rules, the conditions, the clients and the values that stay fixed."""
    lines: list[Cell] = [Formula(rule, name) for name, rule in regimes.rules.items()]
    lines.append(_condition(regimes))
    if regimes.theorem.clients:
        lines.append("clients: " + ", ".join(f"{n} = {v}" for n, v in regimes.theorem.clients.items()))
    assumed = regimes.prediction.assumed
    given = {n: v for n, v in regimes.window.values.items() if n not in assumed}
    for word, values in (("given", given), ("assumed", {n: regimes.window.values[n] for n in assumed})):
        if values:
            lines.append(f"{word}: " + ", ".join(f"{n} = {format_number(v)}" for n, v in values.items()))
    return lines


def _rows(regimes: Regimes) -> list[list[str]]:
    return [[n, f"{100 * share:.1f} %", f"{100 * out:.1f} %"] for n, (share, out) in regimes.shares.items()]


def _lines(crossover: Crossover, regimes: Regimes) -> list[list[Cell]]:
    """A line a branch: where, and which term is the larger beyond."""
    names = " = ".join(crossover.terms)
    if crossover.ratio is not None and isfinite(crossover.ratio):
        return [[names, "nowhere", f"the first is {format_number(crossover.ratio)} times the second"]]
    if not crossover.curves:
        return [[names, "nowhere", ""]]
    lines: list[list[Cell]] = []
    for curve in crossover.curves:
        larger = crossover.beyond(curve)
        notes = [f"beyond: {larger}"] if larger else []
        notes += [] if curve.inside else ["outside the range"]
        lines.append([names, curve_text(curve, regimes), ", ".join(notes)])
    return lines


def curve_text(curve: Curve, regimes: Regimes) -> Cell:
    """A curve as its formula, or as some of its points."""
    if curve.expr is not None:
        return Formula(curve.expr, curve.quantity)
    known = curve.points[np.isfinite(curve.points).all(axis=-1)]
    values = known[:, 0 if curve.quantity == regimes.x else 1]
    if np.ptp(values) <= RESIDUAL * values.max():
        return f"{curve.quantity} = {_short(values[0])}, without closed form"
    some = known[np.unique(np.linspace(0, len(known) - 1, EXAMPLES).round().astype(int))]
    points = ", ".join(f"({_short(a)}, {_short(b)})" for a, b in some)
    return f"no closed form; ({regimes.x}, {regimes.y}) = {points}"


def _short(value: float) -> str:
    return format_number(float(f"{value:.4g}"))


def _condition(regimes: Regimes) -> Cell:
    if not regimes.theorem.step_size:
        return "step size: any"
    if regimes.outside == 0:
        return "step size: inside the condition everywhere"
    share = f"{100 * (1 - regimes.outside):.1f} % of the area"
    condition = f"step size: inside the condition on {share}"
    edges = [curve for branch in regimes.edges for curve in branch if curve.inside and curve.expr is not None]
    ends = [(curve, ", up to " if curve.grows else ", from ") for curve in edges if curve.grows is not None]
    limits = (piece for curve, word in ends for piece in (word, Formula(curve.expr, curve.quantity)))
    return sentence(condition, *limits)
