"""EF21 (Richtarik, Sokolov, Fatkhullin, arXiv 2106.05203, Algorithm 2): compression with error feedback.

Every client and the server store v_i, initially 0. The participating clients send k coordinates each,

    c_i = top_k(g_i(x) - v_i),   v_i <- v_i + c_i,

the largest in absolute value; the others keep their v_i. Then x <- x - eta_s (eta/m) sum_i v_i, over all m.

``keep``: k, a whole number, at least 1; 1 by default. All coordinates are sent where there are fewer.
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    ClientOracle,
    EqualWeights,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    count_option,
    received_model,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace


class EF21(EqualWeights):
    """Compressed changes of gradients; local_steps must be 1."""

    name = "ef21"
    reference = "arXiv 2106.05203, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"keep": 1}
    free_options = frozenset(options)  # the theorem has a symbol for the kept fraction
    rotation_equivariant = False
    affine = False
    stateless = False

    def check_options(self) -> None:
        count_option(self, "keep")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if (local_steps != 1).any():
            raise BoundkitError(
                "ef21 sends the change of one gradient, so local_steps must be 1, "
                f"but it is {local_steps.max()}."
            )

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "v": zero_client_state(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        return {"y": x, "total": x * 0}

    def message(self, state: State, local: Local, round: Round) -> Message:
        change = local["total"] - round.gather(state["v"])
        xp = array_namespace(change)
        order = xp.argsort(-xp.abs(change), axis=-1, stable=True)
        place = xp.argsort(order, axis=-1, stable=True)
        return {"update": xp.where(place < int(self.settings["keep"]), change, 0.0)}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        v = round.scatter(state["v"], round.gather(state["v"]) + received.updates)
        mean = array_namespace(v).mean(v, axis=1)
        return {"x": state["x"] - round.eta_s * round.eta * mean, "v": v}
