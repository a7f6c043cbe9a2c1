"""Overlap local SGD (Wang, Liang, Joshi, arXiv 2002.09539): communication overlaps with local computation.

Clients store models x_i of their own, and an anchor z is communicated. Initially z = x_i = x_0, v = 0:

    x_i <- x_i - eta g               tau_i times,
    x_i <- x_i - pull (x_i - z)      towards the anchor computed one round ago,
    v   <- momentum v + (a - z)      a = sum_S p_i x_i / sum_S p_j, of the pulled models,
    z   <- z + eta_s v               communicated during the next round.

The model ``x`` is a, the mean of the local models, to which the theorems apply; the problem is also
observed at the anchor, as ``anchor_loss`` and so on, and at the mean of the local models inside rounds.
Absent clients keep their models. The paper and its published code, whose order of steps is used, have full
participation, plain means, and eta_s = 1.

``pull``: in [0, 1), 0.6 by default; 0 decouples the clients, and at 1 no model would ever change.
``momentum`` of the anchor: in [0, 1), 0.7 by default. Both as in the paper's experiments (recalled).
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
    copies,
    number_option,
)
from boundkit.simulation.arrays import AnyArray


class OverlapSGD(Algorithm):
    """Local SGD with an anchor that is one round old."""

    name = "overlap_sgd"
    reference = "arXiv 2002.09539, Section 2"
    options: ClassVar[dict[str, Any]] = {"pull": 0.6, "momentum": 0.7}
    free_options = frozenset(options)  # the theorem leaves the dependence of its constants on them open
    virtual = True
    stateless = False

    def check_options(self) -> None:
        number_option(self, "pull", 0, 1)
        number_option(self, "momentum", 0, 1)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "z": x0, "v": x0 * 0, "x_i": copies(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": round.gather(state["x_i"])}

    def message(self, state: State, local: Local, round: Round) -> Message:
        difference = (1 - self.settings["pull"]) * (state["z"][:, None, :] - local["y"])
        return {"update": difference}

    def server_step(self, state: State, received: Received) -> State:
        z, difference = state["z"], received.aggregate
        v = self.settings["momentum"] * state["v"] - difference
        pulled = z[:, None, :] - received.updates
        return {
            "x": z - difference,
            "z": z + received.round.eta_s * v,
            "v": v,
            "x_i": received.round.scatter(state["x_i"], pulled),
        }

    def models(self, state: State) -> dict[str, AnyArray]:
        return {"anchor": state["z"]}
