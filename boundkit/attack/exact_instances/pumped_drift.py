"""Accelerated local SGD of infinitely many clients whose noise keeps the server's model in motion.

The gradient is that of a Huber loss with unequal ends, and a round has two local steps. Beside an end,
clients moved by noise to both sides have another mean gradient than the server; of the distributions of two
points with the same variance the one is taken in every round that moves the server furthest in the
direction of its momentum. The clients read the round from another coordinate, as in ``rare_jumps``.
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
_UPWARDS = 1 / (1 + np.exp(-np.linspace(-9, 9, 241)))
"""Probabilities of the upper point."""


def measure_pumped_drift(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gap from noise drift alone, from the optimum."""
    if theorem.algorithm != "accelerated_local_sgd" or theorem.assumes("constant-momentum"):
        return
    for rounds, gap in zip(_HORIZONS, pumped_gaps(_HORIZONS), strict=True):
        rest = {"L": 1.0, "eta": _STEP, "sigma": 1 / _STEP, "tau": 2.0, "m": MANY, "T": float(rounds)}
        values = {q.name: np.array([rest.get(q.name, 0.0)]) for q in theorem.quantities}
        yield exact_measurement(values, np.array([gap]), _ROUNDING, "noise drift with the momentum")


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
