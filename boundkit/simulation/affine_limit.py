"""The limit of s <- A s + b, also with conserved quantities, where the limit depends on the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array

_KEPT = 1e-14
"""A relative singular value of I - A (per number of the state) below which a direction is conserved."""
SLOW = 1e-11
"""A relative singular value below which convergence is too slow for double precision."""
TOO_SLOW = "the rounds change a direction so slowly that its limit cannot be computed; take larger steps."
_DRIFT = 1e-9
_INVOLVED = 1e-6


@dataclass(frozen=True)
class Limit:
    """The limit ``points``, (N,), and the convergence factor of all that is not conserved."""

    points: Array
    spectral_radius: float


def refuse_overflow(*maps: Array) -> None:
    """Raise BoundkitError where the affine maps of the rounds overflowed."""
    if not all(np.isfinite(part).all() for part in maps):
        raise BoundkitError("the run diverges so fast that its rounds overflow; take smaller steps.")


def limit_of(A: Array, b: Array, start: Array, model: slice | None = None) -> Limit:
    """The limit of s <- A s + b from ``start``.

    With W spanning the left null space of I - A, W's is conserved; so the limit solves (I - A) s = b and
    W's = W'start. Raises BoundkitError where W'b is not 0: the state then diverges; where a
    direction converges too slowly to decide; and where W involves the ``model``, whose limit is required.
    """
    refuse_overflow(A, b)
    size = len(b)
    U, values, _ = np.linalg.svd(np.eye(size) - A)
    size_at_start = max(1.0, float(np.abs(start).max()))  # A is probed there, with relative errors
    conserved = values <= _KEPT * size * size_at_start * max(values[0], 1e-300)
    if (~conserved & (values <= SLOW * values[0])).any():
        raise BoundkitError(TOO_SLOW)
    W = U[:, conserved]
    if model is not None and np.abs(W[model]).max(initial=0.0) > _INVOLVED:
        raise BoundkitError(
            "the rounds leave a direction of the model unchanged, or change it too slowly to tell."
        )
    scale = max(1.0, float(np.abs(b).max()), float(np.abs(start).max()))
    if W.shape[1] and np.abs(W.T @ b).max() > _DRIFT * scale:
        raise BoundkitError("the rounds add to a conserved quantity, so the run has no limit.")
    system = np.vstack([np.eye(size) - A, W.T])
    right = np.concatenate([b, W.T @ start])
    if np.linalg.matrix_rank(system, tol=_KEPT * size * size_at_start * max(values[0], 1.0)) < size:
        raise BoundkitError("the rounds leave a direction unchanged, so the run determines no limit.")
    solution = np.linalg.lstsq(system, right, rcond=None)[0]
    moduli = np.abs(np.linalg.eigvals(A))
    free = np.sort(moduli[np.argsort(np.abs(np.linalg.eigvals(A) - 1))][W.shape[1] :])
    return Limit(np.asarray(solution), float(free[-1]) if len(free) else 0.0)
