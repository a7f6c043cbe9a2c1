"""Affine maps of an algorithm, computed by evaluating its own functions.

An affine function is determined by its values at 0 and at a basis. So no map is derived by hand: the
functions of the step engine are evaluated at a basis, and the engines that need matrices read them off.
In the axes of a client's own Hessian the functions of a round never mix coordinates (they add and scale
whole tensors, and the gradient scales each coordinate), so one probe per tensor is enough in any
dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array

if TYPE_CHECKING:
    import torch

Tensors = dict[str, "torch.Tensor"]
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
    """v -> A v + c per client and coordinate: A is (m, d, out, in), c is (m, d, out), over named tensors."""

    A: Array
    c: Array


def probe(function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int) -> Affine:
    """Compute the affine map of a function from named tensors (R, clients, d) to tensors of that shape.

    Raises NotAffine where the check at near and far points fails.
    """
    import torch

    size = len(names)
    offsets = np.repeat(
        affinity_test_points(np.zeros((size, 1, d))), clients, axis=2
    )  # a server state is one for all
    rows = size + 1 + len(offsets)
    inputs = {name: torch.zeros(rows, clients, d, dtype=torch.float64) for name in names}
    for k, name in enumerate(names):
        inputs[name][1 + k] = 1.0
        inputs[name][size + 1 :] = torch.as_tensor(offsets[:, k])
    values = np.stack([o.expand(rows, clients, d).numpy() for o in function(inputs).values()], axis=-1)
    A, c = np.moveaxis(values[1 : size + 1] - values[0], 0, -1).copy(), values[0].copy()
    expected = (A @ np.moveaxis(offsets, 1, -1)[..., None])[..., 0] + c
    missed = np.abs(values[size + 1 :] - expected).max(axis=(1, 2, 3))
    scale = np.abs(values[: size + 1]).max() * (1 + np.abs(offsets).max(axis=(1, 2, 3)))
    if not np.isfinite(values).all() or (missed > TOLERANCE * np.maximum(1.0, scale)).any():
        raise NotAffine("a step of this algorithm is not affine.")
    return Affine(A, c)
