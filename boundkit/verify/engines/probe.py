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

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Tensors = dict[str, "torch.Tensor"]


@dataclass(frozen=True)
class Affine:
    """v -> A v + c by client and coordinate: A is (m, d, out, in), c is (m, d, out), over named tensors."""

    A: Array
    c: Array


def probe(function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int) -> Affine:
    """The affine map of a function from named tensors (R, clients, d) to named tensors of that shape."""
    import torch

    size = len(names)
    inputs = {name: torch.zeros(size + 1, clients, d, dtype=torch.float64) for name in names}
    for k, name in enumerate(names):
        inputs[name][1 + k] = 1.0
    values = np.stack([o.expand(size + 1, clients, d).numpy() for o in function(inputs).values()], axis=-1)
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
        """The map of that many steps (at least one), by repeated squaring."""
        if steps == 1:
            return self
        half = self.then(self).power(steps // 2)
        return half.then(self) if steps % 2 else half
