"""Error floors of local SGD on a network, without start and without noise of the mean model.

Drift: two quadratic clients, of curvatures 1 and -1 + 2 h and opposite gradients, at the fixed point of a
round. Noise: infinitely many clients with f'(x) = |x| - c, but for points that are farther than any model
comes, so that the mean model is deterministic. A round multiplies the deviations of the models from their
mean by a = gossip. After j steps of a round half of the clients deviate by d_j and half by -d_j, d_j^2 =
eta^2 (tau a^2/(1 - a^2) + j), up to a part of eta L tau/(1 - a) of it by gradients: the noise of a client at
d_j takes it to d_{j+1} or -d_{j+1}, with the mean d_j. The mean model stays where the mean of E f'(x + d_j)
is 0: at 0 for c = mean_j d_j, where its squared gradient is c^2.

Long steps: two clients in the plane with tau = 1, whose Hessians are reflections. The models deviate along
the second coordinate, where their gradients grow with the deviation, and fall along the first one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_GOSSIP, _TAUS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99), (1, 2, 4, 16, 64)
_ETA = 1e-10
"""The step size, so small that gradients move no model by more than ``_MOVED`` of its deviation."""
_MOVED, _CURVED, _EXACT = 1e-3, 1e-2, 1e-9
_FOREVER = 1e60
_KEPT, _LONG = 0.7, (0.125, 0.25, 0.5, 0.9, 0.99)
"""gossip of long steps, and eta L gossip/(1 - gossip)."""


def measure_network_floors(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient at the mean model, of drift alone and of noise alone."""
    if theorem.algorithm != "gossip_sgd" or theorem.kind != "upper":
        return
    yield from _turned(theorem)
    for gossip, tau in product(_GOSSIP, _TAUS):
        for cause, floor, spread, clients in (
            ("client drift", drift_floor(gossip, tau), "sigma_g", 2.0),
            ("noise drift", noise_floor(gossip, tau), "sigma", _FOREVER),
        ):
            known = {
                "L": 1.0, "eta": _ETA, "tau": float(tau), "gossip": gossip, "m": clients, "T": _FOREVER,
                "gap": 1.0, "sigma": 0.0, "sigma_g": 0.0, spread: 1.0,
            }  # fmt: skip
            said = f"the floor of {cause} on a network, at gossip = {gossip:g}, tau = {tau}"
            yield from measure_known(theorem, known, _ETA**2 * floor, _MOVED, said)


def _turned(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the drift of long steps, where gradients at the models turn by the angle that is worst."""
    walk = np.array(_LONG)
    one, (square, spread) = np.ones_like(walk), turned_floor(walk, walk)
    known = {
        "L": one, "eta": walk * (1 - _KEPT) / _KEPT, "tau": one, "gossip": _KEPT * one, "m": 2 * one,
        "T": _FOREVER * one, "gap": one, "sigma": 0 * one, "sigma_g": spread,
    }  # fmt: skip
    said = "the floor of client drift on a network, at long steps"
    yield from measure_known(theorem, known, square, _EXACT, said)


def turned_floor(walk: Array, sine: Array) -> tuple[Array, Array]:
    """Return the squared gradient at the mean model and sigma_g at L = 1, walk = eta gossip/(1 - gossip).

    The Hessians are [[s, -c], [-c, -s]] and [[s, c], [c, -s]], s the ``sine``, s^2 + c^2 = 1. Gradients (0,
    -1) and (0, 1) at the models keep them at (x, walk) and (x, -walk).
    """
    return walk**2 * (1 - sine**2), 1 - walk * sine


def drift_floor(gossip: float, tau: int) -> float:
    """Return the squared gradient at the mean model over eta^2, as eta falls to 0, at sigma_g = L = 1.

    The models x -+ d have d <- a (d + tau eta) in a round, so that the mean of d over its steps is (a tau/(1
    - a) + (tau - 1)/2) eta. The mean gradient h x - (1 - h) d of the two clients is 0, and that at x is h x.
    """
    return ((1 - _CURVED) * (gossip * tau / (1 - gossip) + (tau - 1) / 2)) ** 2


def noise_floor(gossip: float, tau: int) -> float:
    """Return the squared gradient over eta^2 at the mean model, as eta falls to 0, at sigma = L = 1."""
    deviations = np.sqrt(tau * gossip**2 / (1 - gossip**2) + np.arange(tau))
    return float(deviations.mean() ** 2)
