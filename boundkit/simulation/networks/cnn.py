r"""A small convolutional network: one or two convolutions with ReLU and 2x2 max pooling, then dense layers.

In torch's terms: Conv2d(C, F, k, padding="same"), ReLU, MaxPool2d(2), for each of ``channels``; Flatten;
Linear, with ReLU in between where there is a ``hidden`` layer.

A convolution is fused with its ReLU and pooling, and K batches have their own filters. Images are (K, C,
height, width, b): a row of all points of a batch is contiguous in memory. The patches, copied once, (K, C k
k, pixels b), and the filters, (K, F, C k k), are multiplied in one batched product. A last odd row or column
enters no pooling window, and is not computed.

relu(max z) = max relu(z), so the maximum is taken first. Ties go to the first entry of a window, row by row,
as in torch: images have constant regions, and these have ties.
"""

from __future__ import annotations

from math import isqrt, prod
from typing import Any, ClassVar, NamedTuple, Self

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, array_namespace
from boundkit.simulation.networks.base import (
    WIDEST,
    Architecture,
    Dense,
    Shapes,
    are_largest,
    cross_entropy,
    detached,
    empty,
    relu,
    score_gradient,
    uniform_start,
    widths,
)
from boundkit.simulation.validation import whole


class ForwardValues(NamedTuple):
    """Intermediate values for the backward pass: the ``patches``; the differences right minus left in each
    row, and lower minus upper row, of a window; and the ``maps``.
    """

    patches: AnyArray
    right: AnyArray
    low: AnyArray
    maps: AnyArray


class Convolution:
    """``filters`` = F, of width ``kernel`` = k, an odd number. ``fan_in``: C k k, inputs of one filter."""

    def __init__(self, channels: int, height: int, width: int, filters: int, kernel: int) -> None:
        self.channels, self.height, self.width = channels, height, width
        self.filters, self.kernel = filters, kernel
        self.h, self.w = height // 2, width // 2
        self.fan_in = channels * kernel * kernel
        self.shapes: Shapes = ((filters, channels, kernel, kernel), (filters,))

    def maps(self, filters: AnyArray, bias: AnyArray, images: AnyArray) -> AnyArray:
        """The pooled maps, (K, F, h, w, b); torch may differentiate them any number of times."""
        xp = array_namespace(filters)
        z = self._windows(self._rows(filters) @ self._patches(images))
        left, right = z[..., 0, :], z[..., 1, :]
        rows = xp.where(right > left, right, left)
        top, below = rows[:, :, :, 0], rows[:, :, :, 1]
        return relu(xp.where(below > top, below, top) + bias[:, :, None, None, None])

    def forward(self, filters: AnyArray, bias: AnyArray, images: AnyArray) -> ForwardValues:
        """The same maps without a graph, and the intermediate values for the backward pass."""
        xp = array_namespace(filters)
        patches = self._patches(images)
        z = self._windows(self._rows(filters) @ patches)
        left, right = z[..., 0, :], z[..., 1, :]
        rows = xp.maximum(left, right)
        top, below = rows[:, :, :, 0], rows[:, :, :, 1]
        best = xp.maximum(top, below)
        best += bias[:, :, None, None, None]
        return ForwardValues(patches, right - left, below - top, relu(best))

    def backward(self, values: ForwardValues, delta: AnyArray, gradients: list[AnyArray]) -> AnyArray:
        """Write the gradients of filters and bias into ``gradients``; return that before pooling.

        ``delta``: the gradient with respect to the maps, (K, F, h, w, b).
        """
        xp = array_namespace(delta)
        K, F, h, w, b = delta.shape
        of_rows, of_all = empty((K, F, h, 2, w, b), delta), empty((K, F, h, 2, w, 2, b), delta)
        of_maps = delta * (values.maps > 0)
        gradients[1][...] = xp.sum(of_maps, axis=(2, 3, 4))
        of_rows[:, :, :, 1] = of_maps * (values.low > 0)
        of_rows[:, :, :, 0] = of_maps - of_rows[:, :, :, 1]
        of_all[..., 1, :] = of_rows * (values.right > 0)
        of_all[..., 0, :] = of_rows - of_all[..., 1, :]
        of_outputs = of_all.reshape(K, F, -1)
        patches = xp.matrix_transpose(values.patches)
        xp.matmul(of_outputs, patches, out=gradients[0].reshape(K, F, -1))
        return of_outputs

    def to_images(self, filters: AnyArray, of_outputs: AnyArray) -> AnyArray:
        """The gradient with respect to the images, from that of the outputs before pooling."""
        K, C, k, tall, wide = len(filters), self.channels, self.kernel, 2 * self.h, 2 * self.w
        of_patches = array_namespace(filters).matrix_transpose(self._rows(filters)) @ of_outputs
        parts = of_patches.reshape(K, C, k, k, tall, wide, -1)
        padded, images = self._padded(K, parts.shape[-1], filters)
        for i in range(k):
            for j in range(k):
                padded[:, :, i : i + tall, j : j + wide] += parts[:, :, i, j]
        return images

    def _rows(self, filters: AnyArray) -> AnyArray:
        return filters.reshape(len(filters), self.filters, self.fan_in)

    def _windows(self, z: AnyArray) -> AnyArray:
        """Outputs as (K, F, h, 2, w, 2, b)."""
        return z.reshape(len(z), self.filters, self.h, 2, self.w, 2, -1)

    def _patches(self, images: AnyArray) -> AnyArray:
        """Every patch whose centre is in a pooling window, (K, C k k, 2h 2w b)."""
        k, tall, wide = self.kernel, 2 * self.h, 2 * self.w
        padded, inside = self._padded(len(images), images.shape[-1], images)
        inside[...] = images
        offsets = [(i, j) for i in range(k) for j in range(k)]
        each = [padded[:, :, i : i + tall, j : j + wide] for i, j in offsets]  # (K, C, 2h, 2w, b) each
        return array_namespace(images).stack(each, axis=2).reshape(len(images), self.fan_in, -1)

    def _padded(self, K: int, b: int, like: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Images of zeros with a margin for the filters, and the view of them without it."""
        edge = self.kernel // 2
        padded = empty((K, self.channels, self.height + 2 * edge, self.width + 2 * edge, b), like)
        padded[...] = 0
        return padded, padded[:, :, edge : edge + self.height, edge : edge + self.width]


_MOST_CONVOLUTIONS = 2
_WIDEST_KERNEL = 31


class CNN(Architecture):
    """``image``: (C, height, width) of every point; ``hidden``: the width of a dense layer, or None.

    Raises BoundkitError for an even kernel, and for images that are too small for the pooling.
    """

    kind = "cnn"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ("channels", "kernel", "hidden"))

    def __init__(
        self,
        image: tuple[int, int, int],
        classes: int,
        channels: tuple[int, ...] = (8,),
        kernel: int = 3,
        hidden: int | None = None,
    ) -> None:
        if kernel % 2 == 0:
            raise BoundkitError(f"kernel must be odd, so that a patch has a middle, but it is {kernel}.")
        self.image, self.channels, self.kernel, self.hidden = image, channels, kernel, hidden
        self.convolutions: list[Convolution] = []
        incoming, height, wide = image
        for filters in channels:
            if min(height, wide) < 2:
                raise BoundkitError(
                    f"{len(channels)} poolings halve the height and width {len(channels)} times, which images"
                    f" of {image[1]} x {image[2]} are too small for; use fewer channels."
                )
            self.convolutions.append(Convolution(incoming, height, wide, filters, kernel))
            incoming, height, wide = filters, height // 2, wide // 2
        middle = () if hidden is None else (hidden,)
        self.dense = Dense((incoming * height * wide, *middle, classes))
        self.shapes = (*(s for c in self.convolutions for s in c.shapes), *self.dense.shapes)

    def start(self, seed: int) -> Array:
        inputs = (*(c.fan_in for c in self.convolutions for _ in "Wb"), *self.dense.fan_in)
        return uniform_start(self.shapes, inputs, seed)

    def point_losses(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return cross_entropy(self._scores(w, X), labels)

    def correct(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return are_largest(self._scores(w, X), labels)

    def gradients(self, w: AnyArray, X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
        w = detached(w)
        layers, flat = self.blocks(w), empty(w.shape, w)
        slots, dense = self.blocks(flat), 2 * len(self.convolutions)
        maps, values = self._images(w, X), []
        for at, one in enumerate(self.convolutions):
            values.append(one.forward(layers[2 * at], layers[2 * at + 1], maps))
            maps = values[-1].maps
        entered = self.dense.forward(layers[dense:], _features(maps))
        delta = score_gradient(entered[-1], labels, weights)
        of_first = self.dense.backward(layers[dense:], entered, delta, slots[dense:])
        of_maps = (layers[dense] @ array_namespace(w).matrix_transpose(of_first)).reshape(maps.shape)
        for at in reversed(range(len(self.convolutions))):
            one = self.convolutions[at]
            of_outputs = one.backward(values[at], of_maps, slots[2 * at : 2 * at + 2])
            if at:
                of_maps = one.to_images(layers[2 * at], of_outputs)
        return flat

    def _images(self, w: AnyArray, X: AnyArray) -> AnyArray:
        """Points as (K, C, height, width, b)."""
        xp = array_namespace(w)
        images = xp.moveaxis(X.reshape(*X.shape[:2], *self.image), 1, -1)
        return xp.broadcast_to(images, (len(w), *images.shape[1:]))

    def _scores(self, w: AnyArray, X: AnyArray) -> AnyArray:
        layers, maps = self.blocks(w), self._images(w, X)
        for at, one in enumerate(self.convolutions):
            maps = one.maps(layers[2 * at], layers[2 * at + 1], maps)
        return self.dense.forward(layers[2 * len(self.convolutions) :], _features(maps))[-1]

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        channels = widths("channels", given.get("channels", [8]), "[8] or [8, 16]", _MOST_CONVOLUTIONS)
        kernel = whole("kernel", given.get("kernel", 3), 1, _WIDEST_KERNEL)
        hidden = whole("hidden", given["hidden"], 1, WIDEST) if "hidden" in given else None
        return cls(_image(inputs), classes, channels, kernel, hidden)

    def to_json(self) -> dict[str, Any]:
        hidden = {} if self.hidden is None else {"hidden": self.hidden}
        return {"kind": self.kind, "channels": list(self.channels), "kernel": self.kernel, **hidden}


def _features(maps: AnyArray) -> AnyArray:
    """Maps (K, F, h, w, b) as inputs of the dense layers, (K, b, F h w)."""
    K, F, h, w, b = maps.shape
    return array_namespace(maps).matrix_transpose(maps.reshape(K, F * h * w, b))


def _image(inputs: tuple[int, ...]) -> tuple[int, int, int]:
    """(C, height, width) of points of that shape, or (height, width), or a flattened square image."""
    if len(inputs) == 3:
        return inputs[0], inputs[1], inputs[2]
    if len(inputs) == 2:
        return 1, inputs[0], inputs[1]
    side = isqrt(prod(inputs))
    if len(inputs) == 1 and side**2 == inputs[0]:
        return 1, side, side
    raise BoundkitError(
        "a cnn needs points that are images, (height, width) or (channels, height, width), or a square one"
        f" as a row of numbers, but they have the shape {inputs}."
    )
