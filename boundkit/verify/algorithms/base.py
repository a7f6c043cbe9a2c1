"""An algorithm: pure functions over state, on tensors (replicas, clients, parameters).

A round is: every client that comes enters with what the server sends, takes its local steps, and
leaves an update; the server weighs the updates and moves. The same functions run step by step on any
problem, and are probed by the engines that need the affine map of a round, so that no map is written
by hand beside the algorithm.
"""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

State = dict[str, "torch.Tensor"]
Local = dict[str, "torch.Tensor"]


@dataclass(frozen=True)
class Received:
    """What reaches the server in one round.

    ``updates``: (R, n, d), each client's x - y. ``clients``: (n,) or (R, n). ``weights``: (n,) or (R, n).
    """

    updates: torch.Tensor
    clients: NDArray[np.intp]
    weights: torch.Tensor

    @property
    def aggregate(self) -> torch.Tensor:
        """The weighted sum of the updates, (R, d)."""
        return (self.weights[..., None] * self.updates).sum(dim=-2)


class Algorithm(ABC):
    """Options are data; state goes in and comes out.

    ``options`` maps each option to its default (the paper's). Raises BoundkitError for others.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    options: ClassVar[dict[str, Any]]
    turns: ClassVar[bool] = True
    """Whether a local step commutes with rotations; a rule that treats coordinates apart does not."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        given = dict(options or {})
        for name in given:
            if name not in self.options:
                raise unknown(f"option of {self.name}", name, self.options)
        self.settings: dict[str, Any] = {**self.options, **given}
        self.check_options()

    def check_options(self) -> None:  # noqa: B027, an algorithm may accept all values
        """Refuse values that an option may not take."""

    def check_run(self, local_steps: NDArray[np.intp], clients: int) -> None:  # noqa: B027, as above
        """Refuse a run that is not this algorithm's; ``local_steps`` is (cycle, m)."""

    @abstractmethod
    def start(self, x0: torch.Tensor) -> State:
        """The server's state before round 0, from models (R, d). The model is ``state["x"]``."""

    @abstractmethod
    def enter(self, state: State, clients: NDArray[np.intp]) -> Local:
        """What each client holds before its first step, (R, n, d); the iterate is ``local["y"]``."""

    @abstractmethod
    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        """One local step, with the gradient at ``local["y"]``."""

    @abstractmethod
    def leave(self, state: State, local: Local) -> torch.Tensor:
        """The update that a client sends after its last step, (R, n, d)."""

    @abstractmethod
    def weights(self, p: Any, clients: int, chances: Any) -> Any:
        """The weights of those who came, from their p_i and chances to come, both (..., n)."""

    @abstractmethod
    def separable(self, equal: bool) -> bool:
        """Whether a client's weight depends only on who it is and on how many came."""

    @abstractmethod
    def server_step(self, state: State, received: Received, eta_s: float) -> State:
        """The state after the round. It is not called when nobody came."""

    def deviations(self) -> list[str]:
        """Options that make this another algorithm than the one a theorem of the same name speaks of."""
        return [f"{k} = {v!r}" for k, v in self.settings.items() if v != self.options[k]]


def number_option(algorithm: Algorithm, name: str, lower: float, upper: float) -> None:
    """Refuse an option that is not a number in [lower, upper)."""
    value = algorithm.settings[name]
    ok = isinstance(value, (int, float)) and not isinstance(value, bool) and lower <= value < upper
    if not ok:
        raise BoundkitError(
            f"the option {name} of {algorithm.name} must be a number from {lower:g} up to, not including, "
            f"{upper:g}, but it is {reprlib.repr(value)}."
        )
