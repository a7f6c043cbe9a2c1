"""Exact error floors of EPISODE with noise of at most sigma, and its rounds on a slope without noise.

Where rounds are not clipped half of the clients have the slope zeta beside what follows, and half -zeta, far
above all other gradients. So they may have the curvature 1 of the losses f below, L0 + L1 zeta is hardly more
than 1, and L0 much less.

A local step of a client has the direction grad f(y) + n_k - n_0 + G: its own noise, less that of its fresh
gradient, and G, the mean of the fresh gradients.

Noise: on f(x) = x^2/2 the corrections cancel in the mean of the models, whose stationary variance is that
of single steps, eta sigma^2/(m (2 - eta)). Drift: infinitely many clients with f'(x) = |x| - c near 0, and a
small step. After k steps the models deviate from their mean by eta times k n_0 less a sum of k noises, which
is never longer: its mean length is eta sigma k. So the server stays at 0 for c = eta sigma (tau - 1)/2.

Growing curvature: one client with f'(x) = (L0/L1) sinh(L1 x), L0 far below sigma^2 eta L1^2. Its noise leads
from a point of a lattice of spacing SPACING eta sigma to one of its neighbours, and at the ends to the inner
one or nowhere, with the odds of mean 0. So its stationary distribution is known, and with it the floor.

Clipped steps in a wrong direction: one client on a slope of 0.0999 sigma, with the noise sigma in 4 of 9
steps and -0.8 sigma in the others. At a threshold of 0.7 sigma every step is clipped, and 5 of 9 lead uphill.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.measurement import Array, Measurement, measure_known

_TAUS, _CLIENTS, _ETA = (1, 2, 4, 16, 256), (2.0, 64.0, 1e8), 1e-9
_FOREVER, _MOVED = 1e60, 1e-4
"""The number of rounds or clients that leaves no other error; how far gradients move a model, as a part."""
_INSIDE, _ROUNDING = 1 - 1e-6, 1e-9
_ONE_STEP = {"m": 1.0, "tau": 1.0, "L1": 1e-9, "zeta": 0.0, "rho_zeta": 0.0, "T": _FOREVER, "gap": 1e6}
THRESHOLD, SLOPE, UPHILL = 0.7, 0.0999, 0.8
"""Below SLOPE + 1 and UPHILL - SLOPE, the two lengths of a noisy gradient; in units of sigma."""
SPACING, _GROWING = 0.9, {"L0": 2e-6, "L1": 0.01, "eta": 1.0, "sigma": 1.0, "clip": 7.1}
"""Slopes are at most 1 - SPACING times sigma, so that noise is at most sigma."""


def measure_corrected_floors(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean of min(eta ||grad F||^2, clip ||grad F||), or the rounds to a target, of one cause."""
    if theorem.algorithm != "episode" or theorem.kind != "upper":
        return
    to_target = theorem.claim.summary == "first"
    for tau, clients in product(_TAUS, (*_CLIENTS, _FOREVER)):
        many = clients == _FOREVER
        if to_target and (not many or tau == 1):
            continue
        square = (_ETA * (tau - 1) / 2) ** 2 if many else _ETA / (clients * (2 - _ETA))
        known = {
            "m": clients, "T": _FOREVER, "tau": float(tau), "eta": _ETA, "sigma": 1.0, "gap": 1.0, "L0": 1e-5,
            "L1": 1e-7, "zeta": 1e7, "rho_zeta": 0.0, "clip": 12.1 * _ETA, "target": _INSIDE * square**0.5,
        }  # fmt: skip
        value, error = np.inf if to_target else _ETA * square, _MOVED * many + _ROUNDING
        said = f"the floor of {'drift' if many else 'noise'} alone, of corrected steps, at tau = {tau}"
        yield from measure_known(theorem, known, value, error, said)
    if not to_target:
        slopes, _, weights = walk(_GROWING["L0"], _GROWING["L1"])
        said = "the floor of noise alone, where the curvature grows with the gradient"
        yield from measure_known(theorem, _ONE_STEP | _GROWING, float(weights @ slopes**2), _ROUNDING, said)
    misled = {"eta": 1.0, "sigma": 1.0, "clip": THRESHOLD, "L0": 1e-6, "target": _INSIDE * SLOPE}
    value, said = np.inf if to_target else SLOPE**2, "clipped steps in a wrong direction"
    yield from measure_known(theorem, _ONE_STEP | misled, value, _MOVED + _ROUNDING, said)
    for clip in (3.0, 0.3) if to_target else ():
        slope = {"eta": 1e-3, "sigma": 0.0, "clip": clip * 1e-3, "L0": 1.0, "target": _INSIDE}
        rounds = rounds_on_a_slope(_ONE_STEP["gap"], 1.0, slope["eta"], slope["clip"])
        said = "a slope without noise"
        yield from measure_known(theorem, _ONE_STEP | slope, rounds, _MOVED + _ROUNDING, said)


def walk(L0: float, L1: float) -> tuple[Array, Array, Array]:
    """Return slopes f'(x) on the lattice x >= 0, odds of a step inwards, and weights of +-x.

    For eta = sigma = 1. The other odds are those of a step outwards, and at the last x of none.
    """
    last = int(np.arcsinh((1 - SPACING) * L1 / L0) / (L1 * SPACING))
    slopes = L0 / L1 * np.sinh(L1 * SPACING * np.arange(last + 1))
    inwards = (1 + slopes / SPACING) / 2
    outwards = 1 - inwards
    inwards[-1], outwards[0] = slopes[-1] / SPACING, 1.0
    weights = np.cumprod(np.concatenate([[1.0], outwards[:-1] / inwards[1:]]))
    return slopes, inwards, weights / weights.sum()


def rounds_on_a_slope(gap: float, slope: float, eta: float, clip: float) -> float:
    """Return the rounds of one step down a slope, to where the curvature 1 about the minimum begins.

    >>> rounds_on_a_slope(gap=2.5, slope=1.0, eta=0.1, clip=0.05)
    40.0
    """
    return (gap - slope**2 / 2) / (slope * min(eta * slope, clip))
