r"""Fused convolution with 'same' padding, ReLU and 2x2 max pooling; K batches have their own filters.

Images are (K, C, height, width, b): a row of all points of a batch is contiguous in memory. The patches,
copied once, (K, C k k, pixels b), and the filters, (K, F, C k k), are multiplied in one batched product. A
last odd row or column enters no pooling window, and is not computed.

relu(max z) = max relu(z), so the maximum is taken first. Ties go to the first entry of a window, row by row,
as in torch: images have constant regions, and these have ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from boundkit.simulation.networks.base import Shapes
from boundkit.simulation.networks.matrix_products import product

if TYPE_CHECKING:
    import torch


class ForwardValues(NamedTuple):
    """Intermediate values for the backward pass: the ``patches``; the differences right minus left in each
    row, and lower minus upper row, of a window; and the ``maps``.
    """

    patches: torch.Tensor
    right: torch.Tensor
    low: torch.Tensor
    maps: torch.Tensor


class Convolution:
    """``filters`` = F, of width ``kernel`` = k, an odd number. ``fan_in``: C k k, inputs of one filter."""

    def __init__(self, channels: int, height: int, width: int, filters: int, kernel: int) -> None:
        self.channels, self.height, self.width = channels, height, width
        self.filters, self.kernel = filters, kernel
        self.h, self.w = height // 2, width // 2
        self.fan_in = channels * kernel * kernel
        self.shapes: Shapes = ((filters, channels, kernel, kernel), (filters,))

    def maps(self, filters: torch.Tensor, bias: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """The pooled maps, (K, F, h, w, b); torch may differentiate them any number of times."""
        import torch

        z = self._windows(torch.matmul(self._rows(filters), self._patches(images)))
        left, right = z.unbind(5)
        top, below = torch.where(right > left, right, left).unbind(3)
        best = torch.where(below > top, below, top)
        return (best + bias[:, :, None, None, None]).relu()

    def forward(self, filters: torch.Tensor, bias: torch.Tensor, images: torch.Tensor) -> ForwardValues:
        """The same maps without a graph, and the intermediate values for the backward pass."""
        import torch

        patches = self._patches(images)
        left, right = self._windows(product(self._rows(filters), patches)).unbind(5)
        rows = torch.maximum(left, right)
        top, below = rows.unbind(3)
        best = torch.maximum(top, below).add_(bias[:, :, None, None, None]).relu_()
        return ForwardValues(patches, right - left, below - top, best)

    def backward(self, seen: ForwardValues, delta: torch.Tensor, found: list[torch.Tensor]) -> torch.Tensor:
        """Write the gradients of filters and bias into ``found``; return that of the outputs before pooling.

        ``delta``: the gradient with respect to the maps, (K, F, h, w, b).
        """
        import torch

        where_above = torch.ops.aten.threshold_backward  # (g, x, 0): g where x > 0, and 0 elsewhere
        K, F, h, w, b = delta.shape
        of_rows, of_all = delta.new_empty(K, F, h, 2, w, b), delta.new_empty(K, F, h, 2, w, 2, b)
        of_maps = where_above(delta, seen.maps, 0)
        torch.sum(of_maps, (2, 3, 4), out=found[1])
        of_rows[:, :, :, 1] = where_above(of_maps, seen.low, 0)
        torch.sub(of_maps, of_rows[:, :, :, 1], out=of_rows[:, :, :, 0])
        of_all[..., 1, :] = where_above(of_rows, seen.right, 0)
        torch.sub(of_rows, of_all[..., 1, :], out=of_all[..., 0, :])
        of_outputs = of_all.view(K, F, -1)
        product(of_outputs, seen.patches.transpose(1, 2), out=found[0].view(K, F, -1))
        return of_outputs

    def to_images(self, filters: torch.Tensor, of_outputs: torch.Tensor) -> torch.Tensor:
        """The gradient with respect to the images, from that of the outputs before pooling."""
        K, C, k, tall, wide = len(filters), self.channels, self.kernel, 2 * self.h, 2 * self.w
        of_patches = product(self._rows(filters).transpose(1, 2), of_outputs)
        parts = of_patches.view(K, C, k, k, tall, wide, -1)
        padded = parts.new_zeros(K, C, self.height + k - 1, self.width + k - 1, parts.shape[-1])
        for i in range(k):
            for j in range(k):
                padded[:, :, i : i + tall, j : j + wide] += parts[:, :, i, j]
        edge = k // 2
        return padded[:, :, edge : edge + self.height, edge : edge + self.width]

    def _rows(self, filters: torch.Tensor) -> torch.Tensor:
        return filters.reshape(len(filters), self.filters, self.fan_in)

    def _windows(self, z: torch.Tensor) -> torch.Tensor:
        """Outputs as (K, F, h, 2, w, 2, b)."""
        return z.reshape(len(z), self.filters, self.h, 2, self.w, 2, -1)

    def _patches(self, images: torch.Tensor) -> torch.Tensor:
        """Every patch whose centre is in a pooling window, (K, C k k, 2h 2w b)."""
        from torch.nn.functional import pad

        k, edge = self.kernel, self.kernel // 2
        padded = pad(images, (0, 0, *(edge,) * 4))[:, :, : 2 * self.h + k - 1, : 2 * self.w + k - 1]
        each = padded.unfold(2, k, 1).unfold(3, k, 1)  # (K, C, 2h, 2w, b, k, k)
        return each.permute(0, 1, 5, 6, 2, 3, 4).reshape(len(images), self.fan_in, -1)
