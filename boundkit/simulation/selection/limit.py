r"""Small-step limit of selection by losses: the minimiser of another, convex objective.

Of the candidates A the ``count`` largest losses are taken, and the sum of the largest of some convex
functions is convex, with the sum of their gradients as a subgradient. So power of choice is stochastic
subgradient descent on

    Phi(x) = E_A [ (1/count) sum of the ``count`` largest F_k(x), k in A ] = max over orders sum q_k F_k(x),

for any probabilities and numbers of local steps, and as eta -> 0 it converges to the minimiser of Phi, not of
F. With all clients as candidates and count = 1, this is minimax optimisation. In one dimension the minimiser
is the stationary point of one order, or a crossing of two losses (sliding mode).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection.orderings import cells, order_at
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.strategy import Strategy, strategy_of

_PLAIN = ("fedavg", "local_sgd", "minibatch_sgd")


def small_step_limit(run: Run) -> SelectionLimit:
    """selection_limit of the run's selection, where it applies.

    Momentum, noise, a server step size and equal local step counts do not change the limit.

    Raises BoundkitError for an algorithm other than FedAvg, for selected clients that are not averaged with
    equal weights or take different numbers of local steps, and where there is no strategy or no limit.
    """
    if run.algorithm.name not in _PLAIN:
        raise BoundkitError(f"the small-step limit is computed for fedavg, not for {run.algorithm.name}.")
    reason = unequal_averaging(run)
    if reason:
        raise BoundkitError(f"the small-step limit is computed for a plain average, but {reason}.")
    if np.ptp(run.local_steps, axis=1).max() > 0:
        raise BoundkitError("the small-step limit is computed for clients with equal numbers of local steps.")
    strategy = strategy_of(run.participation)
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"the small-step limit is computed for quadratics, not for {run.problem.kind}.")
    return selection_limit(run.problem, strategy)


def unequal_averaging(run: Run) -> str:
    """The reason why the selected clients are not averaged with equal weights; empty where they are."""
    how = run.algorithm.settings.get("aggregation", "weighted")
    if how == "mean" or (how == "weighted" and run.problem.equal_weights):
        return ""
    return f"the run has aggregation {how!r}, and only 'mean' is plain" + (
        " where p is not uniform" if how == "weighted" else ""
    )


_ROUNDS = 200


@dataclass(frozen=True)
class SelectionLimit:
    """The minimiser of Phi.

    ``model``: (d,). ``value``: Phi there. ``loss_gap``: F - F* there, the error floor as eta -> 0.
    ``error``: Phi >= value - error at all models; 0 in one dimension. ``shares``: q for which the weighted
    loss sum q_k F_k has the same minimiser: the effective weights of the selection.
    """

    model: Array
    value: float
    loss_gap: float
    error: float
    shares: Array

    def _repr_html_(self) -> str:
        from boundkit.report.html import heading, html_table

        rows = [
            ["model", _listed(self.model)],
            ["loss above its minimum", f"{self.loss_gap:.6g}"],
            ["effective weights of the clients", _listed(self.shares)],
        ]
        return heading("The limit of a selection by losses as the step size tends to 0") + html_table(
            ["", ""], rows
        )


def _listed(values: Array) -> str:
    shown = ", ".join(f"{x:.6g}" for x in values[:8])
    return f"({shown}{', ...' if len(values) > 8 else ''})"


def selection_limit(problem: Quadratic, strategy: Strategy) -> SelectionLimit:
    """The minimiser of Phi: from crossings of losses in one dimension, else from mixtures of visited orders.

    >>> line = Quadratic([1, 1, 1], [[-1.0], [0.2], [2.0]])
    >>> limit = selection_limit(line, Strategy(count=1, candidates=2))
    >>> limit.model.round(12).tolist(), round(limit.loss_gap, 12)
    ([0.5], 0.005)

    Raises BoundkitError for other than quadratics, clients without a minimiser, and a mean loss without a
    unique minimiser; and where the losses of the selected clients do not grow in some direction.
    """
    Pencil.of(problem)
    shares = _on_line(problem, strategy) if problem.d == 1 else _in_space(problem, strategy)
    H = np.tensordot(shares, problem.H, 1)
    curvature = np.sort(H) if problem.diagonal else np.linalg.eigvalsh(H)
    if curvature[0] <= 1e-12 * curvature[-1]:
        raise BoundkitError("the losses of the selected clients are constant in some direction.")
    model = stationary(problem, shares)
    value = float(selection_shares(problem, strategy, model) @ problem.losses(model))
    gap = float(problem.observe(model[None])["loss_gap"][0])
    return SelectionLimit(model, value, gap, max(value - float(shares @ problem.losses(model)), 0.0), shares)


def selection_shares(problem: Quadratic, strategy: Strategy, model: Array) -> Array:
    """q_k = P(k in S(pi, x))/count at one model (d,); (m,)."""
    return np.asarray(strategy.shares(problem.p, order_at(problem, model[None]))[0])


def stationary(problem: Quadratic, shares: Array) -> Array:
    """The minimiser of sum q_k F_k, (d,); of several, the one nearest to x*."""
    H = np.tensordot(shares, problem.H, 1)
    pull = shares @ problem.apply(problem.e - problem.centre)
    full = np.diag(H) if problem.diagonal else H
    return np.asarray(problem.centre + np.linalg.lstsq(full, pull, rcond=1e-13)[0])


def _on_line(problem: Quadratic, strategy: Strategy) -> Array:
    """The weights q of the minimiser: of an interval, or a mixture of the two adjacent to a crossing."""
    spans, orders = cells(problem, (-np.inf, np.inf))
    shares = strategy.shares(problem.p, orders)
    h, e = problem.H[:, 0], problem.e[:, 0]
    curve, pull = shares @ h, shares @ (h * e)
    # Phi' = curve x - pull increases: the minimiser is in the first interval at whose end it is not negative
    with np.errstate(invalid="ignore"):
        at_end = np.where(
            np.isinf(spans[:, 1]), np.where(curve > 0, np.inf, -pull), curve * spans[:, 1] - pull
        )
    i = int(np.argmax(at_end >= 0))
    start = spans[i, 0]
    right = curve[i] * start - pull[i] if np.isfinite(start) else -np.inf
    if right <= 0 or i == 0:
        return np.asarray(shares[i])
    left = curve[i - 1] * start - pull[i - 1]
    part = right / (right - left)
    return np.asarray(part * shares[i - 1] + (1 - part) * shares[i])


def _in_space(problem: Quadratic, strategy: Strategy) -> Array:
    """Cutting planes: minimise the largest weighted loss of the visited orders, until it equals Phi."""
    visited = selection_shares(problem, strategy, problem.centre)[None]
    best, lowest, highest = visited[0], -np.inf, np.inf
    for _ in range(_ROUNDS):
        weights = visited.T @ _mixture(problem, visited)
        x = stationary(problem, weights)
        losses = problem.losses(x)
        if weights @ losses > lowest:
            best, lowest = weights, float(weights @ losses)
        new = selection_shares(problem, strategy, x)
        highest = min(highest, float(new @ losses))
        if highest - lowest <= 1e-12 * abs(highest) or (np.abs(visited - new).max(1) <= 1e-14).any():
            break
        visited = np.vstack([visited, new])
    return np.asarray(best)


def _mixture(problem: Quadratic, visited: Array) -> Array:
    """The mixture w of rows of shares with the largest minimum of sum (w' visited)_k F_k: concave in w."""
    from scipy.optimize import minimize

    if len(visited) == 1:
        return np.ones(1)
    scale = float(problem.losses(problem.centre) @ problem.p) or 1.0

    def objective(w: Any) -> tuple[float, Array]:
        weights = np.maximum(w, 0.0) @ visited
        losses = problem.losses(stationary(problem, weights))
        return -float(weights @ losses) / scale, -(visited @ losses) / scale

    task: dict[str, Any] = {
        "jac": True,
        "method": "SLSQP",
        "bounds": [(0, 1)] * len(visited),
        "constraints": {"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(visited))},
        "tol": 1e-15,
        "options": {"maxiter": 500},
    }
    w = np.maximum(minimize(objective, np.full(len(visited), 1 / len(visited)), **task).x, 0.0)
    return np.asarray(w / w.sum())
