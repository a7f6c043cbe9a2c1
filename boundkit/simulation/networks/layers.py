r"""Parts that networks share: matrix products, the loss of scores, initial weights, and dense layers.

Products of many small matrices are taken without a graph, by numpy on a CPU and by torch elsewhere. On one
thread of a CPU, numpy takes a quarter of torch.bmm's time for (10, 128)' (10, 10), and writes straight into
a slice of the flat gradients, which torch.bmm fills by a copy. Larger matrices are left to torch: numpy's
library would split each over threads, whose synchronisation outweighs the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from boundkit.simulation.arrays import Array

if TYPE_CHECKING:
    import torch

Shapes = tuple[tuple[int, ...], ...]
_ON_ONE_THREAD = 2**18
"""Multiplications in one product up to which numpy's OpenBLAS stays on one thread."""


def product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """a b for (K, n, k) and (K, k, l), into ``out`` where it is given; nothing can be differentiated."""
    import torch

    if not _by_numpy(a, b):
        return torch.bmm(a, b) if out is None else out.copy_(torch.bmm(a, b))
    if out is None:
        return torch.from_numpy(np.matmul(a.numpy(), b.numpy()))
    np.matmul(a.numpy(), b.numpy(), out=out.numpy())
    return out


def multiplier(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> Callable[[], object]:
    """A function that writes a b into ``out`` for the current values of ``a`` and ``b``."""
    if _by_numpy(a, b):
        return partial(np.matmul, a.numpy(), b.numpy(), out=out.numpy())
    import torch

    return partial(torch.bmm, a, b, out=out)


def _by_numpy(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.device.type == "cpu" and a.shape[1] * a.shape[2] * b.shape[2] <= _ON_ONE_THREAD


def cross_entropy(z: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """For scores (K, n, classes) and labels (K, n) or (1, n): (K, n)."""
    index = labels.expand(z.shape[:-1])[..., None]
    return z.logsumexp(-1) - z.gather(-1, index)[..., 0]


def score_gradient(z: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """weights (softmax z - label), with weights (K, n): the gradient with respect to the scores."""
    delta = z.softmax(-1)
    index = labels.expand(z.shape[:-1])[..., None]
    delta.scatter_add_(-1, index, delta.new_full((1, 1, 1), -1.0).expand_as(index))
    return delta.mul_(weights[..., None])


def uniform_start(shapes: Shapes, inputs: tuple[int, ...], seed: int) -> Array:
    """Each block uniform in +-1/sqrt(inputs of its layer), one after the other: (d,)."""
    generator = np.random.default_rng(seed)
    parts = [
        generator.uniform(-(n**-0.5), n**-0.5, size=prod(shape))
        for shape, n in zip(shapes, inputs, strict=True)
    ]
    return np.concatenate(parts)


class Dense:
    r"""Dense layers of ``widths`` = (inputs, hidden, ..., classes), with ReLU in between.

    z_1 = X W_1 + b_1, z_l = relu(z_{l-1}) W_l + b_l. With delta_L the gradient with respect to z_L,
    delta_{l-1} = (delta_l W_l') 1[z_{l-1} > 0], dW_l = relu(z_{l-1})' delta_l, db_l = sum_b delta_l.
    ``fan_in``: of the layer of each block.
    """

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.widths = widths
        self.shapes: Shapes = tuple(shape for n, k in pairwise(widths) for shape in ((n, k), (k,)))
        self.fan_in = tuple(n for n in widths[:-1] for _ in "Wb")

    def forward(
        self,
        layers: Sequence[torch.Tensor],
        X: torch.Tensor,
        multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> list[torch.Tensor]:
        """The inputs of each layer, (K, b, width), and last the scores, for points X, (K, b, inputs)."""
        inputs = [X]
        for at in range(0, len(layers), 2):
            if at:
                inputs[-1].relu_()
            inputs.append(multiply(inputs[-1], layers[at]).add_(layers[at + 1][:, None, :]))
        return inputs

    def backward(
        self,
        layers: Sequence[torch.Tensor],
        inputs: Sequence[torch.Tensor],
        delta: torch.Tensor,
        gradients: Sequence[torch.Tensor],
    ) -> torch.Tensor:
        """Write the gradients into the blocks ``gradients``; the result is delta_1.

        ``delta``: the gradient with respect to the scores.
        """
        import torch

        for at in range(len(layers) - 2, -1, -2):
            entering = inputs[at // 2]
            product(entering.transpose(1, 2), delta, out=gradients[at])
            torch.sum(delta, 1, out=gradients[at + 1])
            if at:
                back = product(delta, layers[at].transpose(1, 2))
                delta = torch.ops.aten.threshold_backward(back, entering, 0)  # where entering > 0
        return delta
