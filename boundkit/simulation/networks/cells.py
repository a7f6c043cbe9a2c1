r"""Recurrent cells: forward step from the last state and an input, and its backward pass.

``input`` = x W + b and ``state`` = h U + c are (K, b, gates hidden), both with their own bias as in torch.nn.

tanh: h' = tanh(input + state).
gru: r, z = sigmoid of the first two thirds of input + state, n = tanh(input_n + r state_n),
h' = (1 - z) n + z h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

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
    def backward(delta: torch.Tensor, seen: Tensors) -> Tensors:
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
    def backward(delta: torch.Tensor, seen: Tensors) -> Tensors:
        (after,) = seen
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
    def backward(delta: torch.Tensor, seen: Tensors) -> Tensors:
        import torch

        r, z, n, from_state, h = seen
        of_n = delta * (1 - z) * (1 - n * n)
        of_z = delta * (h - n) * z * (1 - z)
        of_r = of_n * from_state * r * (1 - r)
        return torch.cat([of_r, of_z, of_n], -1), torch.cat([of_r, of_z, of_n * r], -1), delta * z


CELLS: dict[str, type[Cell]] = {"tanh": Tanh, "gru": GRU}
"""The cell of each name."""
