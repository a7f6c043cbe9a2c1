"""Clipped minibatch SGD (Zhang, He, Sra, Jadbabaie, arXiv 1905.11881, over clients): one clipped step.

g = (1/|S|) sum_S g_i, with g_i the mean of tau_i stochastic gradients at x (accumulated, without local
updates); x <- x - eta_s min(eta, gamma/||g||) g. Without noise local_steps has no effect.

The baseline of Crawshaw, Bao, Liu (NeurIPS 2023), to which their lower bound applies.

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
    State,
    received_model,
)
from boundkit.simulation.algorithms.clipping import Clipped

if TYPE_CHECKING:
    import torch


class ClippedMinibatchSGD(Clipped):
    """Clients accumulate gradients at the server's model; the mean of all is clipped."""

    name = "clipped_minibatch_sgd"
    reference = "arXiv 1905.11881, Algorithm 1"

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        return {"y": x, "total": x * 0}

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        return {**local, "total": local["total"] + gradient}

    def message(self, state: State, local: Local, round: Round) -> Message:
        steps = local["total"].new_tensor(round.steps.astype(np.float64))
        return {"update": round.eta * local["total"] / steps[..., None]}

    def server_step(self, state: State, received: Received) -> State:
        eta, eta_s = received.round.eta, received.round.eta_s
        g = received.aggregate / eta
        return {**state, "x": state["x"] - eta_s * self.step(g, self.exceeds(g, eta), eta)}
