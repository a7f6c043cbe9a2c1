r"""FedAWE's consensus error from noise drift alone: infinitely many equal clients at the kink of a loss.

All clients have the loss L max{x, 0}^2/2 and start at its kink, with noises of sigma and -sigma. Where all
steps are short beside the noise of the local ones, S_k the sum of k signs, every direction has the mean

    a = (L eta sigma/tau) sum_{k < tau} E max{S_k, 0},    E |S_{2j - 1}| = E |S_{2j}| = 2 j C(2j, j)/4^j.

In the limit of infinitely many clients the participants' mean has no noise, and is -(t + 1) s a after round
t, so that a client whose last round was k rounds ago has the model -(t + 1 - k) s a. The consensus error is
(s a)^2 times the variance of k, of which min{k, t + 1} counts. All other causes of error fall with the number
of clients, and this one does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import gammaln

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement

_AVAILABLE, _TAUS, _SERVER = (1 - 1e-4, 0.9, 0.5, 0.1, 1e-2, 1e-3), (2, 3, 1024), (1e4, 1.0, 1e-4)
_ROUNDS = (1, 10, 30)
"""Rounds, in units of the mean time between two rounds of a client, less one."""
_WALKED, _MANY = 1e-9, 1e60
"""L s T, by which the drift changes, relatively, and the number of clients."""
_ERROR = 1e-6


def measure_absent_at_a_kink(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean consensus error over the rounds, times L^2."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper" or theorem.rules:
        return
    if theorem.claim.observable != "scaled_spread":
        return
    at = settings()
    said = "equal clients at a kink, of which some are absent"
    yield from measure_inside(theorem, at, consensus_error(at), _ERROR, said)


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = sigma = 1."""
    grid = product(_AVAILABLE, _TAUS, _SERVER, _ROUNDS)
    q, tau, server, rounds = np.array(list(grid), dtype=np.float64).T
    T = 1 + np.ceil(rounds / q)
    one = np.ones(q.shape)
    return {
        "availability": q, "availability_max": q, "m": _MANY * one, "eta_s": server, "tau": tau, "T": T,
        "eta": _WALKED * np.minimum(1 / server, 1) / (tau * T), "L": one, "sigma": one, "beta": one,
        "kappa": 0 * one, "gap": 0 * one, "mixing": 1 - q,
    }  # fmt: skip


def consensus_error(at: dict[str, Array]) -> Array:
    """Return the mean over the rounds of the mean squared distance of the models from their mean."""
    every = zip(at["availability"], at["tau"], at["T"], strict=True)
    factors = np.array([drift(int(tau)) ** 2 * spread(q, int(T)) for q, tau, T in every])
    return np.asarray((at["eta_s"] * at["eta"] * at["tau"]) ** 2 * at["eta"] ** 2 * factors)


def drift(tau: int) -> float:
    """Return the mean over k < tau of E max{S_k, 0}.

    >>> drift(2), drift(3)
    (0.25, 0.3333333333333333)
    """
    j = (np.arange(1, tau) + 1) // 2
    walks = 2 * j * np.exp(gammaln(2 * j + 1) - 2 * gammaln(j + 1) - 2 * j * np.log(2))
    return float(walks.sum() / (2 * tau))


def spread(q: float, rounds: int) -> float:
    """Return the mean over t < T of the variance of min{k, t + 1}, where k > j with probability (1 - q)^j."""
    j = np.arange(rounds)
    left = (1 - q) ** j
    mean, square = np.cumsum(left), np.cumsum((2 * j + 1) * left)
    return float((square - mean**2).mean())
