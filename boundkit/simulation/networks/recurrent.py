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

from typing import Any, ClassVar, Protocol, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, device
from boundkit.simulation.networks.base import (
    WIDEST,
    Architecture,
    are_largest,
    cross_entropy,
    detached,
    empty,
    score_gradient,
    uniform_start,
)
from boundkit.simulation.validation import whole

Arrays = tuple[AnyArray, ...]


class Cell(Protocol):
    """``gates``: number of inputs of each unit of the state."""

    gates: ClassVar[int]

    @staticmethod
    def forward(input: AnyArray, state: AnyArray, h: AnyArray) -> tuple[AnyArray, Arrays]:
        """h', and the intermediate values for the backward pass."""
        ...

    @staticmethod
    def backward(delta: AnyArray, values: Arrays) -> Arrays:
        """Gradients with respect to ``input``, ``state`` and, besides these, h; ``delta``: that of h'."""
        ...


class Tanh:
    """h' = tanh(input + state)."""

    gates: ClassVar[int] = 1

    @staticmethod
    def forward(input: AnyArray, state: AnyArray, h: AnyArray) -> tuple[AnyArray, Arrays]:
        after = array_namespace(h).tanh(input + state)
        return after, (after,)

    @staticmethod
    def backward(delta: AnyArray, values: Arrays) -> Arrays:
        (after,) = values
        of_sum = delta * (1 - after * after)
        return of_sum, of_sum, 0 * delta


class GRU:
    """h' = (1 - z) n + z h, with update gate z and reset gate r."""

    gates: ClassVar[int] = 3

    @staticmethod
    def forward(input: AnyArray, state: AnyArray, h: AnyArray) -> tuple[AnyArray, Arrays]:
        xp, one, two = array_namespace(h), h.shape[-1], 2 * h.shape[-1]
        gates = (1 + xp.tanh((input[..., :two] + state[..., :two]) / 2)) / 2  # the sigmoid, without overflow
        r, z, from_state = gates[..., :one], gates[..., one:], state[..., two:]
        n = xp.tanh(input[..., two:] + r * from_state)
        return n + z * (h - n), (r, z, n, from_state, h)

    @staticmethod
    def backward(delta: AnyArray, values: Arrays) -> Arrays:
        xp = array_namespace(delta)
        r, z, n, from_state, h = values
        of_n = delta * (1 - z) * (1 - n * n)
        of_z = delta * (h - n) * z * (1 - z)
        of_r = of_n * from_state * r * (1 - r)
        return xp.concat([of_r, of_z, of_n], axis=-1), xp.concat([of_r, of_z, of_n * r], axis=-1), delta * z


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

    def point_losses(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return self._by_point(cross_entropy(self._scores(w, X), _in_time(labels)), X)

    def correct(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        """The accuracy over the positions of every point."""
        return self._by_point(are_largest(self._scores(w, X), _in_time(labels)), X)

    def gradients(self, w: AnyArray, X: AnyArray, labels: AnyArray, weights: AnyArray) -> AnyArray:
        xp, w = array_namespace(w), detached(w)
        gradients, layers = empty(w.shape, w), self.blocks(w)
        embedding, W, U, _, _, V, a = layers
        of_embedding, of_W, of_U, of_b, of_c, of_V, of_a = self.blocks(gradients)
        (K, points, length), cell = X.shape, CELLS[self.cell]
        states, values = self._states(layers, X)
        after, before = (_side_by_side(s) for s in (states[:, 1:], states[:, :-1]))
        share = xp.tile(weights / length, (1, length))
        delta = score_gradient(after @ V + a[:, None], _in_time(labels), share)
        xp.matmul(xp.matrix_transpose(after), delta, out=of_V)
        of_a[...] = xp.sum(delta, axis=1)
        of_states = (delta @ xp.matrix_transpose(V)).reshape(K, length, points, -1)
        left = xp.zeros_like(of_states[:, 0])
        of_entered, of_state_inputs = [], []
        for t in reversed(range(length)):
            entered, of_state_input, of_previous = cell.backward(of_states[:, t] + left, values[t])
            left = of_state_input @ xp.matrix_transpose(U) + of_previous
            of_entered.append(entered)
            of_state_inputs.append(of_state_input)
        all_entered, all_state_inputs = (
            _side_by_side(xp.stack(s[::-1], axis=1)) for s in (of_entered, of_state_inputs)
        )
        xp.matmul(xp.matrix_transpose(before), all_state_inputs, out=of_U)
        of_c[...] = xp.sum(all_state_inputs, axis=1)
        of_b[...] = xp.sum(all_entered, axis=1)
        characters = xp.arange(self.classes, device=device(w))[:, None]
        read = xp.astype(_in_time(X)[:, None] == characters, w.dtype)  # (K, classes, length b)
        of_table = read @ all_entered
        xp.matmul(xp.matrix_transpose(embedding), of_table, out=of_W)
        xp.matmul(of_table, xp.matrix_transpose(W), out=of_embedding)
        return gradients

    def _states(self, layers: list[AnyArray], X: AnyArray) -> tuple[AnyArray, list[Arrays]]:
        """h_0, ..., h_length, (K, length + 1, b, hidden), and each step's values for the backward pass."""
        embedding, W, U, b, c, _, _ = layers
        xp = array_namespace(embedding)
        if xp.isdtype(X.dtype, "real floating"):
            raise BoundkitError("a recurrent network reads whole numbers, but the points hold fractions.")
        table = embedding @ W + b[:, None]
        which = xp.arange(len(table), device=device(table))[:, None]
        entering = table[which, _in_time(X)].reshape(len(table), X.shape[2], X.shape[1], -1)
        h = xp.zeros((len(table), X.shape[1], self.hidden), dtype=table.dtype, device=device(table))
        states, values = [h], []
        for t in range(X.shape[2]):
            h, intermediate = CELLS[self.cell].forward(entering[:, t], h @ U + c[:, None], h)
            states.append(h)
            values.append(intermediate)
        return xp.stack(states, axis=1), values

    def _scores(self, w: AnyArray, X: AnyArray) -> AnyArray:
        """(K, length b, classes), the points of one position side by side."""
        layers = self.blocks(w)
        states, _ = self._states(layers, X)
        return _side_by_side(states[:, 1:]) @ layers[-2] + layers[-1][:, None]

    def _by_point(self, each: AnyArray, X: AnyArray) -> AnyArray:
        """The mean over positions, (K, length b) to (K, b)."""
        return array_namespace(each).mean(each.reshape(len(each), X.shape[2], X.shape[1]), axis=1)

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


def _in_time(tokens: AnyArray) -> AnyArray:
    """Whole numbers (K, b, length) as (K, length b)."""
    return array_namespace(tokens).matrix_transpose(tokens).reshape(len(tokens), -1)


def _side_by_side(values: AnyArray) -> AnyArray:
    """Values of positions and points, (K, length, b, n), as (K, length b, n)."""
    return values.reshape(len(values), -1, values.shape[-1])
