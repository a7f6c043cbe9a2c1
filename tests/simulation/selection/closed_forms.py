"""Closed form of selection by losses: the cycle of two clients."""

from dataclasses import dataclass
from math import sqrt

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
