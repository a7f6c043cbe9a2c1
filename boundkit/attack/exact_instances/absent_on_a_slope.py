r"""Stored gradients of absent clients while the server's model moves along a slope, for many clients.

The loss has the slope g in x and the curvature L in all other directions y_j. Client i has, in place of that
curvature in a direction of its own, the product +-L x y_j, so that all of its curvatures are at most L; a
second client has the other sign, and the mean of the products is 0. With one local step the server moves by
s g a round along x, s = eta_s eta. A client that was absent for A rounds has stored a gradient that is
s g A L off, in its direction y_j. With a participation probability q of each of many clients, of which
M = q m are sampled, E A^2 = 2/q^2, and the mean of the sample has the variance 2 (s g L/q)^2/M. In y that
noise settles where

    E||y||^2 = s^2 (2 (s g L)^2/(q^2 M))/(s L (2 - s L)),

and the mean squared gradient is g^2 (1 + 2 (s L)^3/(q^2 M (2 - s L))), at a descent of s g^2 a round. What is
stored of y is noise of smaller order: q is of the order 1/sqrt(M).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import satisfied
from boundkit.attack.exact_instances.sampled_moments import measure_inside
from boundkit.attack.measurement import Array, Measurement

_ALGORITHMS = ("fedvarp", "clusterfedvarp", "scaffold")
_LENGTHS = (1 / 3, 0.3, 0.25, 0.1, 0.01)
"""s L."""
_RATIOS = tuple(np.geomspace(0.02, 2.0, 93))
"""(s L)^3/(q^2 M)."""
_SAMPLED, _FOREVER, _SERVER = 1e12, 1e60, 1e3
"""M, T and eta_s."""
_NEGLECTED, _INSIDE = 1e-3, 1 - 1e-9
"""A relative bound on terms of the order q/(s L) and q."""


def measure_absent_on_a_slope(theorem: Theorem, condition: Relational) -> Iterator[Measurement]:
    """Yield the mean squared gradient at steps outside ``condition``, one of another theorem."""
    claim = (theorem.claim.observable, theorem.claim.summary)
    if theorem.kind != "upper" or theorem.algorithm not in _ALGORITHMS or theorem.rules:
        return
    if claim != ("gradient_norm_squared", "average") or theorem.assumes("convex"):
        return
    at = settings()
    if not {q.name for q in theorem.quantities} <= set(at):
        return
    beyond = ~np.broadcast_to(satisfied(condition, at), at["m"].shape)
    at = {name: values[beyond] for name, values in at.items()}
    said = "stored gradients of many clients, most of them absent, along a slope"
    yield from measure_inside(theorem, at, mean_square(at), _NEGLECTED, said)


def settings() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = g = 1."""
    step, ratio = np.array(list(product(_LENGTHS, _RATIOS))).T
    one, q = np.ones(step.shape), (step**3 / (ratio * _SAMPLED)) ** 0.5
    zeros = dict.fromkeys(("sigma", "sigma_c"), 0 * one)
    started = dict.fromkeys(("gradients_start", "control_error"), one)
    return {
        "L": one, "tau": one, "eta": _INSIDE * step / _SERVER, "eta_s": _SERVER * one, "C": q,
        "missed": 1 - q, "m": _SAMPLED / q, "clusters": _SAMPLED / q, "T": _FOREVER * one,
        "gap": step * _FOREVER, "sigma_g": step * _FOREVER, **zeros, **started,
    }  # fmt: skip


def mean_square(at: dict[str, Array]) -> Array:
    """Return the mean squared gradient at g = L = 1."""
    step = at["eta_s"] * at["eta"]
    return np.asarray(1 + 2 * step**3 / (at["C"] ** 3 * at["m"] * (2 - step)))
