"""MIFA (Gu, Huang, Zhang, Huang, arXiv 2106.04159, Algorithm 1).

The server stores G_i = (y_i - x)/eta of every client's last round, tau_i plain local steps, and steps with
all of them, however old: x <- x + eta_s (eta/m) sum_i G_i, over all m, with the current eta.

wait true    the server waits until every client has participated once; in the round in which the last one
             does, all m clients compute updates from x_0, and the server does not step yet. The run
             begins after that round: the waiting rounds, that one included, are not recorded
wait false   G_i = 0 initially, and the server steps from the first round on

Once started it steps in empty rounds too. The computation by all m clients in the last waiting round, those
that are not available included, is that of the published code; the paper has full participation in round 0.
Where step sizes vary inside a round, eta is the first of them.
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
    truth_option,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like, to_numpy


class MIFA(Algorithm):
    """MIFA; ``wait`` true by default."""

    name = "mifa"
    reference = "arXiv 2106.04159, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"wait": True}
    counters = frozenset({"participated"})
    stateless = False

    def check_options(self) -> None:
        truth_option(self, "wait")

    @property
    def adds_clients(self) -> bool:
        return bool(self.settings["wait"])

    def participation_counts(self, state: State, sampled: Clients) -> Clients:
        before = to_numpy(state["participated"])
        completes = (before | (sampled > 0)).all(axis=1, keepdims=True) & ~before.all(axis=1, keepdims=True)
        return np.where(completes, 1, sampled)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        state = {"x": x0, "G": zero_client_state(x0, oracle.m)}
        if self.settings["wait"]:
            state["participated"] = state["G"][..., 0] != 0
        return state

    def weights(self, inputs: WeightInputs) -> Array:
        return (inputs.counts > 0) / inputs.m

    def weight_dependence(self, equal: bool) -> str:
        return "client"

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        G = round.scatter(state["G"], -received.updates / round.eta)
        after = self.empty_round({**state, "G": G}, round)
        if "participated" in state:
            after["participated"] = state["participated"] | round.participates(len(state["x"]))
        return after

    def empty_round(self, state: State, round: Round) -> State:
        xp, x, waiting = array_namespace(state["x"]), state["x"], self.waiting(state)
        stepped = x + round.eta_s * round.eta * xp.mean(state["G"], axis=1)
        return {**state, "x": stepped if waiting is None else xp.where(waiting[:, None], x, stepped)}

    def waiting(self, state: State) -> AnyArray | None:
        if "participated" not in state:
            return None
        return ~array_namespace(state["x"]).all(state["participated"], axis=1)

    def limit_of_counters(self, state: State, inclusion: Array) -> State:
        if "participated" not in state:
            return state
        ever = as_like(inclusion.any(axis=0), state["participated"])
        return {**state, "participated": state["participated"] | ever}
