r"""A recurrent network that predicts the next character of a text at every position.

e = embedding[x], h_t = cell(e_t W + b, h_{t-1} U + c) from h_0 = 0, scores_t = h_t V + a. The loss of a point
is the mean of its positions' cross entropies. The layers are those of torch.nn's Embedding, RNN or GRU, and
Linear, and start as they do.

The embedding is multiplied by W before the lookup: embedding W + b is a table, a row for each character,
less work wherever a batch has more positions than there are characters. Backpropagation through time
takes one product a step; the gradients with respect to U and W take one product each over all positions.
Measured with batches of 10 on one thread of a CPU against one autograd graph for all K: 1.2 to 1.8 times as
fast with 64 hidden units over 20 positions, 1.4 (tanh) and 2.2 (gru) times with 128 over 80.

A cell computes the next state, and the backward pass of that step. ``input`` = x W + b and ``state`` = h U +
c are (K, b, gates hidden), both with their own bias as in torch.nn.

tanh: h' = tanh(input + state).
gru: r, z = sigmoid of the first two thirds of input + state, n = tanh(input_n + r state_n),
h' = (1 - z) n + z h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import Array
from boundkit.simulation.networks.base import WIDEST, Architecture
from boundkit.simulation.networks.layers import cross_entropy, product, score_gradient, uniform_start
from boundkit.simulation.validation import whole

if TYPE_CHECKING:
    import torch


Tensors = tuple["torch.Tensor", ...]


class Cell(Protocol):
    """``gates``: number of inputs of each unit of the state."""

    gates: ClassVar[int]

    @staticmethod
    def forward(input: torch.Tensor, state: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """h', and the intermediate values for the backward pass."""
        ...

    @staticmethod
    def backward(delta: torch.Tensor, values: Tensors) -> Tensors:
        """Gradients with respect to ``input``, ``state`` and, besides these, h; ``delta``: that of h'."""
        ...


class Tanh:
    """h' = tanh(input + state)."""

    gates: ClassVar[int] = 1

    @staticmethod
    def forward(input: torch.Tensor, state: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        after = (input + state).tanh()
        return after, (after,)

    @staticmethod
    def backward(delta: torch.Tensor, values: Tensors) -> Tensors:
        (after,) = values
        of_sum = delta * (1 - after * after)
        return of_sum, of_sum, delta.new_zeros(())


class GRU:
    """h' = (1 - z) n + z h, with update gate z and reset gate r."""

    gates: ClassVar[int] = 3

    @staticmethod
    def forward(input: torch.Tensor, state: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        two = 2 * h.shape[-1]
        r, z = (input[..., :two] + state[..., :two]).sigmoid().chunk(2, -1)
        from_state = state[..., two:]
        n = (input[..., two:] + r * from_state).tanh()
        return n + z * (h - n), (r, z, n, from_state, h)

    @staticmethod
    def backward(delta: torch.Tensor, values: Tensors) -> Tensors:
        import torch

        r, z, n, from_state, h = values
        of_n = delta * (1 - z) * (1 - n * n)
        of_z = delta * (h - n) * z * (1 - z)
        of_r = of_n * from_state * r * (1 - r)
        return torch.cat([of_r, of_z, of_n], -1), torch.cat([of_r, of_z, of_n * r], -1), delta * z


CELLS: dict[str, type[Cell]] = {"tanh": Tanh, "gru": GRU}
"""The cell of each name."""


class Recurrent(Architecture):
    """``classes``: the number of characters. ``cell``: "tanh" or "gru".

    Points are whole numbers (K, b, length), labels too: the next characters.
    """

    kind = "recurrent"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ("embedding", "hidden", "cell"))
    tokens = True

    def __init__(self, classes: int, embedding: int = 8, hidden: int = 128, cell: str = "gru") -> None:
        if cell not in CELLS:
            raise unknown("cell of a recurrent network", str(cell), CELLS)
        self.classes, self.embedding, self.hidden, self.cell = classes, embedding, hidden, cell
        wide = CELLS[cell].gates * hidden
        recurrent = ((embedding, wide), (hidden, wide), (wide,), (wide,))
        self.shapes = ((classes, embedding), *recurrent, (hidden, classes), (classes,))

    def start(self, seed: int) -> Array:
        """The embedding standard normal, all else uniform in +-1/sqrt(hidden)."""
        size = self.classes * self.embedding
        embedding = np.random.default_rng([seed, 1]).standard_normal(size)
        rest = self.shapes[1:]
        return np.concatenate([embedding, uniform_start(rest, (self.hidden,) * len(rest), seed)])

    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self._by_point(cross_entropy(self._scores(w, X), _in_time(labels)), X)

    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The accuracy over the positions of every point."""
        right = self._scores(w, X).argmax(-1) == _in_time(labels)
        return self._by_point(right.to(w.dtype), X)

    def gradients(
        self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor
    ) -> torch.Tensor:
        import torch

        gradients, layers = w.new_empty(w.shape), self.blocks(w.detach())
        embedding, W, U, _, _, V, a = layers
        of_embedding, of_W, of_U, of_b, of_c, of_V, of_a = self.blocks(gradients)
        (K, points, length), cell = X.shape, CELLS[self.cell]
        states, values = self._states(layers, X, product)
        after, before = (s.flatten(1, 2) for s in (states[:, 1:], states[:, :-1]))
        share = (weights / length).repeat(1, length)
        delta = score_gradient(product(after, V).add_(a[:, None]), _in_time(labels), share)
        product(after.transpose(1, 2), delta, out=of_V)
        torch.sum(delta, 1, out=of_a)
        of_states = product(delta, V.transpose(1, 2)).view(K, length, points, -1)
        left = w.new_zeros(())
        of_entered, of_state_inputs = [], []
        for t in reversed(range(length)):
            entered, of_state_input, of_previous = cell.backward(of_states[:, t] + left, values[t])
            left = product(of_state_input, U.transpose(1, 2)) + of_previous
            of_entered.append(entered)
            of_state_inputs.append(of_state_input)
        all_entered, all_state_inputs = (
            torch.stack(s[::-1], 1).flatten(1, 2) for s in (of_entered, of_state_inputs)
        )
        product(before.transpose(1, 2), all_state_inputs, out=of_U)
        torch.sum(all_state_inputs, 1, out=of_c)
        torch.sum(all_entered, 1, out=of_b)
        row = torch.arange(K, device=X.device)[:, None] * self.classes + _in_time(X)
        of_table = w.new_zeros(K * self.classes, W.shape[-1])
        of_table = of_table.index_add_(0, row.flatten(), all_entered.flatten(0, 1)).view(K, self.classes, -1)
        product(embedding.transpose(1, 2), of_table, out=of_W)
        product(of_table, W.transpose(1, 2), out=of_embedding)
        return gradients

    def _states(
        self,
        layers: list[torch.Tensor],
        X: torch.Tensor,
        multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> tuple[torch.Tensor, list[Tensors]]:
        """h_0, ..., h_length, (K, length + 1, b, hidden), and each step's values for the backward pass."""
        import torch

        if X.is_floating_point():
            raise BoundkitError("a recurrent network reads whole numbers, but the points hold fractions.")
        embedding, W, U, b, c, _, _ = layers
        table = multiply(embedding, W).add_(b[:, None])
        which = torch.arange(len(table), device=X.device)[:, None]
        entering = table[which, _in_time(X)].reshape(len(table), X.shape[2], X.shape[1], -1)
        states, values = [table.new_zeros(len(table), X.shape[1], self.hidden)], []
        for t in range(X.shape[2]):
            from_state = multiply(states[-1], U).add_(c[:, None])
            h, intermediate = CELLS[self.cell].forward(entering[:, t], from_state, states[-1])
            states.append(h)
            values.append(intermediate)
        return torch.stack(states, 1), values

    def _scores(self, w: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        """(K, length b, classes), the points of one position side by side."""
        import torch

        layers = self.blocks(w)
        states, _ = self._states(layers, X, torch.matmul)
        return torch.matmul(states[:, 1:].flatten(1, 2), layers[-2]) + layers[-1][:, None]

    def _by_point(self, each: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
        """The mean over positions, (K, length b) to (K, b)."""
        return each.reshape(len(each), X.shape[2], X.shape[1]).mean(1)

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        if len(inputs) != 1:
            raise BoundkitError(
                f"a recurrent network needs sequences, (length,), but the points have the shape {inputs}."
            )
        embedding = whole("embedding", given.get("embedding", 8), 1, WIDEST)
        return cls(
            classes, embedding, whole("hidden", given.get("hidden", 128), 1, WIDEST), given.get("cell", "gru")
        )

    def to_json(self) -> dict[str, Any]:
        sizes = {"embedding": self.embedding, "hidden": self.hidden}
        return {"kind": self.kind, **sizes, "cell": self.cell}


def _in_time(tokens: torch.Tensor) -> torch.Tensor:
    """Whole numbers (K, b, length) as (K, length b)."""
    return tokens.transpose(1, 2).flatten(1)
