"""Exact moments of accelerated local SGD on quadratics of homogeneous clients.

A coordinate of curvature h has y_{t+1} = (1 - eta h)^tau x_t + n_t and x_{t+1} = y_{t+1} + beta_t (y_{t+1} -
y_t), where n_t is the mean noise of a round. Noise and the initial distance are each taken alone, in one
coordinate; L and mu are the curvatures of others, which rest at their minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_TAUS, _CLIENTS = (1.0, 2.0, 8.0, 64.0, 2048.0), (1.0, 2.0, 1e8)
_STEPS = (0.5, 0.1, 1e-2, 1e-4)
"""eta L: the largest allowed and smaller ones."""
_LENGTHS = (1e-6, 1e-4, 1e-2, 0.1, 0.2, 0.29, 0.36, 0.43, 0.5, 1.0, 3.0, 10.0)
"""eta h tau."""
_ROOTS = (1.0, 0.9, 0.5, 0.1, 1e-2, 1.38, 3.1)
"""(1 - beta_s)/(1 + beta_s) as a fraction of the largest allowed; the last ones are beyond it."""
_ROUNDS = (1, 2, 3, 5, 8, 16, 40, 100, 300, 1000)
_INSIDE, _ROUNDING = 1 - 1e-9, 1e-9
"""Rounding of conditions that are equalities, and relative rounding of the moments."""


def measure_nesterov_moments(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap of the mean model after each number of rounds, with one cause of error alone."""
    if theorem.algorithm != "accelerated_local_sgd":
        return
    constant = theorem.assumes("constant-momentum")
    if not constant:
        yield from _measure_straight_starts(theorem)
    at = _grid(constant)
    for cause in ("stochastic noise", "initial gap"):
        noisy = cause == "stochastic noise"
        start, sigma = (0.0, 1.0) if noisy else (1.0, 0.0)
        spread = sigma**2 * noise_of_round(at["h"], at["eta"], at["tau"]) / at["m"]
        gaps = (
            at["h"]
            / 2
            * second_moments((1 - at["eta"] * at["h"]) ** at["tau"], spread, start, at.get("beta_s"), _ROUNDS)
        )
        rest = {
            "sigma": np.full(at["h"].shape, sigma),
            "distance": np.full(at["h"].shape, start),
            "gap": at["h"] / 2 * start**2,
        }
        said = f"{cause} alone, by exact moments"
        for rounds, gap in zip(_ROUNDS, gaps, strict=True):
            known = {**at, **rest, "T": np.full(gap.shape, float(rounds))}
            yield from measure_known(theorem, known, gap, _ROUNDING, said)


def _measure_straight_starts(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap on a line of the slope from which most is left, with curvature L at its end.

    With a = eta tau straight_length(T) a model at the distance 1 has the gap g (1 - g a) - g^2/(2 L) after T
    rounds of slope g, while it is at least g/L from the minimum: 1/(4 a + 2/L) at g = 1/(2 a + 1/L).
    """
    for (tau, eta), rounds in product(product(_TAUS, _STEPS), _ROUNDS):
        gap = 1 / (4 * eta * tau * straight_length(rounds) + 2)
        known = {
            "L": 1.0,
            "eta": eta,
            "tau": tau,
            "m": 1.0,
            "T": float(rounds),
            "sigma": 0.0,
            "distance": 1.0,
        }
        yield from measure_known(theorem, known, gap, _ROUNDING, "the start alone, on a straight line")


def straight_length(rounds: int) -> float:
    """Return how far y moves in so many rounds under a constant gradient, in units of a round's own steps.

    >>> straight_length(3)  # 1 each, and 1/4 of the second beside the third
    3.25
    """
    x = y = 0.0
    for t in range(rounds):
        after = x + 1
        x, y = after + t / (t + 3) * (after - y), after
    return y


def noise_of_round(h: Array, eta: Array, tau: Array) -> Array:
    """Return the variance of a client's round at sigma = 1: eta^2 times the sum of (1 - eta h)^(2k).

    >>> float(noise_of_round(np.array(1.0), np.array(0.5), np.array(2.0)))
    0.3125
    """
    keeps = (1 - eta * h) ** 2
    return np.asarray(eta**2 * -np.expm1(tau * np.log(keeps)) / (1 - keeps))


def second_moments(
    keeps: Array, spread: Array, start: float, beta: Array | None, rounds: tuple[int, ...]
) -> list[Array]:
    """Return E y_T^2 at these numbers of rounds, from x_0 = y_0 = ``start``.

    ``keeps``: (1 - eta h)^tau; ``spread``: the variance of a round; ``beta``: the momentum, or t/(t + 3).
    """
    yy, xy, xx = (np.full(keeps.shape, start**2) for _ in range(3))
    result = []
    for t in range(rounds[-1]):
        b = t / (t + 3) if beta is None else beta
        after = keeps**2 * xx + spread
        cross = keeps * xy  # of the next y and this one
        xy, xx = (1 + b) * after - b * cross, (1 + b) ** 2 * after - 2 * b * (1 + b) * cross + b**2 * yy
        yy = after
        if t + 1 in rounds:
            result.append(yy)
    return result


def _grid(constant: bool) -> Mapping[str, Array]:
    """Return the quantities at every combination with a step of at most 1/(2 L), at L = 1, (N,) each."""
    rows = []
    for tau, m, step, length, root in product(
        _TAUS, _CLIENTS, _STEPS, _LENGTHS, _ROOTS if constant else (1.0,)
    ):
        h = length / (step * tau)
        if h > 1:
            continue
        for mu in (h, h / 100) if constant else (h,):
            q = root * np.sqrt(-np.expm1(tau * np.log1p(-step * mu))) * _INSIDE
            if q < 1:
                rows.append((tau, m, step, h, mu, (1 - q) / (1 + q)))
    tau, m, eta, h, mu, beta = np.array(rows).T
    result = {"tau": tau, "m": m, "eta": eta, "h": h, "mu": mu, "L": np.ones(h.shape)}
    return result | ({"beta_s": beta} if constant else {})
