"""FedAvg on a convex loss that is a straight line on either side of its minimum: its descent and noise floor.

Without noise a model that begins many steps from the quadratic part stays on the line until the last one. No
convex loss falls more slowly: the mean loss gap tends to 1/2 of distance^2/(eta_s eta tau T).

The noise floor is exact. Two clients take one step a round. Beside the minimum the direction of each is a
towards it with probability q > 1/2, else -a, so that the loss has the slope a (2 q - 1); at the minimum 0 the
probabilities are 1/2. With s = eta_s eta the server's model, over s a, is a walk on the whole numbers: from
k >= 1 to k - 1 with probability q^2, to k + 1 with (1 - q)^2. Its stationary distribution is geometric.
Between the numbers the slope grows with the curvature L, to its value at half a step. At short steps the mean
loss gap is 1/2 of eta_s eta sigma^2/m, where on a quadratic it is 1/4.

So is the floor of participation, of one of two clients with the gradients h + sigma_g and h - sigma_g, h
that of the mean loss. On a quadratic between two lines F - F* = x h - h^2/(2 L), and where E x^2 does not
change, 2 s E x h = s^2 (sigma_g^2 + E h^2). The mean loss gap is s sigma_g^2/2 less (1/L - s) E h^2/2, as
small as the slope is.

With server momentum z = x - s gamma b, gamma = beta_s (1 - nesterov (1 - beta_s)), is that walk for s = eta_s
eta/(1 - beta_s), but for numbers k of which x may be on another side: |x - z| <= s a gamma/(1 - beta_s), as
|b| <= a/(1 - beta_s). There it is drawn to 0 by at most as much, so that |z| is at least as large in law. Of
clients that are drawn, E z^2 does not change, and E x h is E z h and s gamma E b h, |b| <= (sigma_g +
|h|)/(1 - beta_s).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Measurement, measure_known

_STEPS = (0.04, 1e-2, 1e-3, 1e-5)
"""eta_s eta L/(1 - beta_s)."""
_MOMENTA = ((0.3, 0.0), (0.6, 0.0), (0.9, 0.0), (0.3, 1.0), (0.5, 1.0), (0.9, 1.0))
"""beta_s and nesterov."""
_SERVER, _FOREVER, _ROUNDING = 100.0, 1e60, 1e-9
"""eta_s/(1 - beta_s) where the server has a step of its own; the number of rounds."""
_SLOPE = 1e-9
"""Squared slope of the lines between which clients are drawn, over eta_s eta L sigma_g^2."""
_DESCENT = 1e7
"""Number of steps along the line."""
_CLAIMS = ("loss_gap", "virtual_loss_gap", "virtual_start_loss_gap")


def measure_straight_lines(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean loss gap of the descent and of the floor, at steps of several lengths."""
    momenta = {"fedavg": ((0.0, 0.0),), "fedavgm": _MOMENTA}.get(theorem.algorithm, ())
    if theorem.kind != "upper" or theorem.rules or not theorem.assumes("convex"):
        return
    if theorem.claim.summary != "average" or theorem.claim.observable not in _CLAIMS:
        return
    server = _SERVER if any(q.name == "eta_s" for q in theorem.quantities) else 1.0
    for step, (beta, nesterov) in product(_STEPS, momenta):
        known = {
            "L": 1.0, "eta": step / server, "eta_s": server * (1 - beta), "tau": 1.0, "m": 2.0, "C": 1.0,
            "T": _FOREVER, "sigma": 1.0, "sigma_g": 0.0, "distance": 1.0, "share_noise": 0.5,
            "sampling_spread": 0.0, "sampling_slack": 0.0, "beta_s": beta, "nesterov": nesterov,
        }  # fmt: skip
        if not {q.name for q in theorem.quantities} <= set(known):
            return
        values = {q.name: np.array([known[q.name]]) for q in theorem.quantities}
        nearer = beta * (1 - nesterov * (1 - beta)) / (1 - beta)
        low = np.array([stationary_gap(step, nearer) * (1 - _ROUNDING)])
        said = f"noise on a straight line, at eta_s eta L/(1 - beta_s) = {step:g}"
        high = low * (1 + 2 * _ROUNDING) if beta == 0 else np.full(1, np.inf)
        yield Measurement(values, low, high, 0.0, {"said": said})
        if beta == 0:
            ends = {"T": _DESCENT, "sigma": 0.0, "distance": 1 + step * _DESCENT}
            left = descent_gap(step, _DESCENT, theorem.claim.observable)
            said = "descent along a straight line"
            yield from measure_known(theorem, known | ends, left, _ROUNDING, said)
        if {q.name for q in theorem.quantities} & {"C", "sampling_spread"}:
            drawn = {"C": 0.5, "sigma": 0.0, "sigma_g": 1.0}
            drawn |= dict.fromkeys(("share_noise", "sampling_spread", "sampling_slack"), 1.0)
            values = {q.name: np.array([(known | drawn)[q.name]]) for q in theorem.quantities}
            slope = (_SLOPE * step) ** 0.5
            gap = np.array([step / 2])
            low = gap * (1 - _SLOPE) - step * nearer * slope * (1 + slope)
            said = f"one of two clients on straight lines, at eta_s eta L/(1 - beta_s) = {step:g}"
            yield Measurement(values, low, gap if beta == 0 else high, 0.0, {"said": said})


def descent_gap(step: float, rounds: float, claim: str) -> float:
    """Return the mean loss gap of so many steps that end where the quadratic part begins, of width 1.

    >>> descent_gap(0.5, 2, "loss_gap")  # 3/2 and 1
    1.25
    """
    later = -1 if claim == "virtual_loss_gap" else 1  # losses after each step, or before it
    return 0.5 + step * (rounds + later) / 2


def stationary_gap(step: float, nearer: float = 0.0) -> float:
    """Return the mean loss gap of the walk at sigma = a = L = 1, of the slope step/2.

    ``nearer``: so many steps of the walk the model may be nearer to the minimum; the gap is then a bound.

    >>> round(stationary_gap(1e-3) / 1e-3, 3)  # half of sigma^2/m
    0.25
    """
    slope = step / 2  # reached at half of the first number
    q = (1 + slope) / 2
    ratio = ((1 - q) / q) ** 2
    first = 1 / (4 * q**2)  # of one number beside the minimum, in units of that of the minimum
    total = 1 + 2 * first / (1 - ratio)
    length, apart = 2 * first / (1 - ratio) ** 2 / total, 2 * first / (1 - ratio) / total
    return slope * (step * (length - nearer) - slope / 2 * (apart if nearer == 0 else 1))
