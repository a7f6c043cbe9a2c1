r"""A perceptron of dense layers: softmax regression with none hidden, and a ReLU network with some.

z_1 = X W_1 + b_1, z_l = relu(z_{l-1}) W_l + b_l, loss = log sum_c exp z_{L,c} - z_{L,label}. The gradient
goes back by hand: delta_L = weights (softmax z_L - label), delta_{l-1} = (delta_l W_l') 1[z_{l-1} > 0],
dW_l = relu(z_{l-1})' delta_l, db_l = sum_b delta_l.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.verify.networks.base import Architecture, Array, Shapes, uniform_start
from boundkit.verify.networks.cross_entropy import cross_entropy, score_gradient
from boundkit.verify.networks.products import product
from boundkit.verify.networks.widths import widths

if TYPE_CHECKING:
    import torch


class Perceptron(Architecture):
    """Dense layers of ``widths`` = (inputs, hidden, ..., classes)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.widths = widths
        self.shapes: Shapes = tuple(shape for n, k in pairwise(widths) for shape in ((n, k), (k,)))

    @property
    def inputs(self) -> tuple[int, ...]:
        """The number of inputs to the layer of each block."""
        return tuple(n for n in self.widths[:-1] for _ in "Wb")

    def start(self, seed: int) -> Array:
        return uniform_start(self.shapes, self.inputs, seed)

    def forward(
        self,
        layers: Sequence[torch.Tensor],
        X: torch.Tensor,
        multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> list[torch.Tensor]:
        """What enters each layer, (K, b, width), and last the scores."""
        seen = [X.reshape(*X.shape[:2], self.widths[0]).expand(len(layers[0]), -1, -1)]
        for at in range(0, len(layers), 2):
            if at:
                seen[-1].relu_()
            seen.append(multiply(seen[-1], layers[at]).add_(layers[at + 1][:, None, :]))
        return seen

    def backward(
        self,
        layers: Sequence[torch.Tensor],
        seen: Sequence[torch.Tensor],
        delta: torch.Tensor,
        found: Sequence[torch.Tensor],
    ) -> torch.Tensor:
        """Write the gradients into the blocks ``found``; give the one with respect to the first layer's output.

        ``delta``: the gradient with respect to the scores.
        """
        import torch

        for at in range(len(layers) - 2, -1, -2):
            entering = seen[at // 2]
            product(entering.transpose(1, 2), delta, out=found[at])
            torch.sum(delta, 1, out=found[at + 1])
            if at:
                back = product(delta, layers[at].transpose(1, 2))
                delta = torch.ops.aten.threshold_backward(back, entering, 0)  # where entering > 0
        return delta

    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return cross_entropy(self._scores(w, X), labels)

    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (self._scores(w, X).argmax(-1) == labels).to(w.dtype)

    def _scores(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        import torch

        return self.forward(self.blocks(w), X, torch.matmul)[-1]

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        layers, found = self.blocks(w.detach()), w.new_empty(w.shape)
        seen = self.forward(layers, X, product)
        self.backward(layers, seen, score_gradient(seen[-1], labels, weights), self.blocks(found))
        return found


class SoftmaxRegression(Perceptron):
    """No hidden layer: a convex loss."""

    kind = "softmax"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        return cls((prod(inputs), classes))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


class MLP(Perceptron):
    """Hidden layers of ReLU units; one of 128 by default."""

    kind = "mlp"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ("hidden",))

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        hidden = widths("hidden", given.get("hidden", [128]), "[128]")
        return cls((prod(inputs), *hidden, classes))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "hidden": list(self.widths[1:-1])}
