r"""FedAWE's consensus error from noise drift alone: identical clients at the kink of a loss.

All clients have the loss L max{x, 0}^2/2 and start at its kink, with noises of sigma and -sigma. In the first
round a participant takes two local steps: the second gradient is L eta sigma after a noise of -sigma, so that
its direction has the mean a = L eta sigma/4 and the variance V = (sigma^2/4) (1 + (1 - L eta/2)^2). The n
participants store one model, the others keep the first one, and over two rounds, s = 2 eta_s eta,

    (1/2) E (n/m) (1 - n/m) s^2 (a^2 + V/n) = (s^2/2) (q (1 - q) (1 - 1/m) a^2 + (1 - q - (1 - q)^m) V/m).

All other causes of error fall with the number of clients m, and this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import conditions
from boundkit.attack.measurement import Array, Measurement, exact_measurement

_AVAILABLE, _CLIENTS, _SERVER = (0.9, 0.5, 0.1, 0.01), (2.0, 100.0, 1e8, 1e12), (1.0, 1e-2)
_PARTS = (1.0, 0.1, 1e-2)
"""Fractions of eta L tau = 1/8."""
_ROUNDING = 1e-9


def measure_absent_at_a_kink(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the consensus error over two rounds, times L^2."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper" or theorem.rules:
        return
    if theorem.claim.observable != "scaled_spread":
        return
    at = settings()
    known = conditions(theorem, at)
    values = {q.name: at[q.name][known] for q in theorem.quantities}
    measured = consensus_error(at)[known]
    said = "identical clients at a kink, of which some are absent"
    yield exact_measurement(values, measured, _ROUNDING, said)


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = sigma = 1."""
    grid = np.meshgrid(_AVAILABLE, _CLIENTS, _SERVER, _PARTS)
    q, m, server, part = (each.ravel() for each in grid)
    one = np.ones(q.shape)
    return {
        "availability": q, "availability_max": q, "m": m, "eta_s": server, "eta": part / 16, "tau": 2 * one,
        "T": 2 * one, "L": one, "sigma": one, "beta": one, "kappa": 0 * one, "gap": 0 * one,
        "mixing": 1 - q + (1 - q - (1 - q) ** m) / (m - 1),
    }  # fmt: skip


def consensus_error(at: dict[str, Array]) -> Array:
    """Return the mean over the two rounds of the mean squared distance of the models from their mean."""
    q, m, eta = at["availability"], at["m"], at["eta"]
    drift, variance = (eta / 4) ** 2, (1 + (1 - eta / 2) ** 2) / 4
    noise = (1 - q - (1 - q) ** m) * variance / m
    return np.asarray((2 * at["eta_s"] * eta) ** 2 / 2 * (q * (1 - q) * (1 - 1 / m) * drift + noise))
