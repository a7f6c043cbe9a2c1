"""One cell at every step size of its grid, and the best of them: the least median of rounds.

A step size that can no longer be the best is given up, which changes neither the choice nor the numbers of
the best: a replica that has not arrived after round t takes more than t rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median as middle
from typing import Any

import numpy as np

from boundkit.studies.rounds_to_target.cells import Cell, Question
from boundkit.studies.rounds_to_target.censored_median import median
from boundkit.studies.rounds_to_target.first_passage import Array, Passage
from boundkit.studies.rounds_to_target.level_crossing import best_so_far, crossing
from boundkit.studies.rounds_to_target.networks import network_of, run_of


@dataclass(frozen=True)
class _Tried:
    """One step size: when each replica arrived (None: not within the rounds walked), and how near it came."""

    eta: float
    rounds: list[float | None]
    levels: Array
    best: Array
    diverged: int
    given_up: bool

    def to_json(self) -> dict[str, Any]:
        return {"eta": self.eta, "rounds": self.rounds, "best": _numbers(self.best),
                "walked": self.levels.shape[1] - 1, "diverged": self.diverged,
                "given_up": self.given_up}  # fmt: skip


def tuned_cell(cell: Cell, question: Question) -> dict[str, Any]:
    """The record of a cell: what every step size came to, and the curves of the best, ``chosen``.

    ``rounds``: of each replica, null where it took more than the cap (more than ``walked`` where the step
    size was given up). ``best``: the best level that each replica saw; ``curves``: its level after rounds 0,
    1, ..., null once it diverged. ``steps``: local steps a round, the mean over all clients.
    """
    network = network_of(cell, question)
    tried: dict[float, _Tried] = {}
    chosen, least = question.etas[0], (True, float("inf"), 0.0)
    random = True
    for eta in from_the_middle(question.etas):
        run = run_of(cell, question, eta, network)
        walk = Passage(run, network, question.target, question.replicas, question.dtype, question.device)
        random = walk.random
        tried[eta] = _walked(walk, eta, float("inf") if least[0] else least[1])
        rank = _rank(tried[eta], question)
        if rank < least or len(tried) == 1:
            chosen, least = eta, rank
    steps = network.epochs([cell.E] * network.m)
    return {"cell": cell.to_json(), "random": random, "steps": float(np.mean(steps)), "chosen": chosen,
            "etas": [tried[eta].to_json() for eta in question.etas],
            "curves": _numbers(tried[chosen].levels)}  # fmt: skip


def from_the_middle(etas: Sequence[float]) -> list[float]:
    """The middle of the grid first, where the best is hoped to be, then outwards.

    >>> from_the_middle([1, 2, 3, 4, 5])
    [3, 2, 4, 1, 5]
    """
    centre = (len(etas) - 1) / 2
    return [etas[i] for i in sorted(range(len(etas)), key=lambda i: (abs(i - centre), i))]


def _walked(walk: Passage, eta: float, least: float) -> _Tried:
    """One step size, given up once its median cannot be below ``least``."""
    replicas = walk.replicas if walk.random else 1
    given_up = False

    def hopeless(t: int, late: int) -> bool:
        nonlocal given_up
        at_least = middle([0.0] * (replicas - late) + [float(t)] * late)
        given_up = given_up or at_least >= least
        return at_least >= least

    target = walk.target
    levels = walk.levels(hopeless)
    rounds = [crossing(own, target.level, target.rises) for own in levels]
    return _Tried(eta, rounds, levels, best_so_far(levels, target.rises)[:, -1], walk.diverged, given_up)


def _rank(tried: _Tried, question: Question) -> tuple[bool, float, float]:
    """The least is best: a median that is known, then a small one, then who came nearest."""
    found = median(tried.rounds, question.cap)
    near = float(middle(np.nan_to_num(tried.best, nan=-np.inf if question.target.rises else np.inf)))
    return found.censored, found.value, -near if question.target.rises else near


def _numbers(levels: Array) -> Any:
    """For JSON: nan is null."""
    objects = levels.astype(object)
    objects[np.isnan(levels)] = None
    return objects.tolist()
