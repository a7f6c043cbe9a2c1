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

The loss may also be a sum over the rounds, of which each has its own coordinates: v, along which it is the
Huber loss of slope g and curvature L for v > 0, and one for each local step but the last, along which the
clients move by d and -d in that step. Until that round the models are at v = 0. After k of its steps the
clients are at v_k and at the distance r_k in the other coordinates, where the loss is L r_k^2/8 + D_k^2/(2 L)
+ g (v_k + D_k/L), and its gradient -D_k and L/2 times the distance, with (D_k + g) (D_k/L + v_k) = r_k^2 L/4:
the mean of the models moves on by eta D_k, and r_{k+1}^2 = (1 - eta L/2)^2 r_k^2 + d^2. Thereafter the slope
draws it back. Again every two points have that inequality.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.infinite_clients.evidence import MANY
from boundkit.attack.infinite_clients.loss import PiecewiseLoss
from boundkit.attack.measurement import Array, Measurement, measure_known

_ROUNDING = 1e-9
_STEP, _LEFT, _RIGHT = 0.5, 0.05, 5.0
"""eta L, and the ends of the quadratic part in units of eta sigma."""
_HORIZONS = (1, 2, 4, 10, 30, 100)
_CURVED_ROWS = ((600, 0.9, 0.11), (3000, 0.98, 0.02))
"""T, beta_s and k/L where the loss is that quadratic."""
_OWN_ROWS = ((100, 5, 0.5),)
"""T, tau and eta L where each round has its own coordinates."""
SLOPES = np.geomspace(1e-4, 1, 400)
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
            yield from _measure(theorem, rounds, gap, {"mu": mu, "beta_s": (1 - root) / (1 + root)})
        return
    for rounds, gap in zip(_HORIZONS, pumped_gaps(_HORIZONS), strict=True):
        yield from _measure(theorem, rounds, gap, {})
    for rounds, tau, step in _OWN_ROWS:
        known = {"eta": step, "sigma": 1 / step, "tau": float(tau)}
        yield from _measure(theorem, rounds, float(own_gaps(rounds, tau, step).sum()), known)


def _measure(theorem: Theorem, rounds: int, gap: float, known: dict[str, float]) -> Iterator[Measurement]:
    rest = {"L": 1.0, "eta": _STEP, "sigma": 1 / _STEP, "tau": 2.0, "m": MANY, "distance": 0.0, "gap": 0.0}
    rest |= {"T": float(rounds)} | known
    yield from measure_known(theorem, rest, gap, _ROUNDING, "noise drift with the momentum")


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


def own_gaps(rounds: int, tau: int, step: float) -> Array:
    """Return the loss gap in the coordinates of each round, (T,), at its best slope and L = d = 1.

    >>> own_gaps(1, 2, 0.5).round(4)  # g v - g^2/2 with v = D/2, (D + g) D = 1/4 and g = 0.138
    array([0.0214])
    """
    reach = responses(rounds, 1.0, None)
    later = np.cumsum(reach[::-1])[::-1] - reach
    way = pushed(SLOPES, tau, step)
    end = reach[:, None] * way - step * tau * later[:, None] * SLOPES
    gap = np.where((way >= SLOPES) & (end >= SLOPES), SLOPES * end - SLOPES**2 / 2, 0.0)
    return np.asarray(gap.max(axis=1))


def pushed(slopes: Array, tau: int, step: float) -> Array:
    """Return v after the clients' round with the slope g, at L = d = 1: the sum of eta D_k."""
    v, square = np.zeros(slopes.shape), 1.0
    for _ in range(1, tau):
        sums = v - slopes
        v = v + step * (np.sqrt(sums**2 + square) - v - slopes) / 2
        square = (1 - step / 2) ** 2 * square + 1
    return v


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
