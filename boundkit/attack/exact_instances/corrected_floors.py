"""Exact error floors of EPISODE on clients whose rounds are not clipped, with noise of +-sigma.

Half of the clients have the slope zeta beside what follows, and half -zeta, far above all other gradients. So
they may have the curvature 1 of the losses f below, L0 + L1 zeta is hardly more than 1, and L0 much less.

A local step of a client has the direction grad f(y) + n_k - n_0 + G: its own noise, less that of its fresh
gradient, and G, the mean of the fresh gradients.

Noise: on f(x) = x^2/2 the corrections cancel in the mean of the models, whose stationary variance is that
of single steps, eta sigma^2/(m (2 - eta)). Drift: infinitely many clients with f'(x) = |x| - c near 0, and a
small step. After k steps the models deviate from their mean by eta times k n_0 less a sum of k noises, which
is never longer: its mean length is eta sigma k. So the server stays at 0 for c = eta sigma (tau - 1)/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Measurement

_TAUS, _CLIENTS, _ETA = (1, 2, 4, 16, 256), (2.0, 64.0, 1e8), 1e-9
_FOREVER, _MOVED = 1e60, 1e-4
"""The number of rounds or clients that leaves no other error; how far gradients move a model, as a part."""


def measure_corrected_floors(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean of min(eta ||grad F||^2, clip ||grad F||), of noise alone and of drift alone."""
    if theorem.algorithm != "episode" or theorem.claim.observable != "clipped_decrease":
        return
    for tau, clients in product(_TAUS, (*_CLIENTS, _FOREVER)):
        many = clients == _FOREVER
        square = (_ETA * (tau - 1) / 2) ** 2 if many else _ETA / (clients * (2 - _ETA))
        known = {
            "m": clients, "T": _FOREVER, "tau": float(tau), "eta": _ETA, "sigma": 1.0, "gap": 1.0, "L0": 1e-5,
            "L1": 1e-7, "zeta": 1e7, "rho_zeta": 0.0, "clip": 12.1 * _ETA,
        }  # fmt: skip
        values = {q.name: np.array([known[q.name]]) for q in theorem.quantities}
        low, high = (np.array([_ETA * square * (1 + side * _MOVED * many)]) for side in (-1, 1))
        said = f"the floor of {'drift' if many else 'noise'} alone, of corrected steps, at tau = {tau}"
        yield Measurement(values, low * (1 - 1e-9), high * (1 + 1e-9), 0.0, {"said": said})
