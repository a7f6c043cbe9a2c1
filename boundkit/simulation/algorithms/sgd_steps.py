"""Base of most algorithms: plain local SGD steps, and an average with weights p_i.

y <- y - eta g from y = x, tau_i times; the server receives x - y_i and weighs it by p_i, renormalised
over the participating clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundkit.simulation.algorithms.base import (
    Algorithm,
    Array,
    Ask,
    Came,
    Local,
    Oracle,
    Received,
    Round,
    Sent,
    State,
    received_model,
)

if TYPE_CHECKING:
    import torch


class PlainSteps(Algorithm):
    """Clients as in FedAvg without options; subclasses define the server step."""

    @property
    def plain_steps(self) -> bool:
        return type(self).local_step is PlainSteps.local_step

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        return {"x": x0}

    def enter(self, state: State, round: Round, ask: Ask) -> Local:
        return {"y": received_model(state, round)}

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        return {**local, "y": local["y"] - eta * gradient}

    def leave(self, state: State, local: Local, round: Round) -> Sent:
        return {"update": state["x"][:, None, :] - local["y"]}

    def weights(self, came: Came) -> Array:
        return came.share(came.p)

    def separable(self, equal: bool) -> str:
        return "many" if equal else "share"


def averaged(state: State, received: Received) -> torch.Tensor:
    """x - eta_s sum_S w_i (x - y_i)."""
    return state["x"] - received.round.eta_s * received.aggregate
