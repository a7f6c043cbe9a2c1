"""Stochastic gradients from mini-batches of the clients' own points.

A round's batches are drawn for the largest possible number of clients, independently of participation, so
that the draws of a replica depend only on its own streams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.participation import Clients
from boundkit.simulation.problems import Problem
from boundkit.simulation.random_streams import Streams

if TYPE_CHECKING:
    import torch

Rows = NDArray[np.intp]


class Minibatches:
    """The mini-batches of one round: ``steps`` announced gradients of ``clients``, (n,) or (R, n).

    ``index``: points, (R, n, steps, b); ``weights``: 1/b, or 0 for padding where a batch is smaller than b;
    None without padding. Gradients beyond those announced (at the server's model, for example) have their
    own batches.
    """

    def __init__(
        self, problem: Problem, clients: Clients, steps: int, columns: int, streams: Streams
    ) -> None:
        assert problem.batches is not None
        self.problem, self.sampling, self.columns, self.streams = problem, problem.batches, columns, streams
        self.clients = np.broadcast_to(clients, (streams.count, clients.shape[-1]))
        self.at, self.steps = 0, steps
        self.index: Rows | None = None
        self.weights: Any = None
        if steps:
            self.index, self.weights = self._drawn(steps)

    def gradient(self, exact: Callable[[torch.Tensor], torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        """The gradient at y, (R, n, d), on the next mini-batches."""
        if self.index is not None and self.at < self.steps:
            index = self.index[:, :, self.at]
            weights = None if self.weights is None else self.weights[:, :, self.at]
        else:
            fresh, its = self._drawn(1)
            index, weights = fresh[:, :, 0], None if its is None else its[:, :, 0]
        self.at += 1
        R, n, d = y.shape
        b = index.shape[-1]
        flat = self.problem.batch_gradient(
            y.reshape(-1, d), index.reshape(-1, b), None if weights is None else weights.reshape(-1, b)
        )
        return flat.reshape(R, n, d)

    def spend(self) -> None:
        """Do nothing: all announced batches were drawn at once."""

    def _drawn(self, steps: int) -> tuple[Rows, Any]:
        if self.sampling.shuffled:
            return self._in_passes(steps)
        kept, sizes = self.clients.shape[-1], self.sampling.sizes[self.clients]
        u = self.streams.batches(self.columns, steps, self.sampling.size)[:, :kept]
        u *= sizes[:, :, None, None]
        index = u.astype(np.intp)  # downwards; u < 1, but u n may round up to n
        np.minimum(index, sizes[:, :, None, None] - 1, out=index)
        index += self.sampling.offsets[self.clients][:, :, None, None]
        return index, None

    def _in_passes(self, steps: int) -> tuple[Rows, Any]:
        """Consecutive batches of passes over each client's data, each pass in a fresh random order.

        A client's passes lie consecutively: pass number + u, sorted, gives every pass in random order.
        """
        sampling, (R, kept) = self.sampling, self.clients.shape
        sizes, a_pass = (
            sampling.sizes[self.clients][..., None],
            sampling.batches_per_pass[self.clients][..., None],
        )
        length = steps * sampling.size + int(
            sampling.sizes.max()
        )  # whole passes of any client with its steps
        u = self.streams.batches(self.columns, length)[:, :kept]
        order = np.argsort(np.arange(length) // sizes + u, axis=-1)
        turn, at = np.divmod(np.arange(steps), a_pass)  # (R, n, steps)
        begin, place = (turn * sizes)[..., None], at[..., None] * sampling.size + np.arange(sampling.size)
        inside = place < sizes[..., None]
        drawn = (begin + np.where(inside, place, 0)).reshape(R, kept, -1)  # (R, n, steps b)
        index = np.take_along_axis(order, drawn, axis=-1).reshape(place.shape) - begin
        index += sampling.offsets[self.clients][..., None, None]
        if inside.all():
            return index, None
        return index, inside / inside.sum(axis=-1, keepdims=True)
