r"""A perceptron of dense layers: softmax regression with none hidden, and a ReLU network with some.

z_1 = X W_1 + b_1, z_l = relu(z_{l-1}) W_l + b_l, loss = log sum_c exp z_{L,c} - z_{L,label}. The gradient goes
back by hand: delta_L = weights (softmax z_L - label), delta_{l-1} = (delta_l W_l') 1[z_{l-1} > 0],
dW_l = relu(z_{l-1})' delta_l, db_l = sum_b delta_l.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boundkit.verify.networks.base import Architecture, Array, Shapes, uniform_start
from boundkit.verify.networks.widths import widths

if TYPE_CHECKING:
    import torch


class Perceptron(Architecture):
    """Dense layers of ``widths`` = (inputs, hidden, ..., classes)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.widths = widths
        pairs = list(zip(widths[:-1], widths[1:], strict=True))
        self.shapes: Shapes = tuple(shape for n, k in pairs for shape in ((n, k), (k,)))

    def start(self, seed: int) -> Array:
        return uniform_start(self.shapes, tuple(n for n in self.widths[:-1] for _ in "Wb"), seed)

    def scores(self, w: torch.Tensor, X: torch.Tensor) -> list[torch.Tensor]:
        """The input and what each layer gives, before its ReLU: (K, b, width) each."""
        import torch

        layers = self.blocks(w)
        seen = [X.reshape(*X.shape[:2], self.widths[0]).expand(len(w), -1, -1)]
        for at in range(0, len(layers), 2):
            entering = seen[-1] if at == 0 else seen[-1].relu()
            seen.append(torch.baddbmm(layers[at + 1][:, None, :], entering, layers[at]))
        return seen

    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        z = self.scores(w, X)[-1]
        return z.logsumexp(-1) - z.gather(-1, labels.expand(len(w), -1)[..., None])[..., 0]

    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (self.scores(w, X)[-1].argmax(-1) == labels).to(w.dtype)

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        seen, layers, found = self.scores(w, X), self.blocks(w), w.new_empty(w.shape)
        delta = seen[-1].softmax(-1)
        index = labels.expand(len(w), -1)[..., None]
        delta.scatter_add_(-1, index, delta.new_full((1, 1, 1), -1.0).expand_as(index))
        delta *= weights[..., None]
        end = self.d
        for at in range(len(layers) - 2, -1, -2):
            z, shape = seen[at // 2], self.shapes[at]
            entering = z if at == 0 else z.relu()
            middle, begin = end - shape[1], end - shape[1] - prod(shape)
            found[:, middle:end] = delta.sum(1)
            found[:, begin:middle] = (entering.transpose(1, 2) @ delta).reshape(len(w), -1)
            if at:
                delta = (delta @ layers[at].transpose(1, 2)) * (z > 0)
            end = begin
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
