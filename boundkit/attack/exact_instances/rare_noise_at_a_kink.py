r"""FedAWE's noise in few of the stored models: infinitely many rare clients at a concave kink of their loss.

All clients have the loss f with f'(x) = L (b - |x - d|) up to where f rises again, far away, and noise of
variance V = sigma^2/tau in their directions. In the limit of many participants, m q, their mean in round t
is x + e_t, and as q tends to 0, e_t is normal of the variance 2 s^2 V/(m q^3), since a noise is repeated for
the rounds missed. The stored models, of which a part q is new in a round, are x and the noises of 1/q rounds:
only x changes their distribution, slowly, and rests where E f'(x + e) = 0. This is at x = 0, and stable, for
b = E|e - d| and d > 0. The gradient at the mean model is L (b - d), near (2/pi)^(1/2) L times the deviation
of e, so that its square grows as 1/q^3, while the variance of the mean model's noise grows as 1/q.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import erf, exp, pi, sqrt

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement

_RARE, _MANY, _ROUNDS = 1e-10, 1e16, 1e22
"""q and m, of which sqrt(q), 1/(m q) and sqrt(m q^3)/eta_s are small; rounds, long beside all else."""
_TAUS, _SERVER, _PARTS = (1.0, 1e4), (1e4, 1.0, 1e-2), (1 - 1e-6, 0.1)
"""The last are fractions of s L = q/20."""
_KINK, _FAR, _ERROR = 0.01, 10.0, 2e-3
"""d and where f rises again, in standard deviations of e_t; what is left of the limits, generously. Its noise
moves x by less than d/20, though x is stable up to 2 d only."""


def measure_rare_noise_at_a_kink(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradient at the mean model."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper" or theorem.rules:
        return
    if theorem.claim.observable != "mean_model_gradient_norm_squared":
        return
    at = settings()
    said = "equal clients that are rare, at a concave kink"
    yield from measure_inside(theorem, at, squared_gradient(at), _ERROR, said)


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = sigma = 1."""
    tau, server, part = np.array(list(product(_TAUS, _SERVER, _PARTS))).T
    one = np.ones(tau.shape)
    at = {
        "availability": _RARE * one, "availability_max": _RARE * one, "mixing": (1 - _RARE) * one,
        "m": _MANY * one, "T": _ROUNDS * one, "tau": tau, "eta_s": server, "L": one, "sigma": one,
        "eta": part * _RARE / (20 * server * tau), "beta": one, "kappa": 0 * one,
    }  # fmt: skip
    return {**at, "gap": 10 * _FAR**2 * variance(at)}  # at least the loss above its infimum


def variance(at: dict[str, Array]) -> Array:
    """Return the variance of e_t."""
    length = at["eta_s"] * at["eta"] * at["tau"]
    return np.asarray(2 * length**2 * at["sigma"] ** 2 / (at["tau"] * at["m"] * at["availability"] ** 3))


def squared_gradient(at: dict[str, Array]) -> Array:
    """Return L^2 (b - d)^2."""
    return np.asarray(at["L"] ** 2 * variance(at) * (mean_distance(_KINK) - _KINK) ** 2)


def mean_distance(d: float) -> float:
    """Return E|e - d| of a standard normal e."""
    return sqrt(2 / pi) * exp(-(d**2) / 2) + d * erf(d / sqrt(2))
