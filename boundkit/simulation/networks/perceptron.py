r"""Perceptrons of dense layers: softmax regression without hidden layers, ReLU networks with some.

loss = log sum_c exp z_c - z_label with z the scores of the last layer.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.simulation.networks.base import Architecture, Array, GradientAt, uniform_start
from boundkit.simulation.networks.cross_entropy import cross_entropy, score_gradient
from boundkit.simulation.networks.dense import Dense
from boundkit.simulation.networks.gradient_tape import Tape
from boundkit.simulation.networks.layer_widths import widths
from boundkit.simulation.networks.matrix_products import product

if TYPE_CHECKING:
    import torch


class Perceptron(Architecture):
    """Dense layers of ``widths`` = (inputs, hidden, ..., classes)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.dense = Dense(widths)
        self.shapes = self.dense.shapes

    def start(self, seed: int) -> Array:
        return uniform_start(self.shapes, self.dense.fan_in, seed)

    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return cross_entropy(self._scores(w, X), labels)

    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (self._scores(w, X).argmax(-1) == labels).to(w.dtype)

    def outcomes(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        import torch

        z = self._scores(w, X)
        return torch.stack((cross_entropy(z, labels), (z.argmax(-1) == labels).to(w.dtype)))

    def _scores(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        import torch

        return self.dense.forward(self.blocks(w), self._rows(w, X), torch.matmul)[-1]

    def _rows(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        return X.reshape(*X.shape[:2], self.dense.widths[0]).expand(len(w), -1, -1)

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        layers, found = self.blocks(w.detach()), w.new_empty(w.shape)
        seen = self.dense.forward(layers, self._rows(w, X), product)
        delta = score_gradient(seen[-1], labels, weights)
        self.dense.backward(layers, seen, delta, self.blocks(found))
        return found

    def gradient_at(self, w: torch.Tensor) -> GradientAt:
        found, tapes = w.new_empty(w.shape), dict[int, Tape]()

        def at(X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
            b = X.shape[1]
            if b not in tapes:
                tapes[b] = Tape(self.dense.widths, w, found, b)
            tapes[b].play(X, labels, weights)
            return found

        return at


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
        return {"kind": self.kind, "hidden": list(self.dense.widths[1:-1])}
