"""Gradients of parts: each client passes over its B parts in an order reshuffled for each pass.

A round begins with a new pass. The orders of all clients are drawn, independently of participation, so that
the draws of a replica depend only on its own streams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import Clients
from boundkit.simulation.problems.base import Array, Problem
from boundkit.simulation.random_streams import Streams

if TYPE_CHECKING:
    import torch


def refuse_parts(problem: Problem) -> None:
    """Raise BoundkitError for clients with parts: the noise of a round's steps is then not independent."""
    if problem.parts is not None:
        raise BoundkitError(
            "clients go over shuffled parts of their data, which the step engine alone can run."
        )


class ShuffledParts:
    """The offsets g_ib of one round, for ``steps`` gradients of ``clients``, (n,) or (R, n)."""

    def __init__(
        self, parts: Array, clients: Clients, steps: int, streams: Streams, like: torch.Tensor
    ) -> None:
        import torch

        self.parts = torch.as_tensor(parts, dtype=like.dtype, device=like.device)
        self.clients, self.steps, self.at = clients, steps, 0
        m, B, _ = parts.shape
        # the order of B independent normals is uniform among all orders
        self.order = np.argsort(streams.normal(-(-steps // B), m, B), axis=-1)

    def gradient(self, exact: Callable[[torch.Tensor], torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        """The exact gradient and the offset of the part."""
        return exact(y) + self.next()

    def next(self) -> torch.Tensor:
        """The offsets of the next gradient, (R, n, d).

        Raises BoundkitError for a gradient that does not belong to a local step.
        """
        if self.at == self.steps:
            raise BoundkitError(
                "parts are visited in local steps, and the algorithm takes a stochastic gradient elsewhere."
            )
        turn, k = divmod(self.at, self.order.shape[-1])
        self.at += 1
        chosen = self.order[:, turn, :, k]
        if self.clients.ndim == 1:
            chosen = chosen[:, self.clients]
        else:
            chosen = np.take_along_axis(chosen, self.clients, axis=1)
        offsets: torch.Tensor = self.parts[np.broadcast_to(self.clients, chosen.shape).copy(), chosen]
        return offsets

    def spend(self) -> None:
        """Do nothing: all orders were drawn at once."""
