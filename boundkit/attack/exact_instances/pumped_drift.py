"""Accelerated local SGD of infinitely many clients whose noise keeps the server's model in motion.

The gradient is that of a Huber loss with unequal ends, and a round has two local steps. Beside an end,
clients moved by noise to both sides have another mean gradient than the server; of the distributions of two
points with the same variance the one is taken in every round that moves the server furthest in the
direction of its momentum. The clients read the round from another coordinate, as in ``rare_jumps``.

Over many rounds the momentum is large, and a loss of many coordinates resists it for longer. On one of them
it is k v^2/2, and in the first step of round t half of the clients move by eta sigma = d along a coordinate
of that round, half by -d. There the loss is larger by c, and its gradient is k v - D and (L/2) d, -(L/2) d:
the mean of the models moves on by eta D, to the side of the server's momentum. A convex loss with curvature
at most L has these values and gradients if every two points (v, g, f), (w, h, e) have f >= e + h (v - w) +
||g - h||^2/(2 L) (Taylor, Hendrickx and Glineur, Math. Program. 161). For D^2 = k (L - k) d^2/2 and c = L
d^2/8 + D^2/(2 (L - k)) it holds, with equality at the least favourable v - w. A loss that is mu-strongly
convex is mu/2 times the squared distance more than one with k - mu and L - mu for k and L.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.infinite_clients.evidence import MANY
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.measurement import Array, Measurement, exact_measurement

_ROUNDING = 1e-9
_STEP, _LEFT, _RIGHT = 0.5, 0.05, 5.0
"""eta L, and the ends of the quadratic part in units of eta sigma."""
_HORIZONS = (1, 2, 4, 10, 30, 100)
_ROWS, _CURVED_ROWS = ((40, 0.12), (300, 0.017)), ((600, 0.9, 0.11), (3000, 0.98, 0.02))
"""T and k/L; with a constant momentum T, beta_s and k/L."""
_INSIDE = 1 - 1e-9
_UPWARDS = 1 / (1 + np.exp(-np.linspace(-9, 9, 241)))
"""Probabilities of the upper point."""


def measure_pumped_drift(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap from noise drift alone, from the optimum."""
    if theorem.algorithm != "accelerated_local_sgd":
        return
    if theorem.assumes("constant-momentum"):
        for rounds, beta, curvature in _CURVED_ROWS:
            root = (1 - beta) / (1 + beta) * _INSIDE
            mu = (1 - (1 - root**2) ** 0.5) / _STEP
            gap = resisting_gap(rounds, curvature, mu, (1 - root) / (1 + root))
            yield _measurement(theorem, rounds, gap, {"mu": mu, "beta_s": (1 - root) / (1 + root)})
        return
    for rounds, gap in zip(_HORIZONS, pumped_gaps(_HORIZONS), strict=True):
        yield _measurement(theorem, rounds, gap, {})
    for rounds, curvature in _ROWS:
        yield _measurement(theorem, rounds, resisting_gap(rounds, curvature), {})


def _measurement(theorem: Theorem, rounds: int, gap: float, known: dict[str, float]) -> Measurement:
    rest = {"L": 1.0, "eta": _STEP, "sigma": 1 / _STEP, "tau": 2.0, "m": MANY, "T": float(rounds)} | known
    values = {q.name: np.array([rest.get(q.name, 0.0)]) for q in theorem.quantities}
    return exact_measurement(values, np.array([gap]), _ROUNDING, "noise drift with the momentum")


def resisting_gap(rounds: int, curvature: float, mu: float = 0.0, beta: float | None = None) -> float:
    """Return the loss gap on the quadratic of many coordinates, at L = d = 1.

    ``beta``: the momentum, or None for t/(t + 3).

    >>> round(resisting_gap(1, 0.5), 4)  # k (eta D)^2/2 with D^2 = 1/8
    0.0078
    """
    more = curvature - mu
    length = _STEP * (more * (1 - mu - more) / 2) ** 0.5
    reached = length * np.abs(responses(rounds, (1 - _STEP * curvature) ** 2, beta)).sum()
    return float(curvature / 2 * reached**2)


def responses(rounds: int, keeps: float, beta: float | None) -> Array:
    """Return the derivative of y_T by a displacement in each round, where a round keeps that part of x."""
    of_x, of_y, result = 0.0, 1.0, np.zeros(rounds)
    for t in reversed(range(rounds)):
        b = t / (t + 3) if beta is None else beta
        result[t] = (1 + b) * of_x + of_y
        of_x, of_y = result[t] * keeps, -b * of_x
    return result


def pumped_gaps(horizons: tuple[int, ...]) -> list[float]:
    """Return the loss gap after each number of rounds, of which the last one is aimed at the loss."""
    f, x, y, result = PiecewiseLoss.huber(_LEFT, _RIGHT), 0.0, 0.0, []
    for t in range(max(horizons)):
        ends = mean_models(f, x)
        if t + 1 in horizons:
            result.append(float(f.gap(ends).max()))
        after = float(ends.max() if x >= y else ends.min())
        x, y = after + t / (t + 3) * (after - y), after
    return result


def mean_models(f: PiecewiseLoss, x: float) -> Array:
    """Return the mean model after two local steps from x, for each probability, at eta sigma = 1."""
    first = x - _STEP * f.gradient(np.array(x))
    odds = np.sqrt(_UPWARDS / (1 - _UPWARDS))
    upper, lower = f.gradient(first + 1 / odds), f.gradient(first - odds)
    return np.asarray(first - _STEP * (_UPWARDS * upper + (1 - _UPWARDS) * lower))
