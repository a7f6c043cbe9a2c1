"""Products with one matrix per client, grouped so that each matrix is read once a round.

Replicas that sampled the same client share its matrix. Sorted by client, the pairs make a few products of
several rows each; pair by pair, the matrix would be read from memory once per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import Clients

if TYPE_CHECKING:
    import torch


class Grouped:
    """The pairs (replica, client) of one round, sorted by client: ``spans`` has (client, from, to)."""

    def __init__(self, clients: Clients, replicas: int, device: str) -> None:
        import torch

        flat = np.broadcast_to(clients, (replicas, clients.shape[-1])).ravel()
        order = np.argsort(flat, kind="stable")
        present, starts = np.unique(flat[order], return_index=True)
        ends = [*starts[1:].tolist(), flat.size]
        self.spans = list(zip(present.tolist(), starts.tolist(), ends, strict=True))
        self.order = torch.as_tensor(order, device=device)
        self.replica = self.order // clients.shape[-1]

    def sort(self, pairs: torch.Tensor) -> torch.Tensor:
        """(R, n, d) as rows sorted by client."""
        return pairs.reshape(-1, pairs.shape[-1])[self.order]

    def restore(self, rows: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        """Rows sorted by client as (R, n, d)."""
        import torch

        return torch.empty_like(rows).index_copy_(0, self.order, rows).reshape(*shape)


class Axes:
    """The clients' own axes Q_i, at the precision and on the device of a run."""

    def __init__(self, basis: NDArray[np.float64], dtype: torch.dtype, device: str) -> None:
        import torch

        there = torch.as_tensor(basis, dtype=dtype, device=device).contiguous()
        back = there.swapaxes(-1, -2).contiguous()
        # for small products on a CPU numpy takes a third of torch's time
        self._array: Any = torch.Tensor.numpy if device == "cpu" else lambda t: t
        self._dot: Any = np.dot if device == "cpu" else torch.mm
        self._into: Any = self._array(there)
        self._back: Any = self._array(back)

    def into(self, vectors: torch.Tensor, pairs: Grouped) -> torch.Tensor:
        """Q_i' v for each pair, (R, n, d)."""
        return self._product(vectors, self._into, pairs)

    def back(self, vectors: torch.Tensor, pairs: Grouped) -> torch.Tensor:
        """Q_i v for each pair, (R, n, d)."""
        return self._product(vectors, self._back, pairs)

    def around(
        self, shift: torch.Tensor, moves: Sequence[tuple[torch.Tensor, torch.Tensor]], pairs: Grouped
    ) -> torch.Tensor:
        """Q_i (shift + sum_k G_ik * Q_i' s_k) for each pair, in one pass over the clients' axes.

        ``shift``: (R, n, d). ``moves``: scales G_k (m, d) and state tensors s_k (R, d).
        """
        import torch

        rows = pairs.sort(shift)
        out = torch.empty_like(rows)
        z, u = self._array(rows), self._array(out)
        scaled = [(self._array(G), self._array(s[pairs.replica])) for G, s in moves]
        for i, a, b in pairs.spans:
            turned, part = z[a:b], u[a:b]
            for G, s in scaled:
                self._dot(s[a:b], self._into[i], out=part)
                part *= G[i]
                turned += part
            self._dot(turned, self._back[i], out=part)
        return pairs.restore(out, shift.shape)

    def _product(self, vectors: torch.Tensor, matrices: Any, pairs: Grouped) -> torch.Tensor:
        import torch

        rows = pairs.sort(vectors)
        out = torch.empty_like(rows)
        v, u = self._array(rows), self._array(out)
        for i, a, b in pairs.spans:
            self._dot(v[a:b], matrices[i], out=u[a:b])
        return pairs.restore(out, vectors.shape)
