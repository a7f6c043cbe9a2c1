"""FedAvg (McMahan, Moore, Ramage, Hampson, Agueera y Arcas, arXiv 1602.05629, Algorithm 1).

y <- y - eta g from y = x, tau_i times; x <- x - eta_s sum_S w_i (x - y_i). Options add heavy-ball
momentum to the local steps (v <- rho v + g, y <- y - eta v, v = 0 at the start of each round) and to
the server (b <- beta b + u, x <- x - eta_s b, with u the weighted update and b = 0 initially).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms.aggregation import AGGREGATIONS, SEPARABLE
from boundkit.simulation.algorithms.base import (
    Algorithm,
    Array,
    Ask,
    Came,
    Clients,
    Local,
    Oracle,
    Received,
    Round,
    Sent,
    State,
    number_option,
    received_model,
)

if TYPE_CHECKING:
    import torch


class FedAvg(Algorithm):
    """FedAvg with the weighting schemes of ``aggregation`` and momentum in local and server steps."""

    name = "fedavg"
    reference = "arXiv 1602.05629, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "aggregation": "weighted",
        "probabilities": None,
        "momentum": 0.0,
        "server_momentum": 0.0,
    }

    def check_options(self) -> None:
        kind = self.settings["aggregation"]
        if not isinstance(kind, str) or kind not in AGGREGATIONS:
            raise unknown("aggregation", str(kind), AGGREGATIONS)
        for name in {"momentum", "server_momentum"} & set(self.options):
            number_option(self, name, 0, 1)
        if (self.settings["probabilities"] is None) == (kind == "known"):
            raise BoundkitError(
                "aggregation known needs the option probabilities, and no other aggregation takes it."
            )

    def check_run(self, local_steps: Clients, clients: int) -> None:
        q = self.settings["probabilities"]
        if q is None:
            return
        numbers = isinstance(q, (list, tuple)) and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v <= 1 for v in q
        )
        if not numbers or len(q) != clients:
            raise BoundkitError(
                f"the option probabilities of {self.name} must be {clients} numbers in (0, 1]."
            )

    @property
    def plain_steps(self) -> bool:
        return type(self).local_step is FedAvg.local_step and not self.settings.get("momentum")

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        return {"x": x0, "b": x0 * 0} if self.settings["server_momentum"] else {"x": x0}

    def enter(self, state: State, round: Round, ask: Ask) -> Local:
        y = received_model(state, round)
        return {"y": y, "v": y * 0} if self.settings.get("momentum") else {"y": y}

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        if "v" not in local:
            return {**local, "y": local["y"] - eta * gradient}
        v = self.settings["momentum"] * local["v"] + gradient
        return {**local, "y": local["y"] - eta * v, "v": v}

    def leave(self, state: State, local: Local, round: Round) -> Sent:
        return {"update": state["x"][:, None, :] - local["y"]}

    def weights(self, came: Came) -> Array:
        return AGGREGATIONS[self.settings["aggregation"]](came)

    def separable(self, equal: bool) -> str:
        on = SEPARABLE[self.settings["aggregation"]]
        return "many" if equal and on == "share" else on

    def server_step(self, state: State, received: Received) -> State:
        u, eta_s = received.aggregate, received.round.eta_s
        if "b" not in state:
            return {**state, "x": state["x"] - eta_s * u}
        b = self.settings["server_momentum"] * state["b"] + u
        return {**state, "x": state["x"] - eta_s * b, "b": b}
