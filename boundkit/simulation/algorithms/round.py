"""One round of an algorithm: participating clients, their step counts, step sizes and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boundkit.simulation.arrays import Array, Clients

if TYPE_CHECKING:
    import torch


def is_constant(rates: Array) -> bool:
    """Whether all local steps of a round have one step size, as in the views that ``Run.rates`` gives."""
    return rates.strides == (0,) or bool(np.ptp(rates) == 0)


@dataclass(frozen=True)
class Round:
    """Round t of R replicas with n clients in each (or as many as the fullest replica has).

    ``clients``, ``counts``, ``steps``: (n,) where all replicas agree, else (R, n). ``counts``: participation
    counts, 0 for padding; None where all are 1. ``weights``: the server's weight of each client, a tensor of
    that shape, 0 for absent clients. ``rates``: eta of each local step.
    """

    t: int
    m: int
    clients: Clients
    counts: Clients | None
    steps: Clients
    weights: torch.Tensor
    rates: Array
    eta_s: float

    @property
    def eta(self) -> float:
        """The step size of the first local step."""
        return float(self.rates[0])

    @property
    def step_size_sums(self) -> torch.Tensor:
        """The sum of the step sizes of each client's local steps, tau_i eta if constant: (n,) or (R, n)."""
        if is_constant(self.rates):
            return self.weights.new_tensor(self.eta * self.steps)
        return self.weights.new_tensor(np.cumsum(self.rates)[self.steps - 1])

    @property
    def participation_counts(self) -> torch.Tensor:
        """Participation counts as a tensor: (n,) or (R, n)."""
        counts = np.ones(self.clients.shape) if self.counts is None else self.counts.astype(np.float64)
        return self.weights.new_tensor(counts)

    @property
    def size(self) -> torch.Tensor:
        """The number of participating clients: (1,) or (R, 1)."""
        return self.participation_counts.sum(dim=-1, keepdim=True)

    def mean(self, values: torch.Tensor) -> torch.Tensor:
        """The plain mean over participating clients: (R, n, d) to (R, d); 0 in an empty round."""
        share = self.participation_counts / self.size.clamp(min=1)
        return (share[..., None] * values).sum(dim=-2)

    def average(self, values: torch.Tensor) -> torch.Tensor:
        """The mean by the server's weights: (R, n, d) to (R, d); 0 where all weights are 0."""
        total = self.weights.sum(dim=-1, keepdim=True)
        share = self.weights / total.where(total != 0, total.new_ones(1))
        return (share[..., None] * values).sum(dim=-2)

    def participates(self, replicas: int) -> torch.Tensor:
        """Whether each of all clients participates, (R, m)."""
        import torch

        none = torch.zeros(replicas, self.m, dtype=torch.bool, device=self.weights.device)
        return self.scatter(none, (self.participation_counts > 0).expand(replicas, -1))

    def gather(self, stored: torch.Tensor) -> torch.Tensor:
        """The client state of the round's clients: (R, m, ...) to (R, n, ...)."""
        if self.clients.ndim == 1:
            return stored[:, self.clients]
        return stored.gather(1, self._index(stored))

    def scatter(self, stored: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """The client state with the round's new values: (R, m, ...) and (R, n, ...) to (R, m, ...)."""
        import torch

        values = values.expand(stored.shape[0], *values.shape[1:])
        if self.counts is not None:
            participating = self.participation_counts > 0
            participating = participating.reshape(*participating.shape, *(1,) * (values.ndim - 2))
            values = torch.where(participating, values, self.gather(stored))
        after = stored.clone()
        if self.clients.ndim == 1:
            after[:, self.clients] = values
            return after
        return after.scatter_(1, self._index(stored), values)

    def _index(self, stored: torch.Tensor) -> torch.Tensor:
        import torch

        index = torch.as_tensor(self.clients, device=stored.device)
        trailing = stored.shape[2:]
        return index.reshape(*index.shape, *(1,) * len(trailing)).expand(*index.shape, *trailing)


@dataclass(frozen=True)
class ClientOracle:
    """A client's oracle for its own loss during a round; all on (R, n, d).

    ``gradient(y)``: a stochastic gradient, with fresh noise at every call. ``proximal(x, mu)``: the exact
    minimiser of F_i(y) + mu/2 ||y - x||^2, on quadratics.
    """

    gradient: Callable[[torch.Tensor], torch.Tensor]
    proximal: Callable[[torch.Tensor, float], torch.Tensor]


@dataclass(frozen=True)
class ServerOracle:
    """The server's oracle before the first round and between rounds.

    ``gradients(y)``: a stochastic gradient of every client, (R, m, d) to (R, m, d), with fresh noise at
    every call. ``excess(x)``: F(x) - F_inf, (R, d) to (R,). ``m``: clients; ``p``: their weights, (m,).
    """

    m: int
    p: Array
    gradients: Callable[[torch.Tensor], torch.Tensor]
    excess: Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Received:
    """The clients' messages to the server: ``sent["update"]`` is each client's x - y, (R, n, d)."""

    sent: dict[str, torch.Tensor]
    round: Round

    @property
    def updates(self) -> torch.Tensor:
        """Each client's x - y, (R, n, d)."""
        return self.sent["update"]

    @property
    def aggregate(self) -> torch.Tensor:
        """The weighted sum of the updates, (R, d)."""
        if self.updates.is_cuda:  # in one pass
            w = self.round.weights.expand(self.updates.shape[:2])
            return (w[:, None, :] @ self.updates)[:, 0]
        return (self.round.weights[..., None] * self.updates).sum(dim=-2)


@dataclass(frozen=True)
class WeightInputs:
    """The participating clients, as arguments of the weights; every array (..., n).

    ``p``: weights of the objective. ``counts``: participation counts. ``expected_counts``: their means, None
    where they are unknown. ``steps``: local steps. ``m``: all clients.
    """

    p: Array
    counts: Array
    steps: Clients
    m: int
    rates: Array
    expected_counts: Array | None = None

    def normalised(self, values: Any) -> Array:
        """values_i counts_i over their sum; 0 where the sum is 0."""
        mass = np.asarray(values * self.counts, dtype=np.float64)
        total = mass.sum(axis=-1, keepdims=True)
        return np.asarray(np.divide(mass, total, out=np.zeros_like(mass), where=total > 0))
