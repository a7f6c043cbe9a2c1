"""Power of choice by number of candidates: faster initial decrease, higher error floor, and both skews.

Clients of the published distribution, in five dimensions, but few, so that rho_bar can be bounded from both
sides for any number d of candidates. Small steps converge to the minimiser of another objective, where F has
an error floor. In the bounds the floor is the term with Gamma (rho_tilde - rho_bar): as d grows, the skew at
x*, rho_tilde, increases, and the smallest skew over pairs of models, rho_bar, decreases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import confidence_margin
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection import Strategy, published_instance, selection_limit, skew
from boundkit.simulation.selection.pencil import Pencil
from boundkit.studies.demonstrations.power_of_choice import RANDOM, all_gaps

LEVEL = 0.99


@dataclass(frozen=True)
class CandidateRow:
    """Of ``d`` candidates: ``floor``: F - F* in the limit of many rounds and small steps.

    ``rho_bar``: no skew is below it, and ``reached`` is one that occurs, the same number where rho_bar is
    exact.
    """

    d: int
    floor: float
    rho_bar: float
    reached: float
    rho_tilde: float


@dataclass(frozen=True)
class NumberOfCandidates:
    """``gaps``: F(x_T) - F* at each T of ``rounds``, drawn by p or chosen among d, mean of ``replicas`` runs.

    ``margin``: half of its interval, Student t at 99 %; 0 for d = ``clients``, where nothing is random.
    """

    clients: int
    count: int
    eta: float
    tau: int
    replicas: int
    L: float
    mu: float
    Gamma: float
    rounds: tuple[int, ...]
    gaps: dict[str, Array]
    margin: dict[str, Array]
    by_candidates: list[CandidateRow]


def number_of_candidates(
    clients: int = 7,
    count: int = 2,
    *,
    eta: float = 4e-4,
    tau: int = 2,
    rounds: int = 2000,
    looks: int = 80,
    replicas: int = 48,
) -> NumberOfCandidates:
    """``count`` of ``clients`` a round: drawn by p, or those with the largest losses of d candidates."""
    problem, start = published_instance(clients)
    observed = tuple(int(t) for t in np.linspace(0, rounds, looks + 1).round())
    selections = {RANDOM: None} | {f"d = {d}": d for d in range(count + 1, clients + 1)}
    gaps, margin = {}, {}
    for name, d in selections.items():
        each = all_gaps(problem, start, eta=eta, tau=tau, count=count, candidates=d, rounds=observed,
                        replicas=replicas)  # fmt: skip
        gaps[name], margin[name] = each.mean(axis=0), confidence_margin(each, len(each) > 1, LEVEL)
    return NumberOfCandidates(
        clients, count, eta, tau, replicas,
        float(problem.H.max()), float(problem.H.min()), Pencil.of(problem).gamma, observed, gaps,
        margin,
        [_row(problem, count, d) for d in range(count, clients + 1)],
    )  # fmt: skip


def _row(problem: Quadratic, count: int, d: int) -> CandidateRow:
    strategy = Strategy(count, d)
    result = skew(problem, strategy)
    floor = selection_limit(problem, strategy).loss_gap
    return CandidateRow(d, floor, result.rho_bar, result.reached, result.rho_tilde)
