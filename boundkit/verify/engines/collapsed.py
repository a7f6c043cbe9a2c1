"""The collapsed engine: tau local steps as one affine map with one draw of noise, exact in law.

The server's iterates have exactly the law of the step engine's, for one matrix product a client and
round however many local steps there are. Only what happens inside a round is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.verify.algorithms import State
from boundkit.verify.engines.affine import AffineRun
from boundkit.verify.engines.sampled import Sampled
from boundkit.verify.participation import Clients
from boundkit.verify.run import Run
from boundkit.verify.streams import Streams

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]


class Collapsed(Sampled):
    """Affine client maps on batches of replicas.

    Raises BoundkitError where the problem is not quadratic.
    """

    name = "collapsed"

    def __init__(
        self, run: Run, replicas: int = 1, dtype: str = "float64", device: str = "cpu", chunk: int | None = None
    ) -> None:
        super().__init__(run, replicas, dtype, device, chunk)
        self.chunk = chunk or min(replicas, max(self.chunk, 256))
        self.affine = AffineRun(run)
        self._rows: dict[bytes, torch.Tensor] = {}

    def round(self, t: int, state: State, clients: Clients, streams: Streams) -> State:
        import torch

        steps = self.run.steps(t)
        kind = np.float64 if self.dtype == torch.float64 else np.float32
        noisy = self.run.problem.noise > 0
        z = streams.normal(clients.shape[-1], self.run.problem.d, dtype=kind) if noisy else None
        noise = None if z is None else torch.as_tensor(z, device=self.device)
        send = self._send_diagonal if self.affine.diagonal else self._send_dense
        return self.receive(state, send(self._maps(steps), state, clients, noise), clients)

    def _maps(self, steps: NDArray[np.intp]) -> torch.Tensor:
        """[G | g | noise factor] of every client, the rows that multiply (state, 1, z).

        Diagonal: (m, d, s + 2). Dense: (m, s + 1 + d, d), transposed for row vectors.
        """
        import torch

        key = steps.tobytes()
        if key not in self._rows:
            maps = self.affine.clients(steps)
            # uncentred: the states here are the models themselves
            g = maps.g - (maps.G @ self.affine.centre[..., None])[..., 0]
            joined = np.concatenate([maps.G, g[..., None], _factor(maps.N)], axis=-1)
            rows = joined[..., 0, :] if self.affine.diagonal else np.swapaxes(joined, -1, -2)
            self._rows[key] = torch.as_tensor(np.ascontiguousarray(rows), dtype=self.dtype, device=self.device)
        return self._rows[key]

    def _send_diagonal(
        self, maps: torch.Tensor, state: State, clients: Clients, noise: torch.Tensor | None
    ) -> torch.Tensor:
        rows = maps[clients]
        names = self.affine.names
        sent = rows[..., len(names)]
        for k, name in enumerate(names):
            sent = sent + rows[..., k] * state[name][:, None, :]
        return sent if noise is None else sent + rows[..., len(names) + 1] * noise

    def _send_dense(
        self, maps: torch.Tensor, state: State, clients: Clients, noise: torch.Tensor | None
    ) -> torch.Tensor:
        import torch

        s = torch.cat([state[name] for name in self.affine.names], dim=1)
        R, n, d = s.shape[0], clients.shape[-1], self.run.problem.d
        ones = s.new_ones(R, 1)
        if noise is None:
            maps, noise = maps[:, : s.shape[1] + 1], s.new_zeros(R, n, 0)
        rows = torch.cat([s, ones], dim=1)
        out = s.new_empty(R * n, d)
        flat = np.broadcast_to(clients, (R, n)).ravel()
        order = np.argsort(flat, kind="stable")
        present, starts = np.unique(flat[order], return_index=True)
        pairs = torch.as_tensor(order, device=s.device)
        inputs = torch.cat([rows[pairs // n], noise.reshape(R * n, -1)[pairs]], dim=1)
        ends = [*starts[1:], R * n]
        for i, a, b in zip(present.tolist(), starts.tolist(), ends, strict=True):
            torch.mm(inputs[a:b], maps[i], out=out[a:b])
        result = torch.empty_like(out)
        result[pairs] = out
        return result.reshape(R, n, d)


def _factor(N: Array) -> Array:
    """L with L L' = N, for covariances N (..., o, o)."""
    if N.shape[-1] == 1:
        return np.sqrt(np.maximum(N, 0))
    try:
        return np.linalg.cholesky(N)
    except np.linalg.LinAlgError:  # semidefinite, as without noise
        values, vectors = np.linalg.eigh(N)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0))[..., None, :])
