"""rho_bar, the minimum of the skew over the models that rank the clients and the models of evaluation.

One dimension: exact, a ratio of quadratics for each interval between crossings of losses. More dimensions:
every order of losses has its minimal skew, an eigenvalue. Orders are checked for feasibility in increasing
order of these eigenvalues: the first feasible one decides. For equal Hessians, and for few clients in few
dimensions, feasibility is always decided. An undecided order leaves its eigenvalue as a lower bound, and
the minimum over feasible orders as an upper bound. Where orders are too many, a bound over all replaces them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection.orderings import (
    all_orders,
    cells,
    is_attainable,
    number_of_orders,
    order_at,
    required_pairs,
)
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.strategy import Strategy
from boundkit.simulation.validation import checked_array

_STEPS = 15


def bound_over_orders(pencil: Pencil, strategy: Strategy) -> float:
    """A lower bound on the skew rho(S(pi, x), x') over all orders of losses and all x'.

    Let a_k = z' A_k z, the losses at x' scaled so that sum p_k a_k = 1. They are non-negative, and their
    spread is bounded by the problem: with X = z z', sum p_k a_k^2 = <X, sum p_k A_k X A_k>, at most the
    largest eigenvalue of X -> sum p_k A_k X A_k, the ``spread``. This map keeps matrices positive, so that
    any positive X bounds it from above, by the largest eigenvalue of X^-1 sum p_k A_k X A_k. Whatever the
    order, by Lagrange's multipliers, for every theta >= 0,

        sum q_k a_k >= theta - sqrt( spread sum p_k (theta - q_k/p_k)_+^2 ).

    The share of client k at rank j is minimal when the clients with the largest probabilities precede
    it, so that an assignment of ranks to clients bounds the sum on the right. The bound is 0 where losses may
    differ so much that the clients never selected account for all of F.
    """
    from scipy.optimize import linear_sum_assignment

    p = pencil.problem.p
    spread = spread_bound(pencil.matrices, p)
    never = float(np.sort(p)[::-1][: strategy.pool - strategy.count].sum())
    if spread * never >= 1:
        return 0.0  # the clients ranked last, which are never selected, may account for all of F
    shares = minimum_shares(strategy, p)
    weighted = p > 0
    ratio = shares[weighted] / p[weighted, None]

    def bound(theta: float) -> float:
        weights = p[weighted, None] * np.maximum(theta - ratio, 0.0) ** 2
        most = float(weights[linear_sum_assignment(weights, maximize=True)].sum())
        return theta - sqrt(spread * most)

    grid = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 61) * max(float(ratio.max()), 1.0)])
    return max(bound(float(theta)) for theta in grid)


def spread_bound(A: Array, p: Array) -> float:
    """An upper bound on sum p_k (z' A_k z)^2 over unit vectors z; A is (m, n, n)."""
    X, best = np.eye(A.shape[-1]), np.inf
    for _ in range(_STEPS):
        values, vectors = np.linalg.eigh(X)
        root = (vectors / np.sqrt(values)) @ vectors.T
        image = np.tensordot(p, A @ X @ A, 1)
        best = min(best, float(np.linalg.eigvalsh(root @ image @ root)[-1]))
        # away from the boundary of the cone, where the bound would be lost to rounding
        X = image / np.trace(image) + 1e-6 * np.eye(len(X))
    return best


def minimum_shares(strategy: Strategy, p: Array) -> Array:
    """The minimal share of client k at rank j over all orders, (m, m): client, rank."""
    m = len(p)
    refuse_larger(40 * m**2, f"the bound on the skew over all orders of {m:,} losses", "use fewer clients")
    probabilities = strategy.sampling_probabilities(p)
    heavy = np.argsort(-probabilities, kind="stable")
    least = np.empty((m, m))
    for k in range(m):
        # f(W) is the share of W when W is ahead of all others: the share of k behind W is f(W and k) - f(W)
        ahead = heavy[heavy != k]
        first, last = np.append(k, ahead), np.append(ahead, k)
        shares = strategy.shares(p, np.stack([first, last]))
        with_k, without = np.cumsum(shares[0, first]), np.cumsum(shares[1, last])
        least[k] = with_k - np.append(0.0, without[:-1])
    return np.maximum(least, 0.0)


def skew_interval(problem: Quadratic, within: Any) -> tuple[float, float]:
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


def minimum_on_line(pencil: Pencil, strategy: Strategy, ends: tuple[float, float]) -> MinimumSkew:
    """The minimum of rho(S(pi, x), x') over x and x' between the ends, which may be infinite."""
    problem = pencil.problem
    one_for_all = problem.m > 1 and not strategy.uses_losses and ends[0] < ends[1]
    orders = np.arange(problem.m)[None] if one_for_all else np.unique(cells(problem, ends)[1], axis=0)
    if len(orders) == 0:
        return MinimumSkew(1.0, 1.0, True, "the interval is one point")
    shares = np.unique(strategy.shares(problem.p, orders), axis=0)
    if np.isinf(ends).all():
        least, where = pencil.least(shares), "the whole line"
    else:
        least, where = _between(pencil, shares, ends), f"the interval [{ends[0]:g}, {ends[1]:g}]"
    low = float(least.min())
    number = len(orders)
    if one_for_all:
        return MinimumSkew(low, low, True, f"the selection does not depend on the losses; {where}")
    each = "the only order" if number == 1 else f"the least of the {number} orders"
    return MinimumSkew(low, low, True, f"{each} of losses that occur{'s' if number == 1 else ''} on {where}")


def _between(pencil: Pencil, shares: Array, ends: tuple[float, float]) -> Array:
    """min of N(x')/P(x') over an interval: at its ends, or where the quadratic N'P - NP' is 0."""
    problem = pencil.problem
    c, (low, high) = problem.centre[0], ends
    h, offset = problem.H[:, 0], c - problem.e[:, 0]
    forms = np.stack([h / 2, h * offset, h * offset**2 / 2])  # F_k(c + u) = f0 u^2 + f1 u + f2
    P0, P2 = float(forms[0] @ problem.p), pencil.gamma  # no linear part at x*
    minima = np.full(len(shares), np.inf)
    for i, (N0, N1, N2) in enumerate(shares @ forms.T):
        # (2 N0 u + N1)(P0 u^2 + P2) - (N0 u^2 + N1 u + N2) 2 P0 u
        turns = np.roots([-N1 * P0, 2 * (N0 * P2 - N2 * P0), N1 * P2]) if P2 > 0 else np.empty(0)
        inner = turns[np.isreal(turns)].real
        u = np.concatenate([[low - c, high - c], np.clip(inner, low - c, high - c)])
        size = P0 * u**2 + P2
        ratio = (N0 * u**2 + N1 * u + N2)[size > 0] / size[size > 0]
        minima[i] = max(ratio.min(), 0.0) if len(ratio) else 1.0
    return minima


MOST_ORDERS = 50_000
MOST_CHECKS = 300


@dataclass(frozen=True)
class MinimumSkew:
    """No skew is below ``low``; ``high`` is attained; ``exact``: they are the same number."""

    low: float
    high: float
    exact: bool
    how: str


def minimum_in_space(pencil: Pencil, strategy: Strategy, samples: int, seed: int) -> MinimumSkew:
    """The minimum of rho(S(pi, x), x') over all x and x', or a lower and an upper bound on it."""
    problem = pencil.problem
    eligible = np.flatnonzero(strategy.sampling_probabilities(problem.p) > 0)
    models = sample_models(pencil, samples, seed)
    sampled = np.unique(order_at(problem, models), axis=0)
    high = float(pencil.least(strategy.shares(problem.p, sampled)).min())
    number = number_of_orders(len(eligible), strategy)
    if number > MOST_ORDERS:
        low, why = _lower_bound(pencil, strategy, eligible)
        upper = f"above: {len(sampled)} orders at {len(models)} models"
        return MinimumSkew(
            min(low, high), high, False, f"below: {why}, over all {number:.3g} orders; {upper}"
        )
    orders = all_orders(eligible, strategy)
    values = pencil.least(strategy.shares(problem.p, _completed_orders(pencil, orders)))
    return _first_attainable(pencil, strategy, orders, values, high)


def _first_attainable(
    pencil: Pencil, strategy: Strategy, orders: NDArray[np.intp], values: Array, high: float
) -> MinimumSkew:
    """Check the feasibility of orders by increasing value; ``high`` is attained."""
    open_from = np.inf  # the smallest value of an undecided order
    for i in np.argsort(values, kind="stable")[:MOST_CHECKS]:
        value = float(values[i])
        if value >= high - 1e-12:
            break
        attainable = is_attainable(pencil, required_pairs(orders[i], strategy))
        if attainable:
            high = value
            break
        if attainable is None:
            open_from = min(open_from, value)
    else:
        open_from = min(open_from, float(np.sort(values)[:MOST_CHECKS][-1]))
    number = len(orders)
    if open_from >= high:
        how = (
            "the only order of losses"
            if number == 1
            else f"the {number} orders of losses; no smaller one occurs"
        )
        return MinimumSkew(high, high, True, how)
    how = (
        f"below: the least of {number} orders of losses not shown to be impossible; above: the least attained"
    )
    return MinimumSkew(open_from, high, False, how)


def _lower_bound(pencil: Pencil, strategy: Strategy, eligible: NDArray[np.intp]) -> tuple[float, str]:
    """The better of two bounds over all orders: the spread of losses, and the smallest losses."""
    bounds = [(0.0, "zero"), (bound_over_orders(pencil, strategy), "the spread of the losses")]
    # the smallest ``count`` losses among candidates are no smaller than the smallest ``count`` of all
    all_candidates = Strategy(strategy.count, len(eligible), probabilities=strategy.probabilities)
    if number_of_orders(len(eligible), all_candidates) <= MOST_ORDERS:
        values = pencil.least(
            all_candidates.shares(
                pencil.problem.p, _completed_orders(pencil, all_orders(eligible, all_candidates))
            )
        )
        bounds.append((float(values.min()), f"the {strategy.count} clients with the smallest losses of all"))
    return max(bounds)


def _completed_orders(pencil: Pencil, orders: NDArray[np.intp]) -> NDArray[np.intp]:
    """Orders of the clients of positive probability, followed by those of probability 0."""
    rest = np.setdiff1d(np.arange(pencil.problem.m), orders[0])
    return np.hstack([orders, np.tile(rest, (len(orders), 1))])


def sample_models(pencil: Pencil, samples: int, seed: int) -> Array:
    """Random models around x*, on scales from 1/100 to 1000 times the spread of the minimisers."""
    if samples < 1:
        raise BoundkitError(f"samples = {samples} was given, but at least 1 is needed.")
    problem = pencil.problem
    rng = np.random.default_rng(seed)
    reach = float(np.linalg.norm(problem.e - problem.centre, axis=1).max()) or 1.0
    scale = reach * 10 ** rng.uniform(-2, 3, samples)
    offset = scale[:, None] * rng.standard_normal((samples, problem.d)) / problem.d**0.5
    return np.asarray(problem.centre + offset)
