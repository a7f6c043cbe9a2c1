"""Decentralised local SGD (Koloskova, Loizou, Boreiri, Jaggi, Stich, arXiv 2003.10422, Algorithm 1).

There is no server. Every client has a model x_i, initially x_0. In a round the participating clients take
tau_i plain steps from x_i, to y_i, and average with their participating neighbours:

    x_i <- y_i + sum_S W_ij (y_j - y_i)

with W symmetric and doubly stochastic; the others keep x_i. The model x that is observed is the mean of all
x_i; the mean of the local models is observed at every local step, too. eta_s has no effect.

``matrix``  W, m lists of m numbers of at least 0; by default all clients are neighbours:
``mixing``  the second eigenvalue of W where no matrix is given: the part of x_i - x that a round keeps, from
            0, which is local SGD, up to 1; 0.5 by default
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

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
    copies,
    number_option,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like

_ROUNDING = 1e-9


class GossipSGD(EqualWeights):
    """Local steps on models of each client's own, and averages with the neighbours."""

    name = "gossip_sgd"
    reference = "arXiv 2003.10422, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"matrix": None, "mixing": 0.5}
    free_options = frozenset(options)  # the theorem has a symbol for the second eigenvalue
    stateless = False
    virtual = True

    def check_options(self) -> None:
        number_option(self, "mixing", 0, 1)

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if self.settings["matrix"] is None:
            return
        try:
            W = np.array(self.settings["matrix"], dtype=np.float64)
        except (TypeError, ValueError):
            W = np.zeros(0)
        stochastic = W.shape == (clients, clients) and bool((W >= 0).all())
        if not stochastic or max(np.abs(W - W.T).max(), np.abs(W.sum(axis=1) - 1).max()) > _ROUNDING:
            raise BoundkitError(
                f"the option matrix of gossip_sgd must be symmetric, {clients} by {clients}, of numbers of "
                "at least 0 whose rows sum to 1."
            )

    def gossip_matrix(self, clients: int) -> Array:
        """W, (m, m)."""
        if self.settings["matrix"] is not None:
            return np.array(self.settings["matrix"], dtype=np.float64)
        kept = float(self.settings["mixing"])
        return np.asarray((1 - kept) / clients + kept * np.eye(clients))

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "models": copies(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": round.gather(state["models"])}

    def message(self, state: State, local: Local, round: Round) -> Message:
        return {"update": round.gather(state["models"]) - local["y"], "model": local["y"]}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        y = round.scatter(state["models"], received.sent["model"])
        xp = array_namespace(y)
        present = as_like(round.participates(len(y)), y)[..., None]
        W = as_like(self.gossip_matrix(y.shape[1]), y)
        models = y + present * (W @ (present * y) - (W @ present) * y)
        return {"x": xp.mean(models, axis=1), "models": models}
