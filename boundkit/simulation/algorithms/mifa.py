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

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import (
    Array,
    Came,
    Clients,
    Oracle,
    Received,
    Round,
    State,
    memory,
    truth_option,
)
from boundkit.simulation.algorithms.sgd_steps import PlainSteps

if TYPE_CHECKING:
    import torch


class MIFA(PlainSteps):
    """MIFA; ``wait`` true by default."""

    name = "mifa"
    reference = "arXiv 2106.04159, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"wait": True}
    clocks = frozenset({"seen"})

    def check_options(self) -> None:
        truth_option(self, "wait")

    @property
    def memoryless(self) -> bool:
        return False

    @property
    def calls(self) -> bool:
        return bool(self.settings["wait"])

    def called(self, state: State, counts: Clients) -> Clients:
        seen = state["seen"].cpu().numpy()
        fills = (seen | (counts > 0)).all(axis=1, keepdims=True) & ~seen.all(axis=1, keepdims=True)
        return np.where(fills, 1, counts)

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        state = {"x": x0, "G": memory(x0, oracle.m)}
        if self.settings["wait"]:
            state["seen"] = state["G"][..., 0] != 0
        return state

    def weights(self, came: Came) -> Array:
        return (came.counts > 0) / came.m

    def separable(self, equal: bool) -> str:
        return "who"

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        G = round.scatter(state["G"], -received.updates / round.eta)
        after = self.idle({**state, "G": G}, round)
        if "seen" in state:
            after["seen"] = state["seen"] | round.present(len(state["x"]))
        return after

    def idle(self, state: State, round: Round) -> State:
        import torch

        x, waits = state["x"], self.waiting(state)
        stepped = x + round.eta_s * round.eta * state["G"].mean(dim=1)
        return {**state, "x": stepped if waits is None else torch.where(waits[:, None], x, stepped)}

    def waiting(self, state: State) -> torch.Tensor | None:
        return ~state["seen"].all(dim=1) if "seen" in state else None

    def settled(self, state: State, probabilities: Array) -> State:
        import torch

        if "seen" not in state:
            return state
        ever = torch.as_tensor(probabilities.any(axis=0), device=state["seen"].device)
        return {**state, "seen": state["seen"] | ever}
