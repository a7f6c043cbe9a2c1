"""Exact noise floors of FedAvg on a convex loss that is a straight line on either side of its minimum.

Two clients take one step a round. Beside the minimum the direction of each is a towards it with probability
q > 1/2, else -a, so that the loss has the slope a (2 q - 1); at the minimum 0 the probabilities are 1/2. With
s = eta_s eta the server's model, over s a, is a walk on the whole numbers: from k >= 1 to k - 1 with
probability q^2, to k + 1 with (1 - q)^2. Its stationary distribution is geometric. Between the numbers the
slope grows with the curvature L, to its value at half a step. At short steps the mean loss gap is 1/2 of
eta_s eta sigma^2/m, where on a quadratic it is 1/4.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.mutation.measurements import Measurement

_STEPS = (0.04, 1e-2, 1e-3)
"""eta_s eta L."""
_ETA, _FOREVER, _ROUNDING = 0.01, 1e60, 1e-9
_CLAIMS = ("loss_gap", "virtual_loss_gap")


def measure_straight_lines(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean loss gap, at steps of several lengths."""
    convex = theorem.assumes("convex") and theorem.kind == "upper" and not theorem.rules
    claim = theorem.claim
    if (
        not convex
        or theorem.algorithm != "fedavg"
        or claim.summary != "average"
        or claim.observable not in _CLAIMS
    ):
        return
    server = any(q.name == "eta_s" for q in theorem.quantities)
    for step in _STEPS:
        known = {
            "L": 1.0, "eta": _ETA if server else step, "eta_s": step / _ETA, "tau": 1.0, "m": 2.0, "C": 1.0,
            "T": _FOREVER, "sigma": 1.0, "sigma_g": 0.0, "distance": 1.0, "share_noise": 0.5,
            "sampling_spread": 0.0, "sampling_slack": 0.0,
        }  # fmt: skip
        if not {q.name for q in theorem.quantities} <= set(known):
            return
        values = {q.name: np.array([known[q.name]]) for q in theorem.quantities}
        low, high = (np.array([stationary_gap(step) * (1 + side * _ROUNDING)]) for side in (-1, 1))
        said = f"noise on a straight line, at eta_s eta L = {step:g}"
        yield Measurement(values, low, high, 0.0, {"said": said})


def stationary_gap(step: float) -> float:
    """Return the mean loss gap at sigma = a = L = 1, of the slope step/2.

    >>> round(stationary_gap(1e-3) / 1e-3, 3)  # half of sigma^2/m
    0.25
    """
    slope = step / 2  # reached at half of the first number
    q = (1 + slope) / 2
    ratio = ((1 - q) / q) ** 2
    first = 1 / (4 * q**2)  # of one number beside the minimum, in units of that of the minimum
    total = 1 + 2 * first / (1 - ratio)
    length, apart = 2 * first / (1 - ratio) ** 2 / total, 2 * first / (1 - ratio) / total
    return slope * (step * length - slope / 2 * apart)
