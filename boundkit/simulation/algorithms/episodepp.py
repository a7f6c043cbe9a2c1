"""EPISODE++ (Crawshaw, Bao, Liu, NeurIPS 2023, Algorithm 1): EPISODE for partial participation.

The server stores a G_i of every client, initially a stochastic gradient at x_0 of all m, and their plain
mean G. Participating clients take tau_i steps from y = x with g' = g - G_i + G:

    y <- y - eta g'            where ||G|| <= gamma/eta,
    y <- y - gamma g'/||g'||   elsewhere.

Then x <- x - eta_s (1/|S|) sum_S (x - y_i), and G_i <- the plain mean of the raw g of the round for i in S.
So G changes by (1/m) sum_S of the changes, and is the mean of all G_i at all times.

The slides print sums to "7-1" for tau - 1 and other factors for 1/m. Without its flag ``init_corrections``
the published code starts at G_i = 0.

``gamma``: the length of a clipped step; 5 eta by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.simulation.algorithms.base import (
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    received_model,
)
from boundkit.simulation.algorithms.episode import Episode

if TYPE_CHECKING:
    import torch


class EpisodePP(Episode):
    """Corrections are the mean gradients of a client's last round."""

    name = "episodepp"
    reference = "NeurIPS 2023, Algorithm 1"

    def start(self, x0: torch.Tensor, oracle: ServerOracle) -> State:
        copies = x0[:, None, :].expand(x0.shape[0], oracle.m, x0.shape[1])
        return {"x": x0, "G_i": oracle.gradients(copies)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        local = self.corrected(x, round.gather(state["G_i"]), state["G_i"].mean(dim=1), round)
        return {**local, "total": x * 0}

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        return {**super().local_step(local, gradient, eta), "total": local["total"] + gradient}

    def message(self, state: State, local: Local, round: Round) -> Message:
        steps = local["total"].new_tensor(round.steps.astype(np.float64))
        return {**super().message(state, local, round), "G_i": local["total"] / steps[..., None]}

    def server_step(self, state: State, received: Received) -> State:
        after = super().server_step(state, received)
        return {**after, "G_i": received.round.scatter(state["G_i"], received.sent["G_i"])}
