"""Network interface: loss on data points and gradient, for many weight vectors at once.

K weight vectors w, (K, d), are paired with K small batches of points, X (K, b, ...) with labels (K, b): one
pair for each client of each replica. There is no loop over the K, and no pair has its own autograd graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.networks.layers import Shapes
from boundkit.simulation.validation import whole

if TYPE_CHECKING:
    import torch

GradientAt = Callable[["torch.Tensor", "torch.Tensor", "torch.Tensor"], "torch.Tensor"]
"""Maps points (K, b, ...), labels (K, b, ...) and weights (K, b) to a gradient (K, d)."""
WIDEST = 10**5
"""The largest width of a layer."""


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
    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The loss of every point, (K, b), at weights (K, d); differentiable by torch to any order."""

    @abstractmethod
    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The accuracy at every point, (K, b): 0 or 1 where a point has one label."""

    def outcomes(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """``point_losses`` and ``correct``, (2, K, b); in one pass where the scores are available."""
        import torch

        return torch.stack((self.point_losses(w, X, labels), self.correct(w, X, labels)))

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        """sum_j weights_j grad loss_j, (K, d), with weights (K, b); by one autograd graph for all pairs.

        Subclasses with a closed form override it.
        """
        import torch

        with torch.enable_grad():
            leaf = w.detach().requires_grad_(True)
            total = (weights * self.point_losses(leaf, X, labels)).sum()
            (gradient,) = torch.autograd.grad(total, leaf)
        return gradient

    def gradient_at(self, w: torch.Tensor) -> GradientAt:
        """``gradients`` at the current w, as a function of points, labels and weights.

        It may write into the same tensor at every call.
        """
        return partial(self.gradients, w)

    def blocks(self, w: torch.Tensor) -> list[torch.Tensor]:
        """The weights of each layer, (K, *shape) each, as views of the flat vectors (K, d)."""
        blocks: list[torch.Tensor] = []
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
