"""Gradients, losses and Hessian norms at points of a trajectory, computed once for several estimates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import Participation
from boundkit.simulation.problems import Problem
from boundkit.verification.estimate.curvature import Norms, client_norms, mean_norm
from boundkit.verification.estimate.minima import Minima, minima


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
