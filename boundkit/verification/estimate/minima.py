"""The least losses that descent finds: of every client alone, and of their mean.

Gradient descent with Barzilai-Borwein steps s's/|s'y|, one step length a client, halved where a loss rises. A
loss that descent reaches is an upper bound of the least one. From below a loss is at least 0 where it is a
cross entropy, and where it is mu-strongly convex at least what it is less ||grad||^2/(2 mu).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.problems.base import Array

if TYPE_CHECKING:
    import torch

    Ask = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]

STEPS = 100
_DONE = 1e-10


@dataclass(frozen=True)
class Minima:
    """Least losses of the clients, (m,), and of F: what was reached, and what none can be below.

    ``point``: where F is least, (d,).
    """

    reached: Array
    floor: Array
    mean_reached: float
    mean_floor: float
    point: Array


def minima(problem: Problem, x: Array, steps: int = STEPS) -> Minima:
    """Descent from x for each client alone, and for their mean. From where it is known, nothing is sought."""
    import torch

    everyone = np.arange(problem.m)
    p = torch.as_tensor(problem.p)
    start = torch.as_tensor(x, dtype=torch.float64)

    def of_clients(y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return problem.losses_at(everyone, y[None])[0], problem.gradients(everyone, y[None])(y[None])[0]

    def of_mean(y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        each = of_clients(y.expand(problem.m, problem.d).contiguous())
        return (each[0] @ p)[None], (p @ each[1])[None]

    known, bottom = problem.minima, problem.optimum
    mu, least = _from_below(problem, x)
    if known is None:
        _, own, left = descent(of_clients, start.expand(problem.m, -1).clone(), steps)
        reached, floor = own, np.maximum(least, own - left / (2 * mu) if mu else np.full(problem.m, -np.inf))
    else:
        reached = floor = np.asarray(known)
    point, mean, left = descent(of_mean, torch.as_tensor(x if bottom is None else bottom)[None], steps)
    below = mean[0] - left[0] / (2 * mu) if mu else -np.inf
    return Minima(reached, floor, float(mean[0]), float(max(below, problem.p @ floor)), point[0])


def _from_below(problem: Problem, x: Array) -> tuple[float, float]:
    """mu, 0 where none is known, and a number that no client's loss is below."""
    found = problem.constants(x)
    mu = found["mu"].value if "mu" in found else 0.0
    entropy = isinstance(problem, Network) and getattr(problem.architecture, "loss", None) is None
    return mu, 0.0 if entropy else -np.inf


def descent(ask: Ask, x: torch.Tensor, steps: int) -> tuple[Array, Array, Array]:
    """The best of ``steps`` points of each row: points (K, d), losses (K,), and ||grad||^2 there (K,)."""
    loss, g = ask(x)
    best, least, left = x.clone(), loss.clone(), g.square().sum(-1)
    rate = 1 / left.sqrt().clamp_min(1.0)
    for _ in range(steps):
        if bool((left <= _DONE**2).all()):
            break
        there = x - rate[:, None] * g
        lower, slope = ask(there)
        s, y = there - x, slope - g
        bent = (s * y).sum(-1).abs()
        grown = (s * s).sum(-1) / bent.clamp_min(1e-300)
        good = (lower <= loss + 1e-12 * loss.abs()) & lower.isfinite()
        rate = (grown.clamp(max=1e6).minimum(10 * rate)).where(good & (bent > 0), rate / 2)
        x, g = there.where(good[:, None], x), slope.where(good[:, None], g)
        loss = lower.where(good, loss)
        squares = g.square().sum(-1)
        won = loss < least
        best, left = best.where(~won[:, None], x), left.where(~won, squares)
        least = least.where(~won, loss)
    return best.numpy(), least.numpy(), left.numpy()
