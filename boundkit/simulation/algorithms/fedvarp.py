"""FedVARP and ClusterFedVARP (Jhunjhunwala, Sharma, Nagarkatti, Joshi, arXiv 2207.14130).

The server stores y_k for each cluster C_k of clients, initially 0. With Delta_i = x - y_i after tau_i plain
local steps,

v = mean_S (Delta_i - y_k(i)) + (1/m) sum_j y_k(j)        over all m clients, with the old y
x <- x - eta_s v
y_k <- mean of Delta_i over participating clients of C_k  where there are any

FedVARP is the case of one client a cluster. Means are plain, for any p. The paper divides Delta_i by
tau eta and multiplies v by it again; for constant tau and eta that is the same. A client sampled twice counts
twice in both means. An empty round changes nothing.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    EqualWeights,
    Received,
    Round,
    ServerOracle,
    State,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace, as_like, to_device


class FedVARP(EqualWeights):
    """FedVARP; ``clusters`` null (each client its own), or lists of clients, each client in one."""

    name = "fedvarp"
    reference = "arXiv 2207.14130, FedVARP"
    options: ClassVar[dict[str, Any]] = {"clusters": None}
    stateless = False

    def check_run(self, local_steps: Clients, clients: int) -> None:
        given = self.settings["clusters"]
        if given is None:
            return
        members = _members(given)
        if members is None or sorted(members) != list(range(clients)):
            raise BoundkitError(
                f"the option clusters of {self.name} must be lists of clients in which each of "
                f"0 to {clients - 1} stands once, but it is {reprlib.repr(given)}."
            )

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "y": zero_client_state(x0, len(self._sizes(oracle.m)))}

    def server_step(self, state: State, received: Received) -> State:
        xp, y, round = array_namespace(state["y"]), state["y"], received.round
        sizes = as_like(self._sizes(round.m), y)
        stored_mean = xp.sum(sizes[:, None] * y, axis=1) / round.m
        clusters = replace(round, clients=self._clusters(round.m)[round.clients])
        old = xp.sum(round.weights[..., None] * clusters.gather(y), axis=1)
        v = received.aggregate - old + stored_mean
        x = state["x"] - round.eta_s * v
        if len(sizes) == round.m:
            return {"x": x, "y": clusters.scatter(y, received.updates)}
        return {"x": x, "y": self._means(y, received.updates, clusters)}

    @staticmethod
    def _means(y: AnyArray, updates: AnyArray, clusters: Round) -> AnyArray:
        """The mean update of the participating clients of each cluster, (R, K, d); y where there are none."""
        xp, members = array_namespace(y), np.arange(y.shape[1])[:, None] == clusters.clients[..., None, :]
        counts = members * clusters.participation_counts[..., None, :]
        total = counts.sum(axis=-1, keepdims=True)
        means = as_like(counts, y) @ updates / as_like(np.maximum(total, 1), y)
        return xp.where(to_device(total > 0, y), means, y)

    def _clusters(self, m: int) -> Clients:
        """The cluster of each client, (m,)."""
        clusters = np.arange(m)
        for k, cluster in enumerate(self.settings["clusters"] or ()):
            clusters[list(cluster)] = k
        return clusters

    def _sizes(self, m: int) -> list[int]:
        """The number of clients of each cluster."""
        given = self.settings["clusters"]
        return [1] * m if given is None else [len(cluster) for cluster in given]


class ClusterFedVARP(FedVARP):
    """FedVARP with one stored update a cluster: with one cluster, FedAvg with plain means."""

    name = "clusterfedvarp"
    reference = "arXiv 2207.14130, ClusterFedVARP"
    free_options = frozenset({"clusters"})  # symbols of the theorems


def _members(clusters: Any) -> list[int] | None:
    """The clients of all clusters in one list; None unless the argument is lists of clients."""
    if not _is_list(clusters) or not all(_is_list(cluster) and len(cluster) for cluster in clusters):
        return None
    members = [i for cluster in clusters for i in cluster]
    whole = all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in members)
    return members if whole else None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
