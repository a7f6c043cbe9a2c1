"""Scaffnew, or ProxSkip (Mishchenko, Malinovsky, Stich, Richtarik, arXiv 2202.09357, Algorithm 2).

A round is one iteration. Every client has a model x_i, initially x_0, and a shift u_i, initially 0:

    y_i = x_i - eta g_i(x_i) + u_i                               every client, in every round
    u_i <- u_i + exchange (y - y_i),  x_i <- y,  y = mean_S y_i  the clients S that participate
    x_i <- y_i                                                   all others

The paper's control is h_i = u_i/eta, at its fixed eta. Participation ``together`` is its common coin: all
clients exchange their models, or none does. The server's model x is the mean of all x_i. The sum of the u_i
stays 0; eta_s has no effect.

``exchange``: the probability that a client exchanges its model, that of the participation; 1 by default.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    copies,
    number_option,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, to_device


class Scaffnew(Algorithm):
    """Local gradient steps with controls, and exchanges at random; local_steps must be 1."""

    name = "scaffnew"
    reference = "arXiv 2202.09357, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"exchange": 1.0}
    free_options = frozenset({"exchange"})  # the theorem has a symbol for it
    stateless = False
    adds_clients = True

    def check_options(self) -> None:
        number_option(self, "exchange", 0, 1, closed=True)
        if self.settings["exchange"] == 0:
            raise BoundkitError("the option exchange of scaffnew is a probability above 0.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if (local_steps != 1).any():
            raise BoundkitError(
                "a round of scaffnew is one local step, so local_steps must be 1, "
                f"but it is {local_steps.max()}; the mean number of steps between exchanges is 1/exchange."
            )

    def participation_counts(self, state: State, sampled: Clients) -> Clients:
        """1 for a client that takes a step, 2 for one that exchanges its model as well."""
        return np.where(sampled > 0, 2, 1)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "models": copies(x0, oracle.m), "shifts": zero_client_state(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": round.gather(state["models"]), "correction": -round.gather(state["shifts"]) / round.eta}

    def message(self, state: State, local: Local, round: Round) -> Message:
        return {"update": round.gather(state["models"]) - local["y"], "model": local["y"]}

    def weights(self, inputs: WeightInputs) -> Array:
        exchanges = inputs.counts > 1
        return np.asarray(exchanges / np.maximum(exchanges.sum(axis=-1, keepdims=True), 1))

    def weight_dependence(self, equal: bool) -> str:
        return "all"

    def server_step(self, state: State, received: Received) -> State:
        round, y = received.round, received.sent["model"]
        xp, counts = array_namespace(y), round.participation_counts
        exchanges = to_device(np.broadcast_to(counts > 1, y.shape[:2]), y)[..., None]
        mean = round.average(y)[:, None, :]
        shift = xp.where(exchanges, self.settings["exchange"] * (mean - y), 0.0)
        models = round.scatter(state["models"], xp.where(exchanges, mean, y))
        shifts = round.scatter(state["shifts"], round.gather(state["shifts"]) + shift)
        return {"x": xp.mean(models, axis=1), "models": models, "shifts": shifts}
