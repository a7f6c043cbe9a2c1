"""Gradients, losses and Hessian norms at points of a trajectory, computed once for several estimates.

Infima of the losses, of every client and of their mean, bracketed by descent and by lower bounds.

Gradient descent with Barzilai-Borwein steps s's/|s'y|, one step size a client, halved where a loss increases.
The loss that descent reaches is an upper bound of the infimum. Lower bounds are 0 of a cross entropy, and the
loss less ||grad||^2/(2 mu) where it is mu-strongly convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import Participation
from boundkit.simulation.problems import Network, Problem
from boundkit.verification.estimate.curvature import Norms, client_norms, mean_norm

LossAndGradient = Callable[[Array], tuple[Array, Array]]
"""Losses (K,) and gradients (K, d) at points (K, d)."""
STEPS = 100
_DONE = 1e-10


@dataclass(frozen=True)
class Minima:
    """Losses that descent reached, of the clients (m,) and of F, and lower bounds of their infima.

    ``point``: the point with the smallest F, (d,).
    """

    reached: Array
    lower_bound: Array
    mean_reached: float
    mean_lower_bound: float
    point: Array


def minima(problem: Problem, x: Array, steps: int = STEPS) -> Minima:
    """Minimise every client's loss and their mean from x; known minima and optima are used instead."""
    clients, p = np.arange(problem.m), problem.p

    def of_clients(y: Array) -> tuple[Array, Array]:
        return problem.losses_at(clients, y[None])[0], problem.gradients(clients, y[None])(y[None])[0]

    def of_mean(y: Array) -> tuple[Array, Array]:
        losses, gradients = of_clients(np.broadcast_to(y, (problem.m, problem.d)))
        return (p @ losses)[None], (p @ gradients)[None]

    given, optimum = problem.minima, problem.optimum
    mu, least = _from_below(problem, x)
    if given is None:
        _, losses, squared_gradient = descent(of_clients, np.repeat(x[None], problem.m, axis=0), steps)
        reached, lower_bound = (
            losses,
            np.maximum(least, losses - squared_gradient / (2 * mu) if mu else np.full(problem.m, -np.inf)),
        )
    else:
        reached = lower_bound = np.asarray(given)
    point, mean, squared_gradient = descent(of_mean, (x if optimum is None else optimum)[None], steps)
    mean_bound = mean[0] - squared_gradient[0] / (2 * mu) if mu else -np.inf
    return Minima(
        reached, lower_bound, float(mean[0]), float(max(mean_bound, problem.p @ lower_bound)), point[0]
    )


def _from_below(problem: Problem, x: Array) -> tuple[float, float]:
    """mu, 0 where it is not available, and a lower bound of every client's loss."""
    constants = problem.constants(x)
    mu = constants["mu"].value if "mu" in constants else 0.0
    entropy = isinstance(problem, Network) and getattr(problem.architecture, "loss", None) is None
    return mu, 0.0 if entropy else -np.inf


@np.errstate(over="ignore", invalid="ignore")  # a trial whose loss is not finite is refused
def descent(evaluate: LossAndGradient, x: Array, steps: int) -> tuple[Array, Array, Array]:
    """The best of ``steps`` iterates of each row: points (K, d), losses (K,), and ||grad||^2 there (K,)."""
    loss, g = evaluate(x)
    best, least, squared_gradient = x, loss, (g**2).sum(axis=-1)
    rate = 1 / np.maximum(np.sqrt(squared_gradient), 1.0)
    for _ in range(steps):
        if (squared_gradient <= _DONE**2).all():
            break
        trial = x - rate[:, None] * g
        trial_loss, trial_gradient = evaluate(trial)
        s, y = trial - x, trial_gradient - g
        curvature = np.abs((s * y).sum(axis=-1))
        step = (s * s).sum(axis=-1) / np.maximum(curvature, 1e-300)
        accepted = (trial_loss <= loss + 1e-12 * np.abs(loss)) & np.isfinite(trial_loss)
        largest = np.minimum(np.minimum(step, 1e6), 10 * rate)
        rate = np.where(accepted & (curvature > 0), largest, rate / 2)
        x, g = np.where(accepted[:, None], trial, x), np.where(accepted[:, None], trial_gradient, g)
        loss = np.where(accepted, trial_loss, loss)
        improved = loss < least
        best = np.where(improved[:, None], x, best)
        squared_gradient = np.where(improved, (g**2).sum(axis=-1), squared_gradient)
        least = np.where(improved, loss, least)
    return best, least, squared_gradient


@dataclass(frozen=True)
class Gradients:
    """At each point: ||grad F||^2, sum p_i ||grad F_i||^2, max_i ||grad F_i - grad F||^2; (P,) each."""

    mean: Array
    moment: Array
    largest_deviation: Array

    @property
    def dissimilarity(self) -> Array:
        """sum p_i ||grad F_i - grad F||^2."""
        return np.maximum(self.moment - self.mean, 0.0)


@dataclass(frozen=True)
class LocalEvaluations:
    """A problem at ``points``, (P, d), of ``rounds``, (P,); Hessians are taken at ``hessians`` of them.

    ``participation``: of the run, for the skew of a selection.
    """

    problem: Problem
    points: Array
    rounds: tuple[int, ...]
    participation: Participation | None = None
    seed: int = 0
    hessians: int = 5

    @cached_property
    def hessian_points(self) -> list[int]:
        """The points at which Hessians are taken: evenly spaced, with the first and the last."""
        count = min(self.hessians, len(self.points))
        return sorted(set(np.linspace(0, len(self.points) - 1, count).round().astype(int).tolist()))

    def describe_rounds(self, which: list[int] | None = None) -> str:
        """The rounds of these points, in words."""
        rounds = [self.rounds[k] for k in (range(len(self.rounds)) if which is None else which)]
        if len(rounds) == 1:
            return f"x_{rounds[0]}"
        if len(rounds) > 6:
            return f"{len(rounds)} iterates from x_{rounds[0]} to x_{rounds[-1]}"
        return ", ".join(f"x_{t}" for t in rounds)

    @cached_property
    def gradients(self) -> Gradients:
        """Squared lengths of the clients' full gradients, and of their deviations from the mean."""
        p, rows = self.problem.p, []
        for x in self.points:
            each = self.problem.client_gradients(x[None])[0]
            mean = p @ each
            squares = (each**2).sum(axis=1)
            rows.append((mean @ mean, p @ squares, (((each - mean) ** 2).sum(axis=1)).max()))
        return Gradients(*np.array(rows).T)

    @cached_property
    def losses(self) -> Array:
        """F_i of every client at every point, (P, m)."""
        return np.stack([np.asarray(self.problem.losses(x)) for x in self.points])

    @cached_property
    def client_norms(self) -> list[Norms]:
        """||H_i|| of every client at ``hessian_points``."""
        results: list[Norms] = []
        for k in self.hessian_points:
            start = results[-1].vectors if results else None
            results.append(client_norms(self.problem, self.points[k], start, self.seed))
        return results

    @cached_property
    def mean_norms(self) -> Array:
        """||hess F|| at ``hessian_points``, with the other end of each interval: (2, few)."""
        ends, start = [], None
        for k in self.hessian_points:
            low, high, start = mean_norm(self.problem, self.points[k], start, self.seed)
            ends.append((low, high))
        return np.array(ends).T

    @cached_property
    def minima(self) -> Minima:
        """The smallest losses that descent reaches, of F and of each client, from the best point."""
        return minima(self.problem, self.points[int(np.argmin(self.losses @ self.problem.p))])
