"""Trajectories of loss-based client selection on isotropic quadratics without noise, one step a round.

tau local steps of eta take client k from x to e_k + (1 - eta h_k)^tau (x - e_k): a round is one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic


def mean_gaps(problem: Quadratic, start: Array, *, rounds: Sequence[int], **settings: Any) -> Array:
    """F(x_T) - F* at each T of ``rounds`` in the mean over replicas, (len(rounds),); see ``all_gaps``."""
    return np.asarray(all_gaps(problem, start, rounds=rounds, **settings).mean(axis=0))


def all_gaps(
    problem: Quadratic,
    start: Array,
    *,
    eta: float,
    tau: int,
    count: int,
    candidates: int | None,
    rounds: Sequence[int],
    replicas: int = 8,
    seed: int = 0,
) -> Array:
    """F(x_T) - F* of every replica at each T of ``rounds``, which rise; (replicas, len(rounds)).

    Of ``candidates`` drawn by p without replacement the ``count`` largest losses participate; without
    candidates, ``count`` clients drawn by p with replacement. With all as candidates there is one replica.
    Raises BoundkitError where some Hessian is no multiple of the identity.
    """
    if not problem.diagonal or np.ptp(problem.H, axis=1).max() > 0:
        raise BoundkitError("rounds are taken in one step where every Hessian is h_k I, and here one is not.")
    h, rng = problem.H[:, 0], np.random.default_rng(seed)
    contraction = ((1 - eta * h) ** tau)[:, None]
    shift = (1 - contraction) * problem.e
    R = 1 if candidates == problem.m else replicas
    x, gaps = np.tile(np.asarray(start, dtype=float), (R, 1)), []
    for t in range(rounds[-1] + 1):
        if t in rounds:
            gaps.append(problem.observe(x)["loss_gap"])
        if candidates is None:
            chosen = rng.choice(problem.m, size=(R, count), p=problem.p)
        else:
            chosen = _largest(problem, h, x, rng, count, candidates)
        x = (contraction[chosen] * x[:, None, :] + shift[chosen]).mean(axis=1)
    return np.stack(gaps, axis=1)


def _largest(
    problem: Quadratic, h: Array, x: Array, rng: np.random.Generator, count: int, candidates: int
) -> np.ndarray:
    losses = h * ((x[:, None, :] - problem.e) ** 2).sum(axis=2)
    if candidates < problem.m:
        arrival = rng.standard_exponential(losses.shape) / problem.p
        last = np.partition(arrival, candidates - 1, axis=1)[:, candidates - 1 : candidates]
        losses = np.where(arrival <= last, losses, -np.inf)
    return np.argpartition(-losses, count - 1, axis=1)[:, :count]
