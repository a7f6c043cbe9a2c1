r"""Weights of the local gradients in the update of a client, by running the solver.

The formulas of ``boundkit.algebra.solvers`` are closed; here the solver takes its steps on symbols for
gradients, one coordinate a gradient. A test compares both. Weights given by a user,
a_i, enter theorems through the same sums.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.solvers import GRADIENT_WEIGHTS, SOLVERS
from boundkit.analysis.evaluate import Array

SETTINGS: Mapping[str, tuple[str, ...]] = {
    "sgd": (),
    "proximal": ("prox_step",),
    "momentum": ("rho_momentum",),
    "proximal_momentum": ("prox_step", "rho_momentum"),
    "decay": ("decay",),
}
"""The settings of each local solver."""


def local_weights(solver: str, tau: int, **settings: float) -> Array:
    """Row k: the weights of the gradients in the local model after k steps; shape (tau + 1, tau).

    ``settings`` are prox_step (eta mu_prox), rho_momentum and decay. Step s is v <- rho v + g_s, then
    y <- y - eta gamma^s (v + mu_prox (y - x)), from v = 0 and y = x. Raises BoundkitError for an unknown
    solver, a setting that it does not have, and tau < 1.

    >>> local_weights("proximal", 3, prox_step=0.5)[-1]
    array([0.25, 0.5 , 1.  ])
    """
    if solver not in SOLVERS:
        raise unknown("solver", solver, SOLVERS)
    for name in settings:
        if name not in SETTINGS[solver]:
            raise unknown(f"setting of the solver {solver}", name, SETTINGS[solver] or ["none"])
    if tau < 1:
        raise BoundkitError(f"tau = {tau!r} was given, but a client takes at least one step.")
    shrinkage, momentum = settings.get("prox_step", 0.0), settings.get("rho_momentum", 0.0)
    model, velocity, rows = np.zeros(tau), np.zeros(tau), [np.zeros(tau)]
    for s in range(tau):
        velocity = momentum * velocity
        velocity[s] += 1
        model = (1 - shrinkage) * model + settings.get("decay", 1.0) ** s * velocity
        rows.append(model)
    return np.array(rows)


def gradient_weights(solver: str, tau: int, **settings: float) -> list[float]:
    """The weights a_i of a client's gradients after tau steps, as ``a_i`` of ``predict`` takes them.

    >>> gradient_weights("momentum", 3, rho_momentum=0.5)
    [1.75, 1.5, 1.0]
    """
    weights: list[float] = local_weights(solver, tau, **settings)[-1].tolist()
    return weights


def weight_sums(rows_of_weights: Array) -> dict[str, float]:
    """What a theorem needs of the weights, by keyword, summed as it is defined."""
    last, before = rows_of_weights[-1], rows_of_weights[:-1]
    sums = (
        last.sum(),
        (last**2).sum(),
        last[-1],
        before.sum(axis=1).max(),
        (before**2).sum(axis=1).max(),
    )
    return {q.name: float(x) for q, x in zip(GRADIENT_WEIGHTS, sums, strict=True)}


def read_weights(given: object) -> list[Array]:
    """The weights a_i as given explicitly: a list for each client, or one list for all of them.

    Raises BoundkitError for anything but lists of finite numbers of at least 0, not all 0.
    """
    rows = given if isinstance(given, (list, tuple)) and given and _is_row(given[0]) else [given]
    return [_check_row(row) for row in rows]


def is_shared_by_clients(given: object) -> bool:
    """Whether one list of weights was given, for all clients."""
    return not (isinstance(given, (list, tuple)) and given and _is_row(given[0]))


def written_local_weights(weights: Array) -> Array:
    """The rows of ``local_weights`` for given weights: step s moves by eta a_s g_s, for good."""
    return np.tril(np.tile(weights, (len(weights) + 1, 1)), -1)


def written_weight_sums(weights: Array) -> dict[str, float]:
    """The sums of given weights, and their number of steps."""
    return weight_sums(written_local_weights(weights)) | {"tau_i": float(len(weights))}


def _is_row(value: object) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _check_row(row: object) -> Array:
    try:
        weights = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if isinstance(row, (str, bool, Mapping)) or weights.ndim != 1 or not weights.size:
        raise BoundkitError(
            f"a_i holds {row!r}, but it takes a list of weights for each client, one weight a gradient."
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise BoundkitError(
            f"a_i holds {list(map(float, weights))}, but weights are finite, at least 0, and not all 0."
        )
    return weights
