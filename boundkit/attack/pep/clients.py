"""Clients of the program: weights of their gradients, server weights, and participating groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem
from boundkit.algebra.vocabulary import PARTIAL_PARTICIPATION
from boundkit.analysis.solver_weights import read_weights, way_of

Array = NDArray[np.float64]

_USES = {
    "sgd": (),
    "proximal": ("prox_step",),
    "momentum": ("rho_momentum",),
    "proximal_momentum": ("prox_step", "rho_momentum"),
    "decay": ("decay",),
}
"""The settings of each local solver."""


def solver_weights(values: Mapping[str, float], vectors: Mapping[str, Any], m: int) -> list[Array]:
    """Return the weights of each client's gradients in its model after k steps, row k."""
    given = vectors.get("a_i")
    if given is not None:
        rows = read_weights(given)
        every = [rows[0]] * m if len(rows) == 1 else rows
        return [np.vstack([np.zeros(len(a)), np.tril(np.broadcast_to(a, (len(a), len(a))))]) for a in every]
    steps = vectors.get("tau_i", [values.get("tau", 1)] * m)
    counts = [round(k) for k in steps]
    solver = str(vectors.get("solver", "sgd"))
    settings = {
        "prox_step": values["eta"] * values.get("mu_prox", 0.0),
        "rho_momentum": values.get("rho_momentum", 0.0),
        "decay": values.get("decay", 1.0),
    }
    return [way_of(solver, k, **{name: settings[name] for name in _USES[solver]}) for k in counts]


def vector(given: Sequence[float] | None, m: int) -> list[float]:
    """Return the given weights, or equal ones."""
    return [1 / m] * m if given is None else [float(x) for x in given]


def weighing(
    theorem: Theorem,
    values: Mapping[str, float],
    vectors: Mapping[str, Any],
    p: Sequence[float],
    sums: Sequence[float],
) -> tuple[list[float], list[float]]:
    """Return the server weights of the clients' updates, and the weights of the surrogate objective."""
    displacement = float(np.dot(p, sums))
    if theorem.algorithm == "fednova":
        w = vector(vectors.get("w_i", p), len(p))
        step = values.get("tau_eff", displacement)
        return [step * w_i / s for w_i, s in zip(w, sums, strict=True)], w
    share = values.get("C", 1.0)
    factors = [values.get("eta_s", 1.0) * p_i / share for p_i in p]
    return factors, [p_i * s / displacement for p_i, s in zip(p, sums, strict=True)]


def participating_groups(
    theorem: Theorem, values: Mapping[str, float], m: int
) -> tuple[tuple[int, ...], ...]:
    """Return the groups of clients that may participate, with equal probabilities."""
    if not theorem.assumes(PARTIAL_PARTICIPATION.name):
        return (tuple(range(m)),)
    return tuple(combinations(range(m), round(values["C"] * m)))
