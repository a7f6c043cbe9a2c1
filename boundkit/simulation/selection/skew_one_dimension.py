"""rho_bar in one dimension, exactly: a ratio of quadratics for each interval between crossings of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array, checked_array
from boundkit.simulation.selection.orderings import cells
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.skew_many_dimensions import Least
from boundkit.simulation.selection.strategy import Strategy


def ends_of(problem: Quadratic, within: Any) -> tuple[float, float]:
    """The interval given by "hull" or (low, high).

    Raises BoundkitError in more than one dimension, and for an interval without x*.
    """
    if problem.d != 1:
        raise BoundkitError(f"within is for problems on a line, but this one has {problem.d} dimensions.")
    if isinstance(within, str):
        if within != "hull":
            raise BoundkitError(f"within must be 'hull' or two numbers, but it is {within!r}.")
        return float(problem.e.min()), float(problem.e.max())
    low, high = checked_array("within", list(within), (2,)).tolist()
    if not low <= problem.centre[0] <= high:
        raise BoundkitError(
            f"within = ({low:g}, {high:g}) must hold x* = {problem.centre[0]:g}, but does not."
        )
    return low, high


def least_on_line(pencil: Pencil, strategy: Strategy, ends: tuple[float, float]) -> Least:
    """The minimum of rho(S(pi, x), x') over x and x' between the ends, which may be infinite."""
    problem = pencil.problem
    one_for_all = problem.m > 1 and not strategy.sees_losses and ends[0] < ends[1]
    orders = np.arange(problem.m)[None] if one_for_all else np.unique(cells(problem, ends)[1], axis=0)
    if len(orders) == 0:
        return Least(1.0, 1.0, True, "the interval is one point")
    shares = np.unique(strategy.shares(problem.p, orders), axis=0)
    if np.isinf(ends).all():
        least, where = pencil.least(shares), "the whole line"
    else:
        least, where = _between(pencil, shares, ends), f"the interval [{ends[0]:g}, {ends[1]:g}]"
    low = float(least.min())
    number = len(orders)
    if one_for_all:
        return Least(low, low, True, f"the selection does not depend on the losses; {where}")
    each = "the only order" if number == 1 else f"the least of the {number} orders"
    return Least(low, low, True, f"{each} of losses that occur{'s' if number == 1 else ''} on {where}")


def _between(pencil: Pencil, shares: Array, ends: tuple[float, float]) -> Array:
    """min of N(x')/P(x') over an interval: at its ends, or where the quadratic N'P - NP' is 0."""
    problem = pencil.problem
    c, (low, high) = problem.centre[0], ends
    h, away = problem.H[:, 0], c - problem.e[:, 0]
    forms = np.stack([h / 2, h * away, h * away**2 / 2])  # F_k(c + u) = f0 u^2 + f1 u + f2
    P0, P2 = float(forms[0] @ problem.p), pencil.gamma  # no linear part at x*
    found = np.full(len(shares), np.inf)
    for i, (N0, N1, N2) in enumerate(shares @ forms.T):
        # (2 N0 u + N1)(P0 u^2 + P2) - (N0 u^2 + N1 u + N2) 2 P0 u
        turns = np.roots([-N1 * P0, 2 * (N0 * P2 - N2 * P0), N1 * P2]) if P2 > 0 else np.empty(0)
        inner = turns[np.isreal(turns)].real
        u = np.concatenate([[low - c, high - c], np.clip(inner, low - c, high - c)])
        size = P0 * u**2 + P2
        ratio = (N0 * u**2 + N1 * u + N2)[size > 0] / size[size > 0]
        found[i] = max(ratio.min(), 0.0) if len(ratio) else 1.0
    return found
