"""FedAvg with Byzantine clients and a robust server (Yin, Chen, Ramchandran, Bartlett, arXiv 1803.01498).

The clients of the problem are the honest ones, and F is their mean. Each of ``byzantine`` further clients
sends any update it likes in every round. The server steps along an aggregate of all updates, by coordinate:

trimmed_mean   the mean without the ``byzantine`` largest and the ``byzantine`` smallest values; the default
median         the middle value, or the mean of the two middle ones
mean           the mean, which is not robust

x <- x - eta_s A({x - y_i} and the Byzantine updates). A round with at most ``byzantine`` honest clients
changes nothing.

``aggregator``  one of those
``byzantine``   f, a whole number, at least 0; default 1
``attack``      largest: in each coordinate the largest honest update, which trimmed mean and median do
                not tell from a larger value; opposite: minus the mean of the honest updates
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import (
    EqualWeights,
    Received,
    State,
    choice_option,
    count_option,
)
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like

AGGREGATORS = ("trimmed_mean", "median", "mean")
ATTACKS = ("largest", "opposite")


class RobustFedAvg(EqualWeights):
    """Local SGD steps of the honest clients, and a coordinate-wise aggregate of all updates."""

    name = "robust_fedavg"
    reference = "arXiv 1803.01498, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"aggregator": "trimmed_mean", "byzantine": 1, "attack": "largest"}
    free_options = frozenset(options)  # the theorems have a symbol for the coefficient of the aggregator
    affine = False
    stateless = False

    def check_options(self) -> None:
        choice_option(self, "aggregator", AGGREGATORS)
        choice_option(self, "attack", ATTACKS)
        count_option(self, "byzantine", least=0)

    def server_step(self, state: State, received: Received) -> State:
        u, round, f = received.updates, received.round, int(self.settings["byzantine"])
        xp = array_namespace(u)
        here = xp.broadcast_to((round.weights > 0)[..., None], u.shape)
        if self.settings["attack"] == "largest":
            sent = xp.max(xp.where(here, u, -xp.inf), axis=1, keepdims=True)
        else:
            sent = -round.average(u)[:, None, :]
        rows = xp.broadcast_to(sent, (u.shape[0], f, u.shape[2]))
        ordered = xp.sort(xp.concat([xp.where(here, u, xp.inf), rows], axis=1), axis=1)
        honest = np.broadcast_to(
            (round.participation_counts > 0).sum(axis=-1, keepdims=True), (u.shape[0], 1)
        )
        share = as_like(self._shares(honest, u.shape[1] + f), u)[..., None]
        aggregate = xp.sum(xp.where(share > 0, share * xp.where(share > 0, ordered, 0.0), 0.0), axis=1)
        return {**state, "x": state["x"] - round.eta_s * aggregate}

    def _shares(self, honest: Array, length: int) -> AnyArray:
        """The weight of each ordered value, (R, length), for (R, 1) honest clients; the last are absent."""
        f, rank, total = (
            int(self.settings["byzantine"]),
            np.arange(length),
            honest + self.settings["byzantine"],
        )
        first, end = {
            "trimmed_mean": (0 * total + f, total - f),
            "median": ((total - 1) // 2, total // 2 + 1),
            "mean": (0 * total, total),
        }[self.settings["aggregator"]]
        chosen = (rank >= first) & (rank < end) & (honest > f)
        return np.asarray(chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1))
