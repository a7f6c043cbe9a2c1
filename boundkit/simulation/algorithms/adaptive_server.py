"""Base of FedAdagrad and FedAdam: a server optimiser with coordinate-wise second moments."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import Oracle, Received, State, number_option
from boundkit.simulation.algorithms.sgd_steps import PlainSteps

if TYPE_CHECKING:
    import torch


class AdaptiveServer(PlainSteps):
    """u <- beta1 u + (1 - beta1) D, x <- x - eta_s u/(sqrt v + adaptivity), coordinate by coordinate."""

    def check_options(self) -> None:
        for name in {"beta1", "beta2"} & set(self.options):
            number_option(self, name, 0, 1)
        number_option(self, "adaptivity", 0, float("inf"))
        if self.settings["adaptivity"] == 0:
            raise BoundkitError(
                f"adaptivity of {self.name} must be above 0: coordinates that never moved are divided by it."
            )

    @property
    def affine(self) -> bool:
        return False  # the server divides by the second moments of past updates

    @property
    def memoryless(self) -> bool:
        return False

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        return {"x": x0, "u": x0 * 0, "v": x0 * 0 + self.settings["adaptivity"] ** 2}

    @abstractmethod
    def second(self, v: torch.Tensor, squared: torch.Tensor) -> torch.Tensor:
        """The second moments after a round, given the squares of its mean update."""

    def server_step(self, state: State, received: Received) -> State:
        D, beta1 = received.aggregate, self.settings["beta1"]
        u, v = beta1 * state["u"] + (1 - beta1) * D, self.second(state["v"], D.square())
        x = state["x"] - received.round.eta_s * u / (v.sqrt() + self.settings["adaptivity"])
        return {"x": x, "u": u, "v": v}
