"""Selection by largest losses on the published clients: faster initial decrease, higher error floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection import Strategy, published_instance, selection_limit

RANDOM = "drawn by p"


@dataclass(frozen=True)
class FastThenBiased:
    """``gaps``: F(x_T) - F* at each T of ``rounds``, by selection; ``floors``: its limit as eta -> 0."""

    rounds: tuple[int, ...]
    gaps: dict[str, tuple[float, ...]]
    floors: dict[str, float]

    @property
    def leaders(self) -> tuple[str, ...]:
        """The selection with the smallest loss at each of the rounds."""
        return tuple(min(self.gaps, key=lambda name: self.gaps[name][i]) for i in range(len(self.rounds)))


def power_of_choice(
    rounds: Sequence[int] = (500, 1500, 5000, 15000), candidates: Sequence[int] = (6, 30), replicas: int = 8
) -> FastThenBiased:
    """3 of the 30 published clients a round, eta = 2e-5, tau = 2: drawn by p, and by losses among
    d candidates.

    The more candidates, the faster the initial decrease and the higher the error floor: about 18 for 6 and
    2165 for 30. The order of the three is reversed between 5000 and 15000 rounds.
    """
    problem, start = published_instance()
    selections: dict[str, int | None] = {RANDOM: None} | {f"{d} candidates": d for d in candidates}
    gaps, floors = {}, {}
    for name, d in selections.items():
        means = mean_gaps(
            problem, start, eta=2e-5, tau=2, count=3, candidates=d, rounds=rounds, replicas=replicas
        )
        gaps[name] = tuple(means.tolist())
        strategy = Strategy(3, replacement=True) if d is None else Strategy(3, d)
        floors[name] = selection_limit(problem, strategy).loss_gap
    return FastThenBiased(tuple(rounds), gaps, floors)


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

    tau local steps of eta take client k from x to e_k + (1 - eta h_k)^tau (x - e_k), so a round is one step.
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
