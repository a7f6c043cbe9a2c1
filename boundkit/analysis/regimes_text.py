"""The tables of ``regimes``, for a terminal and a notebook."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra.printing import plain
from boundkit.analysis.crossover import RESIDUAL, Curve
from boundkit.analysis.rendering import html_table, shown, table

if TYPE_CHECKING:
    from boundkit.analysis.regimes import Crossover, Regimes

_HEADER = ["term", "share of the area", "of it outside the condition"]
EXAMPLES = 3
"""Points that stand for a curve without a formula."""


def text(found: Regimes) -> str:
    """What dominates, where terms cross, where the steps are allowed, and what was assumed."""
    ranges = " and ".join(
        f"{name} from {shown(values[0])} to {shown(values[-1])}"
        for name, values in ((found.x, found.window.xs), (found.y, found.window.ys))
    )
    lines = [f"{found.theorem.name}: which term dominates, over {ranges}"]
    if found.prediction.up_to_constants:
        lines[0] = f"up to constants: {lines[0]}"
    lines += ["", table(_HEADER, _rows(found)), ""]
    for bounds, heading in (
        (True, "crossovers that bound a regime here"),
        (False, "other crossovers: a third term is larger there, or they are outside the range"),
    ):
        rows = [line for c in found.crossovers if c.bounds is bounds for line in _lines(c, found)]
        if rows:
            aligned = table(["", "", ""], rows, left=3).split("\n")[1:]
            lines += [heading, *(f"  {line}" for line in aligned), ""]
    return "\n".join([*lines, *footer(found)])


def html(found: Regimes) -> str:
    """Both tables for a notebook."""
    above = html_table(_HEADER, _rows(found), f"{found.theorem.name}: {'; '.join(footer(found))}")
    rows = [line for crossover in found.crossovers for line in _lines(crossover, found)]
    return above + html_table(["terms", "equal at", ""], rows, "crossovers")


def footer(found: Regimes) -> list[str]:
    """The rules, the conditions, the clients and the values that stay fixed."""
    lines = [f"{name} = {plain(rule)}" for name, rule in found.rules.items()]
    lines.append(_condition(found))
    if found.theorem.clients:
        lines.append("clients: " + ", ".join(f"{n} = {v}" for n, v in found.theorem.clients.items()))
    assumed = found.prediction.assumed
    said = {n: v for n, v in found.window.values.items() if n not in assumed}
    for word, values in (("given", said), ("assumed", {n: found.window.values[n] for n in assumed})):
        if values:
            lines.append(f"{word}: " + ", ".join(f"{n} = {shown(v)}" for n, v in values.items()))
    return lines


def _rows(found: Regimes) -> list[list[str]]:
    return [[n, f"{100 * share:.1f} %", f"{100 * out:.1f} %"] for n, (share, out) in found.shares.items()]


def _lines(crossover: Crossover, found: Regimes) -> list[list[str]]:
    """A line a branch: where, and which term is the larger beyond."""
    names = " = ".join(crossover.terms)
    if crossover.ratio is not None and isfinite(crossover.ratio):
        return [[names, "nowhere", f"the first is {shown(crossover.ratio)} times the second"]]
    if not crossover.curves:
        return [[names, "nowhere", ""]]
    lines = []
    for curve in crossover.curves:
        larger = crossover.beyond(curve)
        said = [f"beyond: {larger}"] if larger else []
        said += [] if curve.inside else ["outside the range"]
        lines.append([names, where(curve, found), ", ".join(said)])
    return lines


def where(curve: Curve, found: Regimes) -> str:
    """A curve as its formula, or as some of its points."""
    if curve.expr is not None:
        return f"{curve.quantity} = {plain(curve.expr)}"
    known = curve.points[np.isfinite(curve.points).all(axis=-1)]
    values = known[:, 0 if curve.quantity == found.x else 1]
    if np.ptp(values) <= RESIDUAL * values.max():
        return f"{curve.quantity} = {_short(values[0])}, without closed form"
    some = known[np.unique(np.linspace(0, len(known) - 1, EXAMPLES).round().astype(int))]
    points = ", ".join(f"({_short(a)}, {_short(b)})" for a, b in some)
    return f"no closed form; ({found.x}, {found.y}) = {points}"


def _short(value: float) -> str:
    return shown(float(f"{value:.4g}"))


def _condition(found: Regimes) -> str:
    if not found.theorem.step_size:
        return "step size: any"
    if found.outside == 0:
        return "step size: inside the condition everywhere"
    share = f"{100 * (1 - found.outside):.1f} % of the area"
    said = f"step size: inside the condition on {share}"
    edges = [curve for branch in found.edges for curve in branch if curve.inside and curve.expr is not None]
    return said + "".join(
        f", {'up to' if curve.grows else 'from'} {curve.quantity} = {plain(curve.expr)}"
        for curve in edges
        if curve.grows is not None
    )
