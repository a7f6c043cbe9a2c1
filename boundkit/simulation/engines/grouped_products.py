"""Products with one matrix per client, grouped so that each matrix is read once a round.

Replicas that sampled the same client share its matrix. Sorted by client, the pairs make a few products of
several rows each; pair by pair, the matrix would be read from memory once per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.simulation.arrays import (
    AnyArray,
    Array,
    Clients,
    array_namespace,
    as_like,
    on_gpu,
    to_device,
    to_numpy,
)


class Grouped:
    """The pairs (replica, client) of one round, sorted by client: ``spans`` has (client, from, to)."""

    def __init__(self, clients: Clients, replicas: int, like: AnyArray) -> None:
        flat = np.broadcast_to(clients, (replicas, clients.shape[-1])).ravel()
        order = np.argsort(flat, kind="stable")
        self.clients = flat[order]
        starts = [0, *(np.flatnonzero(np.diff(self.clients)) + 1).tolist()]
        ends = [*starts[1:], flat.size]
        self.spans = list(zip(self.clients[starts].tolist(), starts, ends, strict=True))
        self.order = to_device(order, like)
        self.replica = self.order // clients.shape[-1]

    def sort(self, pairs: AnyArray) -> AnyArray:
        """(R, n, d) as rows sorted by client."""
        return pairs.reshape(-1, pairs.shape[-1])[self.order]

    def restore(self, rows: AnyArray, shape: Sequence[int]) -> AnyArray:
        """Rows sorted by client as (R, n, d)."""
        out = array_namespace(rows).empty_like(rows)
        out[self.order] = rows
        return out.reshape(*shape)


class Axes:
    """The clients' own axes Q_i, (m, d, d) with the axes as columns."""

    def __init__(self, basis: Array, like: AnyArray) -> None:
        there = as_like(basis, like)
        self._gpu = on_gpu(there)
        self._into = list(there if self._gpu else to_numpy(there))
        self._back = [Q.T for Q in self._into]

    def into(self, vectors: AnyArray, pairs: Grouped) -> AnyArray:
        """Q_i' v for each pair, (R, n, d)."""
        return pairs.restore(self._product(pairs.sort(vectors), self._into, pairs), vectors.shape)

    def back(self, vectors: AnyArray, pairs: Grouped) -> AnyArray:
        """Q_i v for each pair, (R, n, d)."""
        return pairs.restore(self._product(pairs.sort(vectors), self._back, pairs), vectors.shape)

    def around(self, shift: AnyArray, moves: Sequence[tuple[AnyArray, AnyArray]], pairs: Grouped) -> AnyArray:
        """Q_i (shift + sum_k G_ik * Q_i' s_k) for each pair.

        ``shift``: (R, n, d). ``moves``: scales G_k (m, d) and state arrays s_k (R, d).
        """
        own = pairs.sort(shift)
        for G, s in moves:
            turned = self._product(s[pairs.replica], self._into, pairs)
            turned *= G[pairs.clients]
            own += turned
        return pairs.restore(self._product(own, self._back, pairs), shift.shape)

    def _product(self, rows: AnyArray, matrices: Sequence[Any], pairs: Grouped) -> AnyArray:
        """Each row, (P, d) sorted by client, times the matrix of its client."""
        result = array_namespace(rows).empty_like(rows)
        dot: Any = np.dot  # for small products on a CPU numpy takes a third of torch's time
        v, out = (rows, result) if self._gpu else (to_numpy(rows), to_numpy(result))
        if self._gpu:
            import torch

            dot = torch.mm
        for i, a, b in pairs.spans:
            dot(v[a:b], matrices[i], out=out[a:b])
        return result
