"""Stochastic gradient descent on a Huber loss of small slope, with Gaussian noise: one chain on a line.

The instance of the lower bound on noise and participation, with noise alone. A round moves x by -s (h + w), h
the slope of the loss and w Gaussian. The density of |x| is carried from round to round by quadrature on a
grid that has the end of the quadratic part among its points, and 2^n rounds are summed by n squarings of the
matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Measurement, measure_known
from boundkit.simulation.arrays import Array

_STEP, _DOUBLINGS, _ROUNDING = 0.05, 16, 1e-4
"""s L and n: short steps, so that the slope costs as much as the proof says; and what the grid neglects."""
_PARTS, _SCALES, _FINE = 3, 16, 0.5
"""Points of the quadratic part; length of the grid, over the scale of the stationary density; and the largest
distance of two points, over the deviation of w."""


def measure_small_slopes(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean loss gap with noise alone."""
    if theorem.kind != "lower" or not theorem.assumes("huber-with-linear-terms"):
        return
    rounds = 2**_DOUBLINGS + 1
    known = {
        "L": 1.0, "eta": _STEP, "eta_s": 1.0, "tau": 1.0, "T": float(rounds), "m": 2.0, "C": 1.0,
        "sigma": 2**0.5, "sigma_g": 0.0,
    }  # fmt: skip
    gap = mean_loss_gap(_STEP, (3 * _STEP / rounds) ** 0.25, _DOUBLINGS)
    yield from measure_known(theorem, known, gap, _ROUNDING, "noise alone on a small slope")


def mean_loss_gap(s: float, slope: float, doublings: int) -> float:
    """Return the mean loss gap of x_0, ..., x_(T-1), T = 2^n + 1, at L = 1 and w of variance 1."""
    step = slope / max(_PARTS, int(np.ceil(slope / (_FINE * s))))
    x = np.arange(0, _SCALES * s / (2 * slope) + slope, step)
    weights = np.full(len(x), step)
    weights[0] /= 2
    after = x - s * np.minimum(x, slope)
    moves = weights * (_density(x[:, None] - after, s) + _density(x[:, None] + after, s))
    loss = weights * np.where(x < slope, x * x / 2, slope * (x - slope / 2))
    total, power = np.eye(len(x)), moves
    for _ in range(doublings):
        total, power = total + power @ total, power @ power
    return float(loss @ total @ (2 * _density(x, s))) / (2.0**doublings + 1)


def _density(x: Array, s: float) -> Array:
    return np.asarray(np.exp(-((x / s) ** 2) / 2) / (s * (2 * np.pi) ** 0.5))
