"""Re-weighting by absence alone: the counterexample in the discussion of FedAWE (arXiv 2409.17446).

FedAvg that weighs each update by the length of the client's absence, with t_i the last round before t in
which client i participated (-1 if none):

x <- x - eta_s (1/|S|) sum_S (t - t_i) (x - y_i)      divisor came
x <- x - eta_s (1/m) sum_S (t - t_i) (x - y_i)        divisor all

With ``came`` it is biased for any eta: where one of two clients participates in every round and the other in
every second round, the limit is (3 u_1 + 2 u_2)/5 instead of (u_1 + u_2)/2. With ``all``, as in FedAU, it is
unbiased. An empty round only increases t - t_i.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import Array, Came, Oracle, Received, Round, State, choice_option
from boundkit.simulation.algorithms.sgd_steps import PlainSteps

if TYPE_CHECKING:
    import torch

DIVISORS = ("came", "all")


class GapReweighted(PlainSteps):
    """FedAvg re-weighted by absence; ``divisor`` came by default."""

    name = "gap_reweighted"
    reference = "the discussion of arXiv 2409.17446"
    options: ClassVar[dict[str, Any]] = {"divisor": "came"}
    clocks = frozenset({"gap"})

    def check_options(self) -> None:
        choice_option(self, "divisor", DIVISORS)

    @property
    def memoryless(self) -> bool:
        return False

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        return {"x": x0, "gap": x0.new_ones(x0.shape[0], oracle.m)}

    def weights(self, came: Came) -> Array:
        if self.settings["divisor"] == "all":
            return came.counts / came.m
        return came.share(np.ones_like(came.p))

    def separable(self, equal: bool) -> str:
        return "who" if self.settings["divisor"] == "all" else "many"

    def server_step(self, state: State, received: Received) -> State:
        round, gap = received.round, state["gap"]
        w = round.weights * round.gather(gap)
        u = (w[..., None] * received.updates).sum(dim=1)
        later = (gap + 1).masked_fill(round.present(len(u)), 1)
        return {"x": state["x"] - round.eta_s * u, "gap": later}

    def idle(self, state: State, round: Round) -> State:
        return {**state, "gap": state["gap"] + 1}
