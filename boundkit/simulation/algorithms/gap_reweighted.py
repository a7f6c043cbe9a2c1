"""Re-weighting by the length of absences alone: a counterexample discussed with FedAWE (arXiv 2409.17446).

FedAvg that weighs each update by the length of the client's absence, with t_i the last round before t in
which client i participated (-1 if none):

x <- x - eta_s (1/|S|) sum_S (t - t_i) (x - y_i)      divisor came
x <- x - eta_s (1/m) sum_S (t - t_i) (x - y_i)        divisor all

With ``came`` it is biased for any eta: where one of two clients participates in every round and the other in
every second round, the limit is (3 u_1 + 2 u_2)/5 instead of (u_1 + u_2)/2. With ``all``, as in FedAU, it is
unbiased. An empty round only increases t - t_i.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import (
    Algorithm,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    choice_option,
    zeros,
)
from boundkit.simulation.arrays import AnyArray, Array, array_namespace

DIVISORS = ("came", "all")


class GapReweighted(Algorithm):
    """FedAvg re-weighted by absence; ``divisor`` came by default."""

    name = "gap_reweighted"
    reference = "the discussion of arXiv 2409.17446"
    options: ClassVar[dict[str, Any]] = {"divisor": "came"}
    counters = frozenset({"gap"})

    def check_options(self) -> None:
        choice_option(self, "divisor", DIVISORS)

    @property
    def stateless(self) -> bool:
        return False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "gap": zeros(x0, oracle.m) + 1}

    def weights(self, inputs: WeightInputs) -> Array:
        if self.settings["divisor"] == "all":
            return inputs.counts / inputs.m
        return inputs.normalised(np.ones_like(inputs.p))

    def weight_dependence(self, equal: bool) -> str:
        return "client" if self.settings["divisor"] == "all" else "count"

    def server_step(self, state: State, received: Received) -> State:
        xp, round, gap = array_namespace(state["gap"]), received.round, state["gap"]
        w = round.weights * round.gather(gap)
        u = xp.sum(w[..., None] * received.updates, axis=1)
        gaps = xp.where(round.participates(len(u)), 1.0, gap + 1)
        return {"x": state["x"] - round.eta_s * u, "gap": gaps}

    def empty_round(self, state: State, round: Round) -> State:
        return {**state, "gap": state["gap"] + 1}
