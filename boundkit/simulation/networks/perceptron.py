r"""Perceptrons of dense layers: softmax regression without hidden layers, ReLU networks with some.

loss = log sum_c exp z_c - z_label with z the scores of the last layer.

The gradient is recorded once as a list of operations on fixed tensors, for varying weights: a step of a
small network is a few microseconds of arithmetic a client, and creating the views of the layers in the flat
weights, and allocating intermediate tensors, would take as long. A bias follows its weights, so that with a 1
appended to every input, one product covers both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.simulation.arrays import Array
from boundkit.simulation.networks.base import Architecture, GradientAt, widths
from boundkit.simulation.networks.layers import (
    Dense,
    cross_entropy,
    multiplier,
    product,
    score_gradient,
    uniform_start,
)

if TYPE_CHECKING:
    import torch


class Tape:
    """Writes sum_j weights_j grad loss_j at the current w, (K, d), into ``gradient``, (K, d).

    ``widths``: (inputs, hidden, ..., classes), with ReLU in between; ``points``: of each mini-batch.
    """

    def __init__(self, widths: tuple[int, ...], w: torch.Tensor, gradient: torch.Tensor, points: int) -> None:
        import torch

        K, last = len(w), len(widths) - 2
        entering = [w.new_ones(K, points, n + 1) for n in widths[:-1]]
        back = [torch.empty_like(values) for values in entering]
        scores, delta = w.new_empty(K, points, widths[-1]), w.new_empty(K, points, widths[-1])
        self._x = entering[0][..., :-1]
        self._labels = torch.empty(K, points, 1, dtype=torch.int64, device=w.device)
        self._weights = w.new_empty(K, points, 1)
        self._operations: list[Callable[[], object]] = []
        add = self._operations.append
        layers, gradients = list(_layers(widths, w)), list(_layers(widths, gradient))
        for at in range(last):
            add(multiplier(entering[at], layers[at], entering[at + 1][..., :-1]))
            add(entering[at + 1].relu_)
        add(multiplier(entering[last], layers[last], scores))
        add(partial(torch.softmax, scores, -1, out=delta))
        add(partial(delta.scatter_add_, -1, self._labels, w.new_full((1, 1, 1), -1).expand(K, points, 1)))
        add(partial(delta.mul_, self._weights))
        for at in range(last, -1, -1):
            add(multiplier(entering[at].transpose(1, 2), delta, gradients[at]))
            if at:
                add(multiplier(delta, layers[at].transpose(1, 2), back[at]))
                where = torch.ops.aten.threshold_backward.grad_input  # 0 where the input was 0
                add(partial(where, back[at], entering[at], 0, grad_input=back[at]))
                delta = back[at][..., :-1]

    def play(self, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> None:
        """The gradient on points X, (K, b, ...), of classes ``labels``, (K, b), with ``weights``, (K, b)."""
        self._x.copy_(X.flatten(2))
        self._labels.copy_(labels[..., None])
        self._weights.copy_(weights[..., None])
        for operation in self._operations:
            operation()


def _layers(widths: tuple[int, ...], w: torch.Tensor) -> Iterator[torch.Tensor]:
    """The weights of each layer and its bias below them, (K, inputs + 1, outputs), views of (K, d)."""
    at = 0
    for n, k in pairwise(widths):
        yield w[:, at : at + (n + 1) * k].view(len(w), n + 1, k)
        at += (n + 1) * k


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
        layers, gradients = self.blocks(w.detach()), w.new_empty(w.shape)
        values = self.dense.forward(layers, self._rows(w, X), product)
        delta = score_gradient(values[-1], labels, weights)
        self.dense.backward(layers, values, delta, self.blocks(gradients))
        return gradients

    def gradient_at(self, w: torch.Tensor) -> GradientAt:
        gradients, tapes = w.new_empty(w.shape), dict[int, Tape]()

        def at(X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
            b = X.shape[1]
            if b not in tapes:
                tapes[b] = Tape(self.dense.widths, w, gradients, b)
            tapes[b].play(X, labels, weights)
            return gradients

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
