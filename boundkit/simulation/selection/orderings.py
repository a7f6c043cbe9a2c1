"""Orders of losses: those that occur in one dimension, an enumeration of all, and the feasibility of one.

An order lists the clients by decreasing loss. Ties are ignored: an order occurs where it does on an
open set. Of two clients with equal losses everywhere, the smaller number is first.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.power_of_choice import ranking
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.strategy import Strategy

_STRICT = 1e-9
_MOST_BOXES = 4000
_HALVINGS = 80


def is_attainable(pencil: Pencil, pairs: NDArray[np.intp]) -> bool | None:
    """Whether F_a > F_b for all pairs (a, b) holds at some model; None where undecided.

    For equal Hessians a linear programme decides. Otherwise all of space, infinity included, is covered with
    boxes: a box on which some pair is reversed is dropped, others are halved, until none is left,
    or the centre of one satisfies all pairs, or there are too many.
    """
    if len(pairs) == 0:
        return True
    if np.ptp(pencil.problem.H, axis=0).max() <= 1e-12 * np.abs(pencil.problem.H).max():
        return _occurs_linearly(pencil.problem, pairs)
    A = pencil.matrices
    lead = A[pairs[:, 0]] - A[pairs[:, 1]]
    if (np.linalg.eigvalsh(lead)[:, -1] <= 1e-12 * np.abs(A).max()).any():
        return False  # the losses are never strictly ordered
    return _occurs_in_boxes(lead / np.abs(lead).max((1, 2), keepdims=True))


def _occurs_in_boxes(lead: Array) -> bool | None:
    """Whether z' D z > 0 for all D of lead, (n, s, s), at some z; up to scale z is on a face of a cube."""
    centre = np.eye(lead.shape[-1])
    radius = 1 - centre
    for _ in range(_HALVINGS):
        slope = np.einsum("nij,bj->bni", lead, centre)
        value = np.einsum("bni,bi->bn", slope, centre)
        if (value > _STRICT).all(1).any():
            return True
        change = 2 * np.einsum("bni,bi->bn", np.abs(slope), radius)
        change += np.einsum("bi,nij,bj->bn", radius, np.abs(lead), radius, optimize=True)
        keep = (value + change > -1e-13).all(1)
        centre, radius = centre[keep], radius[keep]
        if len(centre) == 0:
            return False
        if 2 * len(centre) > _MOST_BOXES:
            return None
        longest = radius.argmax(1)
        radius[np.arange(len(radius)), longest] /= 2
        step = np.zeros_like(radius)
        step[np.arange(len(radius)), longest] = radius[np.arange(len(radius)), longest]
        centre, radius = np.concatenate([centre - step, centre + step]), np.concatenate([radius, radius])
    return None


def _occurs_linearly(problem: Quadratic, pairs: NDArray[np.intp]) -> bool:
    """The same for one Hessian: F_k(c + u) = u'Hu/2 - u'H(e_k - c) + F_k(c), differences are linear."""
    from scipy.optimize import linprog

    pull = problem.apply(problem.e - problem.centre)
    at = problem.losses(problem.centre)
    rows, level = pull[pairs[:, 0]] - pull[pairs[:, 1]], at[pairs[:, 0]] - at[pairs[:, 1]]
    size = np.linalg.norm(rows, axis=1)
    if (size == 0).any():
        return False  # two clients with equal losses are never strictly ordered
    scale = max(float(np.abs(level / size).max()), 1e-300)
    solution = linprog(
        np.append(np.zeros(problem.d), -1.0),
        A_ub=np.column_stack([rows / size[:, None], np.ones(len(rows))]),
        b_ub=level / size / scale,
        bounds=[(None, None)] * problem.d + [(None, 1)],
    )
    return solution.status == 0 and float(np.asarray(solution.x)[-1]) > _STRICT


Orders = NDArray[np.intp]
_APART = 1e-12
"""Relative distance below which two crossings are merged."""
_BLOCK = 2_000_000
"""Most coordinates of clients and models for which losses are evaluated at a time."""
_FEWER = "use fewer clients, or several coordinates, where a bound replaces the list"


def order_at(problem: Quadratic, models: Array) -> Orders:
    """The order of losses at models (..., d); (..., m). Ties go to the smaller number."""
    flat = models.reshape(-1, problem.d)
    orders = np.empty((len(flat), problem.m), dtype=np.intp)
    rows = max(1, _BLOCK // (problem.m * problem.d))
    for a in range(0, len(flat), rows):
        orders[a : a + rows] = ranking(problem.losses(flat[a : a + rows]))
    return orders.reshape(*models.shape[:-1], problem.m)


def crossings(problem: Quadratic) -> Array:
    """Sorted crossings of losses in one dimension: sqrt(h_a) (x - e_a) = +- sqrt(h_b) (x - e_b)."""
    m = problem.m
    refuse_larger(48 * m**2, f"the list of all points where two of {m:,} losses are equal", _FEWER)
    root, e = np.sqrt(np.maximum(problem.H[:, 0], 0.0)), problem.e[:, 0]
    a, b = np.triu_indices(problem.m, 1)
    points = []
    for sign in (1.0, -1.0):
        slope = root[a] - sign * root[b]
        meet = np.abs(slope) > 1e-14 * (root[a] + root[b])
        points.append((root[a] * e[a] - sign * root[b] * e[b])[meet] / slope[meet])
    return np.sort(np.concatenate(points))


def cells(problem: Quadratic, ends: tuple[float, float]) -> tuple[Array, Orders]:
    """The intervals of a line between its crossings, and the order of losses in each.

    The intervals lie inside ``ends`` and have the shape (n, 2), the orders (n, m).
    """
    at = crossings(problem)
    at = at[(at > ends[0]) & (at < ends[1])]
    edges = np.concatenate([[ends[0]], at, [ends[1]]])
    keep = np.diff(edges) > _APART * np.maximum(np.abs(edges[1:]), np.abs(edges[:-1]))
    keep |= np.isinf(edges[1:]) | np.isinf(edges[:-1])
    spans = np.stack([edges[:-1], edges[1:]], axis=1)[keep]
    what = f"the list of the orders of {problem.m:,} losses on {len(spans):,} intervals of a line"
    refuse_larger(40 * len(spans) * problem.m, what, _FEWER)
    return spans, order_at(problem, _interior_point(spans)[:, None])


def _interior_point(spans: Array) -> Array:
    """A point of each interval, which may have no end."""
    low, high = spans.T
    left, right = np.isinf(low), np.isinf(high)
    from_left, from_right = np.where(left, 0.0, low), np.where(right, 0.0, high)
    middle = (from_left + from_right) / 2
    middle = np.where(left, from_right - 1 - np.abs(from_right), middle)
    middle = np.where(right, from_left + 1 + np.abs(from_left), middle)
    return np.where(left & right, 0.0, middle)


def number_of_orders(clients: int, strategy: Strategy) -> int:
    """The number of distinguishable orders: K!/(count! (d - count)!), or 1 for selection without losses.

    The first ``count`` are selected whenever they are candidates, and the last d - count never are.
    """
    if not strategy.uses_losses:
        return 1
    return factorial(clients) // factorial(strategy.count) // factorial(strategy.pool - strategy.count)


def all_orders(clients: Orders, strategy: Strategy) -> Orders:
    """One representative of each distinguishable order; clients (K,), result (n, K)."""
    if not strategy.uses_losses:
        return clients[None]
    between = len(clients) - strategy.pool
    rows = []
    for first in combinations(clients, strategy.count):
        rest = [k for k in clients if k not in first]
        for middle in permutations(rest, between):
            rows.append((*first, *middle, *(k for k in rest if k not in middle)))
    return np.array(rows, dtype=np.intp)


def required_pairs(order: Orders, strategy: Strategy) -> Orders:
    """The pairs (a, b) with F_a >= F_b that define an order up to indistinguishable ones; (n, 2)."""
    count, last = strategy.count, len(order) - strategy.pool + strategy.count
    if not strategy.uses_losses:
        return np.empty((0, 2), dtype=np.intp)
    groups = [order[:count], *(order[j : j + 1] for j in range(count, last)), order[last:]]
    pairs = [pair for a, b in pairwise(groups) for pair in product(a, b)]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)
