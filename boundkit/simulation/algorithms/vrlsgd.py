"""VRL-SGD (Liang, Shen, Liu, Pan, Chen, Cheng, arXiv 1912.12844, Algorithm 1).

y <- y - eta (g_i(y) - D_i) from y = x, tau_i times; x <- x - eta_s sum_S w_i (x - y_i), w_i = p_i
renormalised over S; then D_i <- D_i + (y_bar - y_i)/(divisor eta) with y_bar = sum_S w_i y_i, D_i = 0
initially.

divisor own    tau_i: sum_i p_i tau_i D_i stays 0, so a fixed point is the optimum of sum_i p_i tau_i F_i
divisor mean   the plain mean of tau_i over S: sum_i p_i D_i stays 0, so a fixed point is the optimum of F;
               but clients with more steps than the mean over-correct, and the run may diverge at any eta

The paper has full participation with tau steps of every client, so that the two are one, p_i = 1/m and
eta_s = 1. In a sampled round the clients of S are averaged and corrected; the others keep D_i. y_bar is the
mean before eta_s acts, so that the sums above stay 0 at any eta_s.
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    averaged,
    choice_option,
    received_model,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray

DIVISORS = ("own", "mean")


class VRLSGD(Algorithm):
    """VRL-SGD; ``divisor`` own by default."""

    name = "vrlsgd"
    reference = "arXiv 1912.12844, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"divisor": "own"}

    def check_options(self) -> None:
        choice_option(self, "divisor", DIVISORS)

    @property
    def stateless(self) -> bool:
        return False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "D": zero_client_state(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": received_model(state, round), "D": round.gather(state["D"])}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return {**local, "y": local["y"] - eta * (gradient - local["D"])}

    def message(self, state: State, local: Local, round: Round) -> Message:
        return {**super().message(state, local, round), "D": local["D"]}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        deviations = received.updates - received.aggregate[:, None, :]
        span = round.step_size_sums[..., None]
        if self.settings["divisor"] == "mean":
            span = round.mean(span)[..., None, :]
        D = round.scatter(state["D"], received.sent["D"] + deviations / span)
        return {"x": averaged(state, received), "D": D}
