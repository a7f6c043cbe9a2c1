"""FedAdagrad and FedAdam (Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, arXiv 2003.00295).

Algorithm 2 of the paper. Clients as in FedAvg, D = sum_S p_i (x - y_i) / sum_S p_j. Then, coordinate by
coordinate, u <- beta1 u + (1 - beta1) D, x <- x - eta_s u/(sqrt v + adaptivity), with

FedAdagrad  v <- v + D^2
FedAdam     v <- beta2 v + (1 - beta2) D^2, without bias correction

from u = 0 and v = adaptivity^2 (the paper requires at least that). eta_s is the paper's server rate, and a
length.

``adaptivity``  the paper's tau, a length above 0; default 0.001
``beta1``       server momentum, default 0 in FedAdagrad and 0.9 in FedAdam
``beta2``       decay of v in FedAdam, default 0.99

The paper's D has the opposite sign and averages uniformly, which is p_i = 1/m; its experiments weigh by
examples. Neither buffer changes in an empty round.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import Algorithm, Received, ServerOracle, State, number_option
from boundkit.simulation.arrays import AnyArray, array_namespace


class AdaptiveServer(Algorithm):
    """u <- beta1 u + (1 - beta1) D, x <- x - eta_s u/(sqrt v + adaptivity), coordinate by coordinate."""

    def check_options(self) -> None:
        for name in {"beta1", "beta2"} & set(self.options):
            number_option(self, name, 0, 1)
        number_option(self, "adaptivity", 0, float("inf"))
        if self.settings["adaptivity"] == 0:
            raise BoundkitError(
                f"adaptivity of {self.name} must be above 0: coordinates without updates are divided by it."
            )

    @property
    def affine(self) -> bool:
        return False  # the server divides by the second moments of past updates

    @property
    def stateless(self) -> bool:
        return False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "u": x0 * 0, "v": x0 * 0 + self.settings["adaptivity"] ** 2}

    @abstractmethod
    def second_moments(self, v: AnyArray, squared: AnyArray) -> AnyArray:
        """The second moments after a round, given the squares of its mean update."""

    def server_step(self, state: State, received: Received) -> State:
        D, beta1 = received.aggregate, self.settings["beta1"]
        u, v = beta1 * state["u"] + (1 - beta1) * D, self.second_moments(state["v"], D**2)
        x = state["x"] - received.round.eta_s * u / (array_namespace(v).sqrt(v) + self.settings["adaptivity"])
        return {"x": x, "u": u, "v": v}


class FedAdagrad(AdaptiveServer):
    """The server runs AdaGrad on the mean update."""

    name = "fedadagrad"
    reference = "arXiv 2003.00295, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"adaptivity": 1e-3, "beta1": 0.0}

    def second_moments(self, v: AnyArray, squared: AnyArray) -> AnyArray:
        return v + squared


class FedAdam(AdaptiveServer):
    """The server runs Adam on the mean update."""

    name = "fedadam"
    reference = "arXiv 2003.00295, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"adaptivity": 1e-3, "beta1": 0.9, "beta2": 0.99}

    def second_moments(self, v: AnyArray, squared: AnyArray) -> AnyArray:
        beta2 = self.settings["beta2"]
        return beta2 * v + (1 - beta2) * squared
