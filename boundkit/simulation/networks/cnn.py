r"""A small convolutional network: one or two convolutions with ReLU and 2x2 max pooling, then dense layers.

In torch's terms: Conv2d(C, F, k, padding="same"), ReLU, MaxPool2d(2), for each of ``channels``; Flatten;
Linear, with ReLU in between where there is a ``hidden`` layer.
"""

from __future__ import annotations

from math import isqrt, prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.algebra import BoundkitError
from boundkit.simulation.networks.base import Architecture, Array, uniform_start
from boundkit.simulation.networks.convolution import Convolution
from boundkit.simulation.networks.cross_entropy import cross_entropy, score_gradient
from boundkit.simulation.networks.dense import Dense
from boundkit.simulation.networks.layer_widths import width, widths
from boundkit.simulation.networks.matrix_products import product

if TYPE_CHECKING:
    import torch

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

    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return cross_entropy(self._scores(w, X), labels)

    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (self._scores(w, X).argmax(-1) == labels).to(w.dtype)

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        layers, found = self.blocks(w.detach()), w.new_empty(w.shape)
        slots, dense = self.blocks(found), 2 * len(self.convolutions)
        maps, seen = self._images(w, X), []
        for at, one in enumerate(self.convolutions):
            seen.append(one.forward(layers[2 * at], layers[2 * at + 1], maps))
            maps = seen[-1].maps
        entered = self.dense.forward(layers[dense:], _features(maps), product)
        delta = score_gradient(entered[-1], labels, weights)
        of_first = self.dense.backward(layers[dense:], entered, delta, slots[dense:])
        of_maps = product(layers[dense], of_first.transpose(1, 2)).view(maps.shape)
        for at in reversed(range(len(self.convolutions))):
            one = self.convolutions[at]
            of_outputs = one.backward(seen[at], of_maps, slots[2 * at : 2 * at + 2])
            if at:
                of_maps = one.to_images(layers[2 * at], of_outputs)
        return found

    def _images(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        """Points as (K, C, height, width, b)."""
        return X.reshape(*X.shape[:2], *self.image).movedim(1, -1).expand(len(w), -1, -1, -1, -1)

    def _scores(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        import torch

        layers, maps = self.blocks(w), self._images(w, X)
        for at, one in enumerate(self.convolutions):
            maps = one.maps(layers[2 * at], layers[2 * at + 1], maps)
        return self.dense.forward(layers[2 * len(self.convolutions) :], _features(maps), torch.matmul)[-1]

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        channels = widths("channels", given.get("channels", [8]), "[8] or [8, 16]", _MOST_CONVOLUTIONS)
        kernel = width("kernel", given.get("kernel", 3), 1, _WIDEST_KERNEL)
        hidden = width("hidden", given["hidden"]) if "hidden" in given else None
        return cls(_image(inputs), classes, channels, kernel, hidden)

    def to_json(self) -> dict[str, Any]:
        hidden = {} if self.hidden is None else {"hidden": self.hidden}
        return {"kind": self.kind, "channels": list(self.channels), "kernel": self.kernel, **hidden}


def _features(maps: torch.Tensor) -> torch.Tensor:
    """Maps (K, F, h, w, b) as inputs of the dense layers, (K, b, F h w)."""
    return maps.flatten(1, 3).transpose(1, 2)


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
