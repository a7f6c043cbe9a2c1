"""DANE with one solver and a proximal term (Shamir, Srebro, Zhang, arXiv 1312.7853).

The participating clients send their gradients at x. One of them, the solver, returns

    y = argmin F_1(y) - <g_1(x) - sum_S w_j g_j(x), y> + (mu/2) ||y - x||^2,

which is x <- x - eta_s (x - y). In a round without the solver x stays.

``mu``      the weight of the proximal term, above 0; 1 by default. The theorem needs the distance of the
            Hessians of F_1 and F at least
``solver``  the client that solves, counted from 0; 0 by default

Quadratics only. The paper has all clients solve, and takes the mean.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Received,
    Round,
    State,
    number_option,
    received_model,
)
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace, as_like


class Dane(Algorithm):
    """One client's exact minimiser, with the mean gradient in place of its own; local_steps must be 1."""

    name = "dane"
    reference = "arXiv 1312.7853"
    options: ClassVar[dict[str, Any]] = {"mu": 1.0, "solver": 0}
    free_options = frozenset(options)  # the theorem has a symbol for the weight
    stateless = False  # the update depends on the other clients' gradients

    def check_options(self) -> None:
        number_option(self, "mu", 0, float("inf"))
        if self.settings["mu"] == 0:
            raise BoundkitError("the option mu of dane must be above 0.")
        solver = self.settings["solver"]
        if isinstance(solver, bool) or not isinstance(solver, int) or solver < 0:
            raise BoundkitError(f"the option solver of dane must be a client, but it is {solver!r}.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if (local_steps != 1).any():
            raise BoundkitError(
                "dane has an exact minimiser in place of local steps, so local_steps must be 1, "
                f"but it is {local_steps.max()}."
            )
        if self.settings["solver"] >= clients:
            raise BoundkitError(f"the option solver of dane must be a client, 0 to {clients - 1}.")

    @property
    def linear_steps(self) -> bool:
        return False

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x, mu = received_model(state, round), self.settings["mu"]
        own = oracle.gradient(x)
        return {"y": oracle.proximal(x + (own - round.average(own)[:, None, :]) / mu, mu)}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return local

    def server_step(self, state: State, received: Received) -> State:
        u, round = received.updates, received.round
        solves = (round.clients == self.settings["solver"]) & (round.participation_counts > 0)
        chosen = as_like(np.asarray(solves, dtype=np.float64), u)[..., None]
        step = array_namespace(u).sum(chosen * u, axis=1)
        return {**state, "x": state["x"] - round.eta_s * step}
