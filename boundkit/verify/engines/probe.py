"""The affine maps of an algorithm, found by asking its own code.

An affine function is known from its values at 0 and at a basis. So no map is derived by hand: the
functions that run step by step are evaluated at a basis, and the engines that need matrices read them
off. Where all Hessians are diagonal the coordinates do not mix, one probe a tensor is enough, and the
maps are batches over coordinates; otherwise each map is one matrix over all tensors.

Shapes: a "vector" over tensors with K names is (*batch, s). Dense: batch (), s = K d. Diagonal:
batch (d,), s = K. A client axis of length m, where there is one, stands in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Tensors = dict[str, "torch.Tensor"]


@dataclass(frozen=True)
class Affine:
    """v -> A v + c, by matrix (..., out, in) and constant (..., out)."""

    A: Array
    c: Array


def probe(
    function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int, diagonal: bool
) -> Affine:
    """The affine map of a function from named tensors (R, clients, d) to named tensors of that shape."""
    import torch

    size = len(names) if diagonal else len(names) * d
    inputs = {}
    for k, name in enumerate(names):
        tensor = torch.zeros(size + 1, clients, d, dtype=torch.float64)
        if diagonal:
            tensor[1 + k] = 1.0
        else:
            tensor[1 + k * d : 1 + (k + 1) * d] = torch.eye(d, dtype=torch.float64)[:, None, :]
        inputs[name] = tensor
    outputs = [o.expand(size + 1, clients, d).numpy() for o in function(inputs).values()]
    values = np.stack(outputs, axis=-1) if diagonal else np.concatenate(outputs, axis=-1)
    return Affine(A=np.moveaxis(values[1:] - values[0], 0, -1).copy(), c=values[0].copy())


@dataclass(frozen=True)
class Noisy:
    """z -> A z + c + noise of covariance V: one local step, or many."""

    A: Array
    c: Array
    V: Array

    def then(self, after: Noisy) -> Noisy:
        """This map first, ``after`` next, with fresh noise."""
        return Noisy(
            after.A @ self.A,
            (after.A @ self.c[..., None])[..., 0] + after.c,
            after.A @ self.V @ np.swapaxes(after.A, -1, -2) + after.V,
        )

    def power(self, steps: int) -> Noisy:
        """The map of that many steps, by repeated squaring."""
        result, square = None, self
        while True:
            if steps & 1:
                result = square if result is None else result.then(square)
            steps >>= 1
            if not steps:
                assert result is not None  # steps >= 1, so at least one bit was set
                return result
            square = square.then(square)
