"""Gradient of dense layers as a recorded list of operations on fixed tensors, for varying weights.

A step of a small network is a few microseconds of arithmetic a client. Creating the views of the layers in
the flat weights, and allocating intermediate tensors, would take as long; here both are done once. A bias
follows its weights, so that with a 1 appended to every input, one product covers both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from boundkit.simulation.networks.matrix_products import multiplier

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
        back = [torch.empty_like(seen) for seen in entering]
        scores, delta = w.new_empty(K, points, widths[-1]), w.new_empty(K, points, widths[-1])
        self._x = entering[0][..., :-1]
        self._labels = torch.empty(K, points, 1, dtype=torch.int64, device=w.device)
        self._weights = w.new_empty(K, points, 1)
        self._operations: list[Callable[[], object]] = []
        add = self._operations.append
        layers, found = list(_layers(widths, w)), list(_layers(widths, gradient))
        for at in range(last):
            add(multiplier(entering[at], layers[at], entering[at + 1][..., :-1]))
            add(entering[at + 1].relu_)
        add(multiplier(entering[last], layers[last], scores))
        add(partial(torch.softmax, scores, -1, out=delta))
        add(partial(delta.scatter_add_, -1, self._labels, w.new_full((1, 1, 1), -1).expand(K, points, 1)))
        add(partial(delta.mul_, self._weights))
        for at in range(last, -1, -1):
            add(multiplier(entering[at].transpose(1, 2), delta, found[at]))
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
