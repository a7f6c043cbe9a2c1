"""Exact start-up of EF21 where every client's compressor errs to the same side, from the optimum.

Two clients have the same curvature and opposite gradients. A compressor C(u) = u - r |u|, which leaves r^2 =
1 - comp_keep of a square, takes the same from both first messages, so that their errors do not cancel; after
that both clients have the same error.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_KEEPS = (0.99, 0.9, 0.5, 0.1, 0.01)
_HORIZONS = (2, 4, 16, 64, 1024, 16384)
_INSIDE, _ROUNDING = 1 - 1e-9, 1e-9


def measure_first_messages(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean squared gradient after each number of rounds, at the largest step."""
    if theorem.algorithm != "ef21":
        return
    keep = np.array(_KEEPS)
    eta = _INSIDE * (1 - np.sqrt(1 - keep))
    one = np.ones(keep.shape)
    known = {"comp_keep": keep, "eta": eta, "L": one, "control_error": one, "gap": 0 * one}
    said = "compressors that err to the same side alone"
    for rounds, total in sums_of_squared_gradients(keep, eta, _HORIZONS).items():
        yield from measure_known(theorem, known | {"T": rounds * one}, total / rounds, _ROUNDING, said)


def sums_of_squared_gradients(keep: Array, eta: Array, horizons: tuple[int, ...]) -> dict[int, Array]:
    """Return the sum of F'(x_t)^2 over t < T, by T, at L = 1 and first gradients of 1 and -1.

    >>> sums_of_squared_gradients(np.array([0.75]), np.array([0.5]), (2, 3))  # F' is 0, 1/4, 5/16, ...
    {2: array([0.0625]), 3: array([0.16015625])}
    """
    left = np.sqrt(1 - keep)
    x, error, total, result = np.zeros(keep.shape), left, np.zeros(keep.shape), {}
    for t in range(1, horizons[-1] + 1):
        total = total + x**2
        moved = eta * (error - x)
        x, error = x + moved, left * np.abs(error + moved)
        if t in horizons:
            result[t] = total
    return result
