"""Network interface: loss on data points and gradient, for many weight vectors at once.

K weight vectors w, (K, d), are paired with K small batches of points, X (K, b, ...) with labels (K, b): one
pair for each client of each replica. There is no loop over the K, and no pair has its own autograd graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial, wraps
from itertools import pairwise
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, device, is_torch_array, to_numpy
from boundkit.simulation.validation import whole

GradientAt = Callable[[AnyArray, AnyArray, AnyArray], AnyArray]
"""Maps points (K, b, ...), labels (K, b, ...) and weights (K, b) to a gradient (K, d)."""
WIDEST = 10**5
"""The largest width of a layer."""


def by_torch(method: Callable[..., Any]) -> Callable[..., AnyArray]:
    """A method of an architecture that computes with torch, for numpy arrays too; memory is shared."""

    @wraps(method)
    def on_any(self: Architecture, w: AnyArray, *points: AnyArray) -> AnyArray:
        if is_torch_array(w):
            return method(self, w, *points)
        import torch

        given = (a if a.flags.writeable else a.copy() for a in (w, *points))
        return to_numpy(method(self, *map(torch.as_tensor, given)))

    return on_any


class Architecture(ABC):
    """The layers of a network; its weights are one flat vector of ``d`` numbers, layer after layer.

    ``shapes``: of each block of weights, in their order in the vector.
    """

    kind: ClassVar[str]
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]
    """Required and optional fields of the ``model`` object of a RUN.json, besides its kind."""
    tokens: ClassVar[bool] = False
    """Whether the points are sequences of whole numbers, and the labels are too."""
    shapes: Shapes

    @property
    def d(self) -> int:
        """The number of weights."""
        return sum(prod(shape) for shape in self.shapes)

    @classmethod
    @abstractmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        """The network with these ``fields`` for points of shape ``inputs`` and labels 0, ..., classes - 1.

        Raises BoundkitError, naming the field.
        """

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``model`` field of a RUN.json."""

    @abstractmethod
    def start(self, seed: int) -> Array:
        """Initial weights, (d,): uniform in +-1/sqrt(number of inputs) in every layer, as torch.nn does."""

    @abstractmethod
    def point_losses(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        """The loss of every point, (K, b), at weights (K, d); torch may differentiate it to any order."""

    @abstractmethod
    def correct(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        """The accuracy at every point, (K, b): 0 or 1 where a point has one label."""

    def outcomes(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        """``point_losses`` and ``correct``, (2, K, b); in one pass where the scores are available."""
        return array_namespace(w).stack((self.point_losses(w, X, labels), self.correct(w, X, labels)))

    @by_torch
    def gradients(self, w: AnyArray, X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
        """sum_j weights_j grad loss_j, (K, d), with weights (K, b); by one graph of torch for all pairs.

        Subclasses with a closed form override it.
        """
        import torch

        with torch.enable_grad():
            leaf = w.detach().requires_grad_(True)
            total = (weights * self.point_losses(leaf, X, labels)).sum()
            (gradient,) = torch.autograd.grad(total, leaf)
        return gradient

    @property
    def closed_form(self) -> bool:
        """Whether ``gradients`` is a formula, of real or complex weights; else torch differentiates."""
        return type(self).gradients is not Architecture.gradients

    def gradient_at(self, w: AnyArray) -> GradientAt:
        """``gradients`` at the current w, as a function of points, labels and weights.

        It may write into the same array at every call.
        """
        return partial(self.gradients, w)

    def blocks(self, w: AnyArray) -> list[AnyArray]:
        """The weights of each layer, (K, *shape) each, as views of the flat vectors (K, d)."""
        blocks: list[AnyArray] = []
        at = 0
        for shape in self.shapes:
            size = prod(shape)
            blocks.append(w[:, at : at + size].reshape(len(w), *shape))
            at += size
        return blocks


def widths(name: str, value: Any, example: str, most: int | None = None) -> tuple[int, ...]:
    """Layer widths from a non-empty list of at most ``most`` numbers. Raises BoundkitError."""
    if not isinstance(value, (list, tuple)) or not value or (most is not None and len(value) > most):
        long = "" if most is None else f" of at most {most} numbers"
        raise BoundkitError(f"{name} must be a list{long}, such as {example}, but it is {value!r}.")
    return tuple(whole(name, n, 1, WIDEST) for n in value)


Shapes = tuple[tuple[int, ...], ...]


def empty(shape: tuple[int, ...], like: AnyArray) -> AnyArray:
    """An uninitialised array in the library, on the device and of the type of ``like``."""
    return array_namespace(like).empty(shape, dtype=like.dtype, device=device(like))


def detached(w: AnyArray) -> AnyArray:
    """The values of w outside the graph that torch may have recorded."""
    return w.detach() if is_torch_array(w) else w


def relu(z: AnyArray) -> AnyArray:
    """max(z, 0) in place; torch's own where a graph may be recorded, whose derivative at 0 is 0."""
    return z.relu_() if is_torch_array(z) else np.maximum(z, 0, out=z)


def cross_entropy(z: AnyArray, labels: AnyArray) -> AnyArray:
    """log sum_c exp z_c - z_label, for scores (K, n, classes) and labels (K, n) or (1, n): (K, n)."""
    xp = array_namespace(z)
    index = xp.broadcast_to(labels, z.shape[:-1])[..., None]
    largest = xp.max(z, axis=-1, keepdims=True)
    sums = xp.log(xp.sum(xp.exp(z - largest), axis=-1))
    return sums + (largest - xp.take_along_axis(z, index, axis=-1))[..., 0]


def score_gradient(z: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
    """weights (softmax z - label), with weights (K, n): the gradient with respect to the scores."""
    xp = array_namespace(z)
    powers = xp.exp(z - xp.max(z, axis=-1, keepdims=True))
    delta = powers / xp.sum(powers, axis=-1, keepdims=True)
    label = xp.reshape(xp.broadcast_to(labels, z.shape[:-1]), (-1,))
    rows = xp.arange(label.shape[0], device=device(z))
    xp.reshape(delta, (-1, z.shape[-1]))[rows, label] -= 1
    return delta * weights[..., None]


def are_largest(z: AnyArray, labels: AnyArray) -> AnyArray:
    """1 where the label has the largest score, else 0: for scores (K, n, classes), (K, n)."""
    xp = array_namespace(z)
    return xp.astype(xp.argmax(z, axis=-1) == labels, z.dtype)


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

    def forward(self, layers: Sequence[AnyArray], X: AnyArray) -> list[AnyArray]:
        """The inputs of each layer, (K, b, width), and last the scores, for points X, (K, b, inputs)."""
        inputs = [X]
        for at in range(0, len(layers), 2):
            entering = relu(inputs[-1]) if at else X
            z = entering @ layers[at]
            z += layers[at + 1][:, None, :]
            inputs.append(z)
        return inputs

    def backward(
        self,
        layers: Sequence[AnyArray],
        inputs: Sequence[AnyArray],
        delta: AnyArray,
        gradients: Sequence[AnyArray],
    ) -> AnyArray:
        """Write the gradients into the blocks ``gradients``; the result is delta_1.

        ``delta``: the gradient with respect to the scores.
        """
        xp = array_namespace(delta)
        for at in range(len(layers) - 2, -1, -2):
            entering = inputs[at // 2]
            xp.matmul(xp.matrix_transpose(entering), delta, out=gradients[at])
            gradients[at + 1][...] = xp.sum(delta, axis=1)
            if at:
                delta = delta @ xp.matrix_transpose(layers[at])
                delta *= entering > 0
        return delta
