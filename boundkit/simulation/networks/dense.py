r"""Dense layers with ReLU in between, and their backward pass.

z_1 = X W_1 + b_1, z_l = relu(z_{l-1}) W_l + b_l. With delta_L the gradient with respect to z_L,
delta_{l-1} = (delta_l W_l') 1[z_{l-1} > 0], dW_l = relu(z_{l-1})' delta_l, db_l = sum_b delta_l.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from boundkit.simulation.networks.base import Shapes
from boundkit.simulation.networks.matrix_products import product

if TYPE_CHECKING:
    import torch


class Dense:
    """Layers of ``widths`` = (inputs, hidden, ..., classes). ``fan_in``: of the layer of each block."""

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
