"""FedDyn (Acar, Zhao, Navarro, Mattina, Whatmough, Saligrama, arXiv 2111.04263, Algorithm 1), exact
minimisers.

Every client stores G_i, initially 0. The participating clients return

    y_i = argmin F_i(y) - <G_i, y> + (mu/2) ||y - x||^2,   G_i <- G_i - mu (y_i - x),

so that G_i is grad F_i(y_i), and the others keep theirs. Then x <- mean_S y_i - (1/(m mu)) sum_i G_i, over
all m.

``mu``: the paper's alpha, the weight of the proximal term, above 0; 1 by default. eta and eta_s have no
effect. Quadratics only; the paper's code takes epochs of SGD for the minimisers (recalled).
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    ClientOracle,
    EqualWeights,
    Local,
    Received,
    Round,
    ServerOracle,
    State,
    number_option,
    received_model,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace


class FedDyn(EqualWeights):
    """Exact minimisers of proximal objectives with a linear correction; local_steps must be 1."""

    name = "feddyn"
    reference = "arXiv 2111.04263, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"mu": 1.0}
    free_options = frozenset(options)  # the theorem has a symbol for it
    stateless = False

    def check_options(self) -> None:
        number_option(self, "mu", 0, float("inf"))
        if self.settings["mu"] == 0:
            raise BoundkitError("the option mu of feddyn must be above 0: the server divides by it.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if (local_steps != 1).any():
            raise BoundkitError(
                "feddyn has exact minimisers in place of local steps, so local_steps must be 1, "
                f"but it is {local_steps.max()}."
            )

    @property
    def linear_steps(self) -> bool:
        return False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "G": zero_client_state(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        mu = self.settings["mu"]
        return {"y": oracle.proximal(received_model(state, round) + round.gather(state["G"]) / mu, mu)}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return local

    def server_step(self, state: State, received: Received) -> State:
        round, mu = received.round, self.settings["mu"]
        G = round.scatter(state["G"], round.gather(state["G"]) + mu * received.updates)
        mean = array_namespace(G).mean(G, axis=1)
        return {"x": state["x"] - received.aggregate - mean / mu, "G": G}
