"""Orders of losses: those that occur in one dimension, and an enumeration of all.

An order lists the clients by decreasing loss. Ties are ignored: an order occurs where it does on an
open set. Of two clients with equal losses everywhere, the smaller number is first.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.participation.ranking import ranking
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection.strategy import Strategy

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
    found = []
    for sign in (1.0, -1.0):
        slope = root[a] - sign * root[b]
        meet = np.abs(slope) > 1e-14 * (root[a] + root[b])
        found.append((root[a] * e[a] - sign * root[b] * e[b])[meet] / slope[meet])
    return np.sort(np.concatenate(found))


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
    return spans, order_at(problem, _inside(spans)[:, None])


def _inside(spans: Array) -> Array:
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
    if not strategy.sees_losses:
        return 1
    return factorial(clients) // factorial(strategy.count) // factorial(strategy.pool - strategy.count)


def all_orders(clients: Orders, strategy: Strategy) -> Orders:
    """One representative of each distinguishable order; clients (K,), result (n, K)."""
    if not strategy.sees_losses:
        return clients[None]
    between = len(clients) - strategy.pool
    rows = []
    for first in combinations(clients, strategy.count):
        rest = [k for k in clients if k not in first]
        for middle in permutations(rest, between):
            rows.append((*first, *middle, *(k for k in rest if k not in middle)))
    return np.array(rows, dtype=np.intp)


def demands(order: Orders, strategy: Strategy) -> Orders:
    """The pairs (a, b) with F_a >= F_b that define an order up to indistinguishable ones; (n, 2)."""
    count, last = strategy.count, len(order) - strategy.pool + strategy.count
    if not strategy.sees_losses:
        return np.empty((0, 2), dtype=np.intp)
    groups = [order[:count], *(order[j : j + 1] for j in range(count, last)), order[last:]]
    pairs = [pair for a, b in pairwise(groups) for pair in product(a, b)]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)
