r"""Perceptrons of dense layers: softmax regression without hidden layers, ReLU networks with some.

loss = log sum_c exp z_c - z_label with z the scores of the last layer.

The gradient is recorded once as a list of operations on fixed arrays, for varying weights: a step of a
small network is a few microseconds of arithmetic a client, and creating the views of the layers in the flat
weights, and allocating intermediate arrays, would take as long. A bias follows its weights, so that with a 1
appended to every input, one product covers both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, ClassVar, Self

from boundkit.simulation.arrays import AnyArray, Array, array_namespace
from boundkit.simulation.networks.base import (
    Architecture,
    Dense,
    GradientAt,
    are_largest,
    cross_entropy,
    detached,
    empty,
    relu,
    score_gradient,
    uniform_start,
    widths,
)


class Tape:
    """Writes sum_j weights_j grad loss_j at the current w, (K, d), into ``gradient``, (K, d).

    ``widths``: (inputs, hidden, ..., classes), with ReLU in between; ``points``: of each mini-batch.
    """

    def __init__(self, widths: tuple[int, ...], w: AnyArray, gradient: AnyArray, points: int) -> None:
        xp, K, last = array_namespace(w), len(w), len(widths) - 2
        entering, back = ([empty((K, points, n + 1), w) for n in widths[:-1]] for _ in range(2))
        for values in entering:
            values[..., -1] = 1
        self._x = entering[0][..., :-1]
        self._scores, self._delta = (empty((K, points, widths[-1]), w) for _ in range(2))
        self._forward: list[Callable[[], object]] = []
        self._backward: list[Callable[[], object]] = []
        layers, gradients = list(_layers(widths, w)), list(_layers(widths, gradient))
        for at in range(last):
            self._forward.append(partial(xp.matmul, entering[at], layers[at], out=entering[at + 1][..., :-1]))
            self._forward.append(partial(relu, entering[at + 1]))
        self._forward.append(partial(xp.matmul, entering[last], layers[last], out=self._scores))
        delta, add = self._delta, self._backward.append
        for at in range(last, -1, -1):
            add(partial(xp.matmul, xp.matrix_transpose(entering[at]), delta, out=gradients[at]))
            if at:
                add(partial(xp.matmul, delta, xp.matrix_transpose(layers[at]), out=back[at]))
                add(partial(_restrict, back[at], entering[at]))
                delta = back[at][..., :-1]

    def play(self, X: AnyArray, labels: AnyArray, weights: AnyArray) -> None:
        """The gradient on points X, (K, b, ...), of classes ``labels``, (K, b), with ``weights``, (K, b)."""
        self._x[...] = X.reshape(self._x.shape)
        for operation in self._forward:
            operation()
        self._delta[...] = score_gradient(self._scores, labels, weights)
        for operation in self._backward:
            operation()


def _restrict(delta: AnyArray, entering: AnyArray) -> None:
    """Set the gradient with respect to the inputs of a ReLU to 0 where its output is 0."""
    delta *= entering > 0


def _layers(widths: tuple[int, ...], w: AnyArray) -> Iterator[AnyArray]:
    """The weights of each layer and its bias below them, (K, inputs + 1, outputs), views of (K, d)."""
    at = 0
    for n, k in pairwise(widths):
        yield w[:, at : at + (n + 1) * k].reshape(len(w), n + 1, k)
        at += (n + 1) * k


class Perceptron(Architecture):
    """Dense layers of ``widths`` = (inputs, hidden, ..., classes)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.dense = Dense(widths)
        self.shapes = self.dense.shapes

    def start(self, seed: int) -> Array:
        return uniform_start(self.shapes, self.dense.fan_in, seed)

    def point_losses(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return cross_entropy(self._scores(w, X), labels)

    def correct(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return are_largest(self._scores(w, X), labels)

    def outcomes(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        z = self._scores(w, X)
        return array_namespace(z).stack((cross_entropy(z, labels), are_largest(z, labels)))

    def _scores(self, w: AnyArray, X: AnyArray) -> AnyArray:
        return self.dense.forward(self.blocks(w), self._rows(w, X))[-1]

    def _rows(self, w: AnyArray, X: AnyArray) -> AnyArray:
        shape = len(w), X.shape[1], self.dense.widths[0]
        return array_namespace(w).broadcast_to(X.reshape(*X.shape[:2], shape[-1]), shape)

    def gradients(self, w: AnyArray, X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
        w = detached(w)
        layers, gradients = self.blocks(w), empty(w.shape, w)
        values = self.dense.forward(layers, self._rows(w, X))
        delta = score_gradient(values[-1], labels, weights)
        self.dense.backward(layers, values, delta, self.blocks(gradients))
        return gradients

    def gradient_at(self, w: AnyArray) -> GradientAt:
        gradients, tapes = empty(w.shape, w), dict[int, Tape]()

        def at(X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
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
