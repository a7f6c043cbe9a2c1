"""The affine maps of an algorithm, found by asking its own code.

An affine function is known from its values at 0 and at a basis. So no map is derived by hand: the
functions that run step by step are evaluated at a basis, and the engines that need matrices read them
off. The functions of a round never mix coordinates once a client works in the axes of its own Hessian
(they add and scale whole tensors, and there the gradient scales each coordinate), so one probe a tensor
is enough, whatever the dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Tensors = dict[str, "torch.Tensor"]
SAME = 1e-9
"""How far from affine rounding may leave a map, relative to its point."""
_FAR = (1.0, 1e-3, 1e2, 1e4)
"""How far out a map is asked whether it is what its basis says: a kink may be near the base, or far."""


class NotAffine(BoundkitError):
    """A map that is not affine."""


def away_from(base: Array) -> Array:
    """Points of no basis, near and far, on both sides: their differences from ``base``, (P, *base.shape)."""
    rng = np.random.default_rng(1)
    one_side = [scale * rng.standard_normal(base.shape) for scale in _FAR]
    return np.stack([*one_side, *(-v for v in one_side)])


@dataclass(frozen=True)
class Affine:
    """v -> A v + c by client and coordinate: A is (m, d, out, in), c is (m, d, out), over named tensors."""

    A: Array
    c: Array


def probe(function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int) -> Affine:
    """The affine map of a function from named tensors (R, clients, d) to named tensors of that shape.

    Raises NotAffine where it is none, as far as points near and far can tell.
    """
    import torch

    size = len(names)
    away = np.repeat(away_from(np.zeros((size, 1, d))), clients, axis=2)  # a server state is one for all
    rows = size + 1 + len(away)
    inputs = {name: torch.zeros(rows, clients, d, dtype=torch.float64) for name in names}
    for k, name in enumerate(names):
        inputs[name][1 + k] = 1.0
        inputs[name][size + 1 :] = torch.as_tensor(away[:, k])
    values = np.stack([o.expand(rows, clients, d).numpy() for o in function(inputs).values()], axis=-1)
    A, c = np.moveaxis(values[1 : size + 1] - values[0], 0, -1).copy(), values[0].copy()
    expected = (A @ np.moveaxis(away, 1, -1)[..., None])[..., 0] + c
    missed = np.abs(values[size + 1 :] - expected).max(axis=(1, 2, 3))
    room = np.abs(values[: size + 1]).max() * (1 + np.abs(away).max(axis=(1, 2, 3)))
    if not np.isfinite(values).all() or (missed > SAME * np.maximum(1.0, room)).any():
        raise NotAffine("a step of this algorithm is not affine.")
    return Affine(A, c)
