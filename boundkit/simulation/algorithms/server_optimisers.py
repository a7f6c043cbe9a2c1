"""Server optimisers on the mean update: FedAdagrad, FedAdam, and the step size of FedExP.

Clients as in FedAvg; the update of client i is D_i = x - y_i, and the mean update D = sum_S w_i D_i with
w_i = p_i / sum_S p_j.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    Received,
    Round,
    ServerOracle,
    State,
    number_option,
    truth_option,
)
from boundkit.simulation.arrays import AnyArray, array_namespace, as_like


class AdaptiveServer(Algorithm):
    """Adaptive servers (Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, arXiv 2003.00295).

    Algorithm 2 of the paper: coordinate by coordinate, u <- beta1 u + (1 - beta1) D and
    x <- x - eta_s u/(sqrt v + adaptivity), with

    FedAdagrad  v <- v + D^2
    FedAdam     v <- beta2 v + (1 - beta2) D^2, without bias correction

    from u = 0 and v = adaptivity^2 (the paper requires at least that). eta_s is the paper's server rate, and
    a length.

    ``adaptivity``  the paper's tau, a length above 0; default 0.001
    ``beta1``       server momentum, default 0 in FedAdagrad and 0.9 in FedAdam
    ``beta2``       decay of v in FedAdam, default 0.99

    The paper's D has the opposite sign and averages uniformly, which is p_i = 1/m; its experiments weigh by
    examples. Neither buffer changes in an empty round.
    """

    affine = False  # the server divides by the second moments of past updates
    stateless = False

    def check_options(self) -> None:
        for name in {"beta1", "beta2"} & set(self.options):
            number_option(self, name, 0, 1)
        number_option(self, "adaptivity", 0, float("inf"))
        if self.settings["adaptivity"] == 0:
            raise BoundkitError(
                f"adaptivity of {self.name} must be above 0: coordinates without updates are divided by it."
            )

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


class FedExP(Algorithm):
    """FedExP (Jhunjhunwala, Wang, Joshi, arXiv 2301.09604, Algorithm 1).

    The server step grows with the disagreement of the clients:

    eta_g = max(1, sum_S w_i ||D_i||^2 / (2 (||D||^2 + eps))),   x <- x - eta_s eta_g D.

    ``epsilon``                eps, in squared units of x; default 0.001
    ``epsilon_times_clients``  true: |S| epsilon in its place, as the published code has it; default false

    The paper has w_i = 1/M, the same where all p_i are equal, and eta_s = 1. Where D and eps are both 0, x
    stays. Its convex theorem bounds the loss at sum eta_g x_t / sum eta_g: observed as
    ``weighted_iterate_...`` (rounds before t; at t = 0, x_0). ``server_step`` is eta_s eta_g of each round, 0
    in an empty round.
    """

    name = "fedexp"
    reference = "arXiv 2301.09604, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"epsilon": 1e-3, "epsilon_times_clients": False}
    free_options = frozenset(options)  # its theorems hold at any eps
    affine = False  # max{1, ...}: where it is 1 the step is affine, but only locally
    stateless = False

    def check_options(self) -> None:
        number_option(self, "epsilon", 0, float("inf"))
        truth_option(self, "epsilon_times_clients")

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "server_step": x0[:, 0] * 0, "step_sum": x0[:, 0] * 0, "weighted_sum": x0 * 0}

    def server_step(self, state: State, received: Received) -> State:
        xp, round, mean = array_namespace(received.updates), received.round, received.aggregate
        squares = xp.sum(round.weights * xp.sum(received.updates**2, axis=-1), axis=-1)
        epsilon = self.settings["epsilon"]
        if self.settings["epsilon_times_clients"]:
            epsilon = as_like(epsilon * round.size[..., 0], mean)
        denominator = 2 * (xp.sum(mean**2, axis=-1) + epsilon)
        ratio = xp.where(denominator > 0, squares, 0.0) / xp.where(denominator > 0, denominator, 1.0)
        step = round.eta_s * xp.maximum(ratio, 1.0)
        return {
            "x": state["x"] - step[:, None] * mean,
            "server_step": step,
            "step_sum": state["step_sum"] + step,
            "weighted_sum": state["weighted_sum"] + step[:, None] * state["x"],
        }

    def empty_round(self, state: State, round: Round) -> State:
        return {**state, "server_step": state["server_step"] * 0}

    def models(self, state: State) -> dict[str, AnyArray]:
        xp, total = array_namespace(state["x"]), state["step_sum"][:, None]
        mean = state["weighted_sum"] / xp.where(total > 0, total, 1.0)
        return {"weighted_iterate": xp.where(total > 0, mean, state["x"])}

    def diagnostics(self, state: State) -> dict[str, AnyArray]:
        return {"server_step": state["server_step"]}
