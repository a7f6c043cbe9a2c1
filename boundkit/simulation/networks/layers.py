r"""Parts that networks share: rectification, the loss of scores, initial weights, and dense layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np

from boundkit.simulation.arrays import AnyArray, Array, array_namespace, device, is_torch_array

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
