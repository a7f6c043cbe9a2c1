"""Error floors of local SGD on a network, without start and without noise of the mean model.

Drift: two quadratic clients, of curvatures 1 and -1 + 2 h and opposite gradients, at the fixed point of a
round. Noise: infinitely many clients with f'(x) = |x| - c, but for points that are farther than any model
comes, so that the mean model is deterministic. A round multiplies the deviations of the models from their
mean by a = gossip. After j steps of a round half of the clients deviate by d_j and half by -d_j, d_j^2 =
eta^2 (tau a^2/(1 - a^2) + j), up to a part of eta L tau/(1 - a) of it by gradients: the noise of a client at
d_j takes it to d_{j+1} or -d_{j+1}, with the mean d_j. The mean model stays where the mean of E f'(x + d_j)
is 0: at 0 for c = mean_j d_j, where its squared gradient is c^2.

At long steps two clients of curvatures 1 - 2 e and -1 beside their models drive each other apart: with one
step a round and c = eta a/(1 - a), their models deviate by c sigma_g/(1 - e c), and the gradient at the mean
model is 1 - e times that. The losses may be bounded below elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import satisfied
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement, exact_measurement

_GOSSIP, _TAUS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99), (1, 2, 4, 16, 64)
_ETA = 1e-10
"""The step size, so small that gradients move no model by more than ``_MOVED`` of its deviation."""
_MOVED, _CURVED = 1e-3, 1e-2
_FOREVER = 1e60
_LENGTHS, _CLOSE, _ERROR = (0.3, 0.6, 0.9, 1.2, 2.0), 0.9, 1e-9
"""c, and e c where that is above e; the relative error."""


def measure_network_floors(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient at the mean model, of drift alone and of noise alone."""
    if theorem.algorithm != "gossip_sgd" or theorem.kind != "upper":
        return
    for gossip, tau in product(_GOSSIP, _TAUS):
        for cause, floor, spread, clients in (
            ("client drift", drift_floor(gossip, tau), "sigma_g", 2.0),
            ("noise drift", noise_floor(gossip, tau), "sigma", _FOREVER),
        ):
            known = {
                "L": 1.0, "eta": _ETA, "tau": float(tau), "gossip": gossip, "m": clients, "T": _FOREVER,
                "gap": 1.0, "sigma": 0.0, "sigma_g": 0.0, spread: 1.0,
            }  # fmt: skip
            values = {q.name: np.array([known[q.name]]) for q in theorem.quantities}
            said = f"the floor of {cause} on a network, at gossip = {gossip:g}, tau = {tau}"
            yield exact_measurement(values, np.array([_ETA**2 * floor]), _MOVED, said)


def measure_longest_networks(theorem: Theorem, condition: Relational) -> Iterator[Measurement]:
    """Yield the drift of clients that drive each other apart, where ``condition`` does not hold."""
    if theorem.algorithm != "gossip_sgd" or theorem.kind != "upper":
        return
    gossip, length = np.array(list(product(_GOSSIP[1:], _LENGTHS))).T
    one, flat = np.ones(length.size), _CLOSE / np.maximum(length, 1)
    at = {
        "L": one, "eta": length * (1 - gossip) / gossip, "tau": one, "gossip": gossip, "m": 2 * one,
        "T": _FOREVER * one, "gap": one, "sigma": 0 * one, "sigma_g": one,
    }  # fmt: skip
    beyond = ~np.broadcast_to(satisfied(condition, at), one.shape)
    at, measured = {name: each[beyond] for name, each in at.items()}, driven_floor(length, flat)[beyond]
    yield from measure_inside(theorem, at, measured, _ERROR, "two clients that drive each other apart")


def driven_floor(length: Array, flat: Array) -> Array:
    """Return the squared gradient at the mean model at sigma_g = 1, for c = ``length`` and e = ``flat``."""
    return np.asarray(((1 - flat) * length / (1 - flat * length)) ** 2)


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
