"""Closed forms of selection by losses: the cycle of two clients, and the skew at local iterates."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic


@dataclass(frozen=True)
class TwoClientCycle:
    """``switch``: c. ``low``, ``high``: the two models of the cycle. ``exists``: whether they form one.

    ``stays_in``: an invariant interval.
    """

    switch: float
    low: float
    high: float
    exists: bool
    stays_in: tuple[float, float]


def two_client_cycle(problem: Quadratic, eta: float, tau: int = 1) -> TwoClientCycle:
    """The cycle of power of choice with count = 1 and two candidates, for two clients in one dimension.

    Full gradients, tau steps of eta: client k maps x to x + r_k (e_k - x), with r_k = 1 - (1 - eta h_k)^tau.
    Where the losses are equal, at c between the minimisers, the selection switches: left of c the right
    client participates, right of c the left one. With Q = 1 - (1 - r_1)(1 - r_2),

        high = (r_2 e_2 + (1 - r_2) r_1 e_1)/Q,    low = (r_1 e_1 + (1 - r_1) r_2 e_2)/Q

    alternate if low <= c < high; otherwise the cycle is longer. The model enters the interval of radius
    max(r_1 (c - e_1), r_2 (e_2 - c)) = O(eta) around c and remains there, for any p.
    """
    (e1, h1), (e2, h2) = sorted(zip(problem.e[:, 0].tolist(), problem.H[:, 0].tolist(), strict=True))
    r1, r2 = 1 - (1 - eta * h1) ** tau, 1 - (1 - eta * h2) ** tau
    Q = 1 - (1 - r1) * (1 - r2)
    c = (sqrt(h1) * e1 + sqrt(h2) * e2) / (sqrt(h1) + sqrt(h2))
    high = (r2 * e2 + (1 - r2) * r1 * e1) / Q
    low = (r1 * e1 + (1 - r1) * r2 * e2) / Q
    return TwoClientCycle(c, low, high, low <= c < high, (c - r1 * (c - e1), c + r2 * (e2 - c)))


def skew_of_local_iterate(problem: Quadratic, start: Array, eta: float, tau: int) -> float:
    """E F_k(y_k) / E[F(y_k)] for one client k drawn by p, y_k its iterate before the last of tau steps.

    Counterexample to a step of the published proof, which bounds the mean of F_k(y_S) - F_k* over S from
    below by rho_bar times E[F(y_S) - sum p_k F_k*]. By the definition of rho_bar this holds for models y that
    do not depend on S: for tau = 1, or where the model determines S. A local iterate y_S has already moved
    towards the minimisers of S. Two clients with F_k(x) = (x -+ 1)^2/2, one sampled without bias (rho = 1),
    eta = 0.2, start 0: the ratio is 1, 8/13, 0.124, 1.05e-4 for tau = 1, 2, 5, 20, where the proof needs 1 or
    more.

    Full gradients: y_k = e_k + (I - eta H_k)^(tau-1) (x_0 - e_k); every F_k* is 0.
    """
    y = np.broadcast_to(np.asarray(start, dtype=float), (problem.m, problem.d)).copy()
    for _ in range(tau - 1):
        y -= eta * problem.apply(y - problem.e)
    losses = problem.losses(y)  # (m, m): of client j at the iterate of client k
    mean = float(problem.p @ losses @ problem.p)
    return float(problem.p @ np.diag(losses)) / mean
