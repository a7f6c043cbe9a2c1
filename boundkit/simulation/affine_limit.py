"""The limit of s <- A s + b, also with conserved quantities, where the limit depends on the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

Array = NDArray[np.float64]
_KEPT = 1e-14
"""A relative singular value of I - A (per number of the state) below which a direction is conserved."""
SLOW = 1e-11
"""A relative singular value below which convergence is too slow for double precision."""
TOO_SLOW = "the rounds move a direction so slowly that its limit cannot be solved for; take larger steps."
_DRIFT = 1e-9
_TOUCHED = 1e-6


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
    direction converges too slowly to decide; and where W involves the ``model``, whose limit is wanted.
    """
    refuse_overflow(A, b)
    size = len(b)
    U, values, _ = np.linalg.svd(np.eye(size) - A)
    far = max(1.0, float(np.abs(start).max()))  # A is probed at the start, with errors relative to its size
    kept = values <= _KEPT * size * far * max(values[0], 1e-300)
    if (~kept & (values <= SLOW * values[0])).any():
        raise BoundkitError(TOO_SLOW)
    W = U[:, kept]
    if model is not None and np.abs(W[model]).max(initial=0.0) > _TOUCHED:
        raise BoundkitError(
            "the rounds leave a direction of the model where it is, or move it too slowly to tell."
        )
    scale = max(1.0, float(np.abs(b).max()), float(np.abs(start).max()))
    if W.shape[1] and np.abs(W.T @ b).max() > _DRIFT * scale:
        raise BoundkitError("the rounds move something on and on, so the run determines no limit.")
    system = np.vstack([np.eye(size) - A, W.T])
    wanted = np.concatenate([b, W.T @ start])
    if np.linalg.matrix_rank(system, tol=_KEPT * size * far * max(values[0], 1.0)) < size:
        raise BoundkitError("the rounds leave a direction where it is, so the run determines no limit.")
    found = np.linalg.lstsq(system, wanted, rcond=None)[0]
    moduli = np.abs(np.linalg.eigvals(A))
    free = np.sort(moduli[np.argsort(np.abs(np.linalg.eigvals(A) - 1))][W.shape[1] :])
    return Limit(np.asarray(found), float(free[-1]) if len(free) else 0.0)
