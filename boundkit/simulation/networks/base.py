"""Network interface: loss on data points and gradient, for many weight vectors at once.

K weight vectors w, (K, d), are paired with K small batches of points, X (K, b, ...) with labels (K, b): one
pair for each client of each replica. There is no loop over the K, and no pair has its own autograd graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial, wraps
from math import prod
from typing import Any, ClassVar, Self

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, is_torch_array, to_numpy
from boundkit.simulation.networks.layers import Shapes
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
