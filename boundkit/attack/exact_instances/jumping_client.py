"""Local SGD of two clients at the kink of a loss, of which one rarely jumps.

The loss is |z| beyond its quadratic part, of curvature L, and both clients rest at its minimum. With a small
probability in every step one of them jumps by J, and neither has noise elsewhere. Until the end of the round
the other stays at the minimum, so that the mean of the local models returns at half the speed: noise drift.
The mean loss gap over many rounds is the probability of a jump times the sum of the gaps until the return.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Measurement, measure_known

_ROWS = ((1, 1.0, 2.0), (2, 1.0, 2.94), (4, 1.0, 4.32), (2, 0.1, 300.0))
"""tau, eta L and J L over the slope."""
_ROUNDS, _JUMPS, _RETURNED, _MOST, _ROUNDING = 1e12, 1e-9, 1e-12, 20_000, 1e-6
"""T, the probability of a jump in any of T rounds, the gap at which a path ends, over J^2, the most rounds of
a path, and a relative bound on what all of that neglects."""
_CLAIM = "virtual_start_loss_gap"


def measure_jumping_client(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean loss gap over the local steps, from noise and noise drift alone."""
    if theorem.kind != "upper" or theorem.algorithm != "fedavgm" or theorem.claim.observable != _CLAIM:
        return
    for tau, eta, length in _ROWS:
        chance = _JUMPS / (_ROUNDS * 2 * tau)  # of a client in a step
        known = {
            "L": 1.0, "eta": eta, "eta_s": 1.0, "tau": float(tau), "m": 2.0, "T": _ROUNDS, "distance": 0.0,
            "sigma": length * chance**0.5 / eta, "beta_s": 0.0, "nesterov": 0.0,
        }  # fmt: skip
        gap = 2 * chance * sum(gaps_of_a_path(tau, eta, length, place) for place in range(tau)) / tau
        said = "one of two clients jumps rarely from a kink"
        yield from measure_known(theorem, known, gap, _ROUNDING, said)


def gaps_of_a_path(tau: int, eta: float, length: float, place: int) -> float:
    """Return the sum over local steps of the loss gap at the mean, after a jump in that step of a round.

    >>> gaps_of_a_path(1, 1.0, 2.0, 0)  # the mean jumps to 1, where the quadratic part ends
    0.5
    """
    first = second = total = 0.0
    for rounds in range(_MOST):
        for k in range(tau):
            total += _loss((first + second) / 2)
            first, second = (z - eta * min(max(z, -1.0), 1.0) for z in (first, second))
            first += length if rounds == 0 and k == place else 0.0
        first = second = (first + second) / 2
        if _loss(first) <= _RETURNED * length**2:
            break
    return total


def _loss(z: float) -> float:
    return z * z / 2 if abs(z) < 1 else abs(z) - 0.5
