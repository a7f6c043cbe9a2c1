"""Affine maps of an algorithm, computed by evaluating its own functions, and the limits of their iteration.

An affine function is determined by its values at 0 and at a basis. So no map is derived by hand: the
functions of the step engine are evaluated at a basis, and the engines that need matrices read them off.
In the axes of a client's own Hessian the functions of a round never mix coordinates (they add and scale
whole arrays, and the gradient scales each coordinate), so one probe per array is enough in any
dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array

Tensors = dict[str, Array]
TOLERANCE = 1e-9
"""Relative tolerance of the affinity check, for rounding."""
_FAR = (1.0, 1e-3, 1e2, 1e4)
"""Distances of the points at which affinity is checked: a kink may be near the base point, or far."""


class NotAffine(BoundkitError):
    """A map that is not affine."""


def affinity_test_points(base: Array) -> Array:
    """Test points outside the basis, near and far, on both sides: offsets from ``base``, (P, *base.shape)."""
    rng = np.random.default_rng(1)
    one_side = [scale * rng.standard_normal(base.shape) for scale in _FAR]
    return np.stack([*one_side, *(-v for v in one_side)])


@dataclass(frozen=True)
class Affine:
    """v -> A v + c per client and coordinate: A is (m, d, out, in), c is (m, d, out), over named arrays."""

    A: Array
    c: Array


def probe(
    function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int, check: bool = True
) -> Affine:
    """Compute the affine map of a function from named arrays (R, clients, d) to arrays of that shape.

    Raises NotAffine where the check at near and far points fails. Without ``check`` the inputs are
    (R, clients, 1): a basis is the same in all coordinates.
    """
    size = len(names)
    tested = affinity_test_points(np.zeros((size, 1, d))) if check else np.empty((0, size, 1, 1))
    rows = size + 1 + len(tested)
    inputs = {name: np.zeros((rows, clients, tested.shape[-1])) for name in names}
    for k, name in enumerate(names):
        inputs[name][1 + k] = 1.0
        inputs[name][size + 1 :] = tested[:, k]  # a server state is one for all
    with np.errstate(all="ignore"):
        outputs = [np.asarray(output) for output in function(inputs).values()]
    width = max(output.shape[-1] for output in outputs)
    values = np.stack([np.broadcast_to(output, (rows, clients, width)) for output in outputs], axis=-1)
    A, c = np.moveaxis(values[1 : size + 1] - values[0], 0, -1).copy(), values[0].copy()
    finite = np.isfinite(values).all()
    if not finite or (check and not _is_affine(A, values, tested)):
        raise NotAffine("a step of this algorithm is not affine.")
    return Affine(A, c)


def _is_affine(A: Array, values: Array, tested: Array) -> bool:
    """Whether the values at the tested points, which are last, are those of the map."""
    size = A.shape[-1]
    expected = sum((A[..., k] * tested[:, k, ..., None] for k in range(size)), values[0])
    missed = np.abs(values[size + 1 :] - expected).max(axis=(1, 2, 3))
    scale = np.abs(values[: size + 1]).max() * (1 + np.abs(tested).max(axis=(1, 2, 3)))
    return bool((missed <= TOLERANCE * np.maximum(1.0, scale)).all())


def multiply(A: Array, B: Array) -> Array:
    """A B for each of a batch; by numbers where the inner dimension is 1, as it mostly is."""
    return np.asarray(A * B if A.shape[-1] == 1 else A @ B)


def apply_matrices(A: Array, v: Array) -> Array:
    """A v for each of a batch."""
    return multiply(A, v[..., None])[..., 0]


_CONSERVED = 1e-14
"""A relative singular value of I - A (per number of the state) below which a direction is conserved."""
SLOW = 1e-11
"""A relative singular value below which convergence is too slow for double precision."""
TOO_SLOW = "the rounds change a direction so slowly that its limit cannot be computed; take larger steps."
_DRIFT = 1e-9
_INVOLVED = 1e-6


@dataclass(frozen=True)
class AffineLimit:
    """The limit ``points``, (N,), and the convergence factor of all that is not conserved."""

    points: Array
    spectral_radius: float


def refuse_overflow(*maps: Array) -> None:
    """Raise BoundkitError where the affine maps of the rounds overflowed."""
    if not all(np.isfinite(part).all() for part in maps):
        raise BoundkitError("the run diverges so fast that its rounds overflow; take smaller steps.")


def limit_of(A: Array, b: Array, start: Array, model: slice | None = None) -> AffineLimit:
    """The limit of s <- A s + b from ``start``.

    With W spanning the left null space of I - A, W's is conserved; so the limit solves (I - A) s = b and
    W's = W'start. Raises BoundkitError where W'b is not 0: the state then diverges; where a
    direction converges too slowly to decide; and where W involves the ``model``, whose limit is required.
    """
    refuse_overflow(A, b)
    size = len(b)
    U, values, _ = np.linalg.svd(np.eye(size) - A)
    size_at_start = max(1.0, float(np.abs(start).max()))  # A is probed there, with relative errors
    conserved = values <= _CONSERVED * size * size_at_start * max(values[0], 1e-300)
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
    if np.linalg.matrix_rank(system, tol=_CONSERVED * size * size_at_start * max(values[0], 1.0)) < size:
        raise BoundkitError("the rounds leave a direction unchanged, so the run determines no limit.")
    solution = np.linalg.lstsq(system, right, rcond=None)[0]
    moduli = np.abs(np.linalg.eigvals(A))
    free = np.sort(moduli[np.argsort(np.abs(np.linalg.eigvals(A) - 1))][W.shape[1] :])
    return AffineLimit(np.asarray(solution), float(free[-1]) if len(free) else 0.0)
