"""Products with one matrix per client, grouped so that each matrix is read once a round.

Replicas that sampled the same client share its matrix. Sorted by client, the pairs make a few products of
several rows each; pair by pair, the matrix would be read from memory once per row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

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

_BYTES = 2**20
"""Bytes of the matrices that are used for all their products before the next: about half a cache."""
Span: TypeAlias = tuple[int, int, int]
"""A client, and the first of its rows and the first after them."""


class PairsByClient:
    """The pairs (replica, client) of one round, sorted by client: ``spans`` has one span a client."""

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


class ClientAxes:
    """The clients' own axes Q_i, (m, d, d) with the axes as columns."""

    def __init__(self, basis: Array, like: AnyArray) -> None:
        there = as_like(basis, like)
        self._gpu = on_gpu(there)
        self._into = list(there if self._gpu else to_numpy(there))
        self._back = [Q.T for Q in self._into]

    def into(self, vectors: AnyArray, pairs: PairsByClient) -> AnyArray:
        """Q_i' v for each pair, (R, n, d)."""
        return pairs.restore(self._product(pairs.sort(vectors), self._into, pairs.spans), vectors.shape)

    def back(self, vectors: AnyArray, pairs: PairsByClient) -> AnyArray:
        """Q_i v for each pair, (R, n, d)."""
        return pairs.restore(self._product(pairs.sort(vectors), self._back, pairs.spans), vectors.shape)

    def around(
        self, shift: AnyArray, moves: Sequence[tuple[AnyArray, AnyArray]], pairs: PairsByClient
    ) -> AnyArray:
        """Q_i (shift + sum_k G_ik * Q_i' s_k) for each pair.

        ``shift``: (R, n, d). ``moves``: scales G_k (m, d) and state arrays s_k (R, d).
        """
        own = pairs.sort(shift)
        scaled = [(G[pairs.clients], s[pairs.replica]) for G, s in moves]
        result = array_namespace(own).empty_like(own)
        for spans in self._blocks(pairs.spans):
            rows = slice(spans[0][1], spans[-1][2])
            for G, s in scaled:
                turned = self._product(s[rows], self._into, spans)
                turned *= G[rows]
                own[rows] += turned
            self._product(own[rows], self._back, spans, result[rows])
        return pairs.restore(result, shift.shape)

    def _blocks(self, spans: list[Span]) -> Iterator[list[Span]]:
        """The spans of so many clients at a time that their matrices stay in a cache."""
        number = len(spans) if self._gpu else max(1, _BYTES // max(self._into[0].nbytes, 1))
        for at in range(0, len(spans), number):
            yield spans[at : at + number]

    def _product(
        self, rows: AnyArray, matrices: Sequence[Any], spans: list[Span], result: AnyArray | None = None
    ) -> AnyArray:
        """Each row, (P, d) sorted by client, times the matrix of its client; the spans may begin later."""
        if result is None:
            result = array_namespace(rows).empty_like(rows)
        dot: Any = np.dot  # for small products on a CPU numpy takes a third of torch's time
        v, out = (rows, result) if self._gpu else (to_numpy(rows), to_numpy(result))
        if self._gpu:
            import torch

            dot = torch.mm
        first = spans[0][1]
        for i, a, b in spans:
            dot(v[a - first : b - first], matrices[i], out=out[a - first : b - first])
        return result
