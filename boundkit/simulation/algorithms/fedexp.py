"""FedExP (Jhunjhunwala, Wang, Joshi, arXiv 2301.09604, Algorithm 1).

Clients as in FedAvg, with D_i = x - y_i and w_i = p_i / sum_S p_j. The server step grows with the
disagreement of the clients: with D = sum_S w_i D_i,

eta_g = max(1, sum_S w_i ||D_i||^2 / (2 (||D||^2 + eps))),   x <- x - eta_s eta_g D.

``epsilon``                eps, in squared units of x; default 0.001
``epsilon_times_clients``  true: |S| epsilon in its place, as the published code has it; default false

The paper has w_i = 1/M, the same where all p_i are equal, and eta_s = 1. Where D and eps are both 0, x stays.
Its convex theorem bounds the loss at sum eta_g x_t / sum eta_g: observed as ``weighted_iterate_...`` (rounds
before t; at t = 0, x_0). ``server_step`` is eta_s eta_g of each round, 0 in an empty round.
"""

from __future__ import annotations

from typing import Any, ClassVar

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


class FedExP(Algorithm):
    """FedAvg with a server step size from the disagreement of the clients."""

    name = "fedexp"
    reference = "arXiv 2301.09604, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"epsilon": 1e-3, "epsilon_times_clients": False}
    free_options = frozenset(options)  # its theorems hold at any eps

    def check_options(self) -> None:
        number_option(self, "epsilon", 0, float("inf"))
        truth_option(self, "epsilon_times_clients")

    @property
    def affine(self) -> bool:
        return False  # max{1, ...}: where it is 1 the step is affine, but only locally

    @property
    def stateless(self) -> bool:
        return False

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
