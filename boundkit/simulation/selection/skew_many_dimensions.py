"""rho_bar in more than one dimension: all orders where they are few, else a bound over all.

Every order of losses has its minimal skew, an eigenvalue. Orders are checked for feasibility in increasing
order of these eigenvalues: the first feasible one decides. For equal Hessians, and for few clients in few
dimensions, feasibility is always decided. An undecided order leaves its eigenvalue as a lower bound, and
the minimum over feasible orders as an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection.attainable_orders import occurs
from boundkit.simulation.selection.orderings import all_orders, demands, number_of_orders, order_at
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.skew_bound import least_over_orders
from boundkit.simulation.selection.strategy import Strategy

MOST_ORDERS = 50_000
MOST_QUESTIONS = 300


@dataclass(frozen=True)
class Least:
    """No skew is below ``low``; ``high`` is attained; ``exact``: they are the same number."""

    low: float
    high: float
    exact: bool
    how: str


def least_in_space(pencil: Pencil, strategy: Strategy, samples: int, seed: int) -> Least:
    """The minimum of rho(S(pi, x), x') over all x and x', or a lower and an upper bound on it."""
    problem = pencil.problem
    able = np.flatnonzero(strategy.drawn(problem.p) > 0)
    models = some_models(pencil, samples, seed)
    sampled = np.unique(order_at(problem, models), axis=0)
    high = float(pencil.least(strategy.shares(problem.p, sampled)).min())
    number = number_of_orders(len(able), strategy)
    if number > MOST_ORDERS:
        low, why = _below(pencil, strategy, able)
        seen = f"above: {len(sampled)} orders seen at {len(models)} models"
        return Least(min(low, high), high, False, f"below: {why}, over all {number:.3g} orders; {seen}")
    orders = all_orders(able, strategy)
    values = pencil.least(strategy.shares(problem.p, _whole(pencil, orders)))
    return _walk(pencil, strategy, orders, values, high)


def _walk(pencil: Pencil, strategy: Strategy, orders: NDArray[np.intp], values: Array, high: float) -> Least:
    """Check the feasibility of orders by increasing value; ``high`` is attained."""
    open_from = np.inf  # the smallest value of an undecided order
    for i in np.argsort(values, kind="stable")[:MOST_QUESTIONS]:
        value = float(values[i])
        if value >= high - 1e-12:
            break
        answer = occurs(pencil, demands(orders[i], strategy))
        if answer:
            high = value
            break
        if answer is None:
            open_from = min(open_from, value)
    else:
        open_from = min(open_from, float(np.sort(values)[:MOST_QUESTIONS][-1]))
    number = len(orders)
    if open_from >= high:
        said = (
            "the only order of losses"
            if number == 1
            else f"the {number} orders of losses; no smaller one occurs"
        )
        return Least(high, high, True, said)
    how = f"below: the least of {number} orders of losses not shown to be impossible; above: the least found"
    return Least(open_from, high, False, how)


def _below(pencil: Pencil, strategy: Strategy, able: NDArray[np.intp]) -> tuple[float, str]:
    """The better of two bounds over all orders: the spread of losses, and the smallest losses."""
    found = [(0.0, "nothing but 0"), (least_over_orders(pencil, strategy), "the spread of the losses")]
    # the smallest ``count`` losses among candidates are no smaller than the smallest ``count`` of all
    everyone = Strategy(strategy.count, len(able), chances=strategy.chances)
    if number_of_orders(len(able), everyone) <= MOST_ORDERS:
        values = pencil.least(everyone.shares(pencil.problem.p, _whole(pencil, all_orders(able, everyone))))
        found.append((float(values.min()), f"the {strategy.count} clients that cost least of all"))
    return max(found)


def _whole(pencil: Pencil, orders: NDArray[np.intp]) -> NDArray[np.intp]:
    """Orders of the clients of positive probability, followed by those of probability 0."""
    rest = np.setdiff1d(np.arange(pencil.problem.m), orders[0])
    return np.hstack([orders, np.tile(rest, (len(orders), 1))])


def some_models(pencil: Pencil, samples: int, seed: int) -> Array:
    """Random models around x*, on scales from 1/100 to 1000 times the spread of the minimisers."""
    if samples < 1:
        raise BoundkitError(f"samples = {samples} was given, but at least 1 is needed.")
    problem = pencil.problem
    rng = np.random.default_rng(seed)
    reach = float(np.linalg.norm(problem.e - problem.centre, axis=1).max()) or 1.0
    scale = reach * 10 ** rng.uniform(-2, 3, samples)
    away = scale[:, None] * rng.standard_normal((samples, problem.d)) / problem.d**0.5
    return np.asarray(problem.centre + away)
