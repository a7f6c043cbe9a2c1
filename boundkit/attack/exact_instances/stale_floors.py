"""Exact floors of asynchronous SGD: the noise of delayed gradients on a quadratic, in the limit of T.

x_{t+1} = x_t - eta (L x_{t-d} + noise) from the optimum has E x_t^2 = (eta sigma)^2 sum_{k<t} h_k^2, where h
is the response to one noise: h_0 = 1, h_{k+1} = h_k - eta L h_{k-d}. The squared gradient is largest at the
largest step, which is in proportion to 1/d.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.step_size import largest_alone, limit_at
from boundkit.attack.measurement import Measurement, measure_known

_DELAYS, _PARTS, _LONG = (1, 4, 16, 64), (1.0, 0.1), 1e15
"""Ages of gradients, fractions of the largest step, and the number of rounds."""
_INSIDE = 1 - 1e-9
_REST = {
    "gap": 0.0, "T": _LONG, "m": 1.0, "step_time": 1.0, "delay": 0.0, "wall": _LONG, "sigma": 0.0,
    "sigma_g": 0.0,
}  # fmt: skip


def response_energy(rate: float, delay: int) -> float:
    """Compute the sum of h_k^2 over so many k that the rest is small; each summand only adds to it.

    >>> round(response_energy(0.5, 0), 9)  # 1/(1 - (1 - 0.5)^2)
    1.333333333
    """
    count = int(40 * (delay + 1) / min(rate * (delay + 1), 1.0))
    h = np.ones(count)
    for k in range(count - 1):
        h[k + 1] = h[k] - rate * (h[k - delay] if k >= delay else 0.0)
    return float(h @ h)


def measure_stale_floors(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean squared gradient of gradients of one age, without an initial gap."""
    if not theorem.assumes("bounded-staleness") or theorem.algorithm != "async_sgd" or theorem.rules:
        return
    causes = ("sigma", "sigma_g") if theorem.assumes("one-client-drawn") else ("sigma",)
    for delay in _DELAYS:
        at = {"L": 1.0, "staleness": float(delay)}
        said = f"the exact floor of gradients {delay:.0f} steps old on a quadratic"
        for part in _PARTS:
            eta = part * _INSIDE * float(limit_at(largest_alone(theorem), at))
            floor = eta**2 * response_energy(eta, delay)
            for cause in causes:
                known = _REST | at | {"eta": eta, cause: 1.0}
                yield from measure_known(theorem, known, floor, 0.0, said, 1e-12 * floor)
