"""One round of an algorithm: participating clients, their step counts, step sizes and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from boundkit.simulation.arrays import (
    AnyArray,
    Array,
    Clients,
    array_namespace,
    as_like,
    device,
    to_device,
)


def is_constant(rates: Array) -> bool:
    """Whether all local steps of a round have one step size, as in the views that ``Run.rates`` gives."""
    return rates.strides == (0,) or bool(np.ptp(rates) == 0)


def replica_index(stored: AnyArray) -> AnyArray:
    """The indices of the replicas of an array (R, ...), as a column (R, 1)."""
    return _column(stored.shape[0], array_namespace(stored), device(stored))


@lru_cache(maxsize=16)
def _column(count: int, xp: Any, place: Any) -> AnyArray:
    return xp.arange(count, device=place)[:, None]


class Draws(Protocol):
    """Random numbers of an algorithm's own, of every replica from its own stream."""

    def uniform_of_clients(self, d: int) -> AnyArray:
        """Uniform numbers in [0, 1), d for each of the round's clients: (R, n, d)."""

    def normal(self, d: int) -> AnyArray:
        """Standard normal numbers, (R, d)."""


@dataclass(frozen=True)
class Round:
    """Round t of R replicas with n clients in each (or as many as the fullest replica has).

    ``clients``, ``counts``, ``steps``: (n,) where all replicas agree, else (R, n). ``counts``: participation
    counts, 0 for padding; None where all are 1. ``weights``: the server's weight of each client, an array
    of that shape, 0 for absent clients. ``rates``: eta of each local step. ``in_place``: whether client
    state may be overwritten, because the state before the round is not needed afterwards. ``draws``: given
    in simulated rounds of an algorithm that is ``random``.
    """

    t: int
    m: int
    clients: Clients
    counts: Clients | None
    steps: Clients
    weights: AnyArray
    rates: Array
    eta_s: float
    in_place: bool = False
    draws: Draws | None = None

    @property
    def eta(self) -> float:
        """The step size of the first local step."""
        return float(self.rates[0])

    @property
    def step_size_sums(self) -> AnyArray:
        """The sum of the step sizes of each client's local steps, tau_i eta if constant: (n,) or (R, n)."""
        if is_constant(self.rates):
            return as_like(self.eta * self.steps, self.weights)
        return as_like(np.cumsum(self.rates)[self.steps - 1], self.weights)

    @property
    def participation_counts(self) -> Clients:
        """Participation counts: (n,) or (R, n)."""
        return np.ones(self.clients.shape, dtype=np.intp) if self.counts is None else self.counts

    @property
    def size(self) -> Clients:
        """The number of participating clients: (1,) or (R, 1)."""
        return np.asarray(self.participation_counts.sum(axis=-1, keepdims=True))

    def mean(self, values: AnyArray) -> AnyArray:
        """The plain mean over participating clients: (R, n, d) to (R, d); 0 in an empty round."""
        share = as_like(self.participation_counts / np.maximum(self.size, 1), values)
        return array_namespace(values).sum(share[..., None] * values, axis=-2)

    def average(self, values: AnyArray) -> AnyArray:
        """The mean by the server's weights: (R, n, d) to (R, d); 0 where all weights are 0."""
        xp = array_namespace(values)
        total = xp.sum(self.weights, axis=-1, keepdims=True)
        share = self.weights / xp.where(total != 0, total, 1.0)
        return xp.sum(share[..., None] * values, axis=-2)

    def participates(self, replicas: int) -> AnyArray:
        """Whether each of all clients participates, (R, m)."""
        xp = array_namespace(self.weights)
        participates = xp.zeros((replicas, self.m), dtype=xp.bool, device=device(self.weights))
        participates[self._index(participates)] = to_device(self.participation_counts > 0, participates)
        return participates

    def gather(self, stored: AnyArray) -> AnyArray:
        """The client state of the round's clients: (R, m, ...) to (R, n, ...)."""
        return stored[self._index(stored)]

    def scatter(self, stored: AnyArray, values: AnyArray) -> AnyArray:
        """The client state with the round's new values: (R, m, ...) and (R, n, ...) to (R, m, ...)."""
        xp, index = array_namespace(stored), self._index(stored)
        if self.counts is not None:
            participates = (self.counts > 0).reshape(*self.counts.shape, *(1,) * (stored.ndim - 2))
            values = xp.where(to_device(participates, stored), values, stored[index])
        own = self.in_place and isinstance(stored, np.ndarray) and stored.flags.owndata
        after = stored if own else xp.asarray(stored, copy=True)
        after[index] = values
        return after

    def _index(self, stored: AnyArray) -> tuple[AnyArray, AnyArray]:
        """The index of the round's clients in client state: replicas (R, 1) and clients (n,) or (R, n)."""
        clients = array_namespace(stored).asarray(self.clients, device=device(stored))
        return replica_index(stored), clients


@dataclass(frozen=True)
class ClientOracle:
    """A client's oracle for its own loss during a round; all on (R, n, d).

    ``gradient(y)``: a stochastic gradient, with fresh noise at every call. ``proximal(x, mu)``: the exact
    minimiser of F_i(y) + mu/2 ||y - x||^2, on quadratics.
    """

    gradient: Callable[[AnyArray], AnyArray]
    proximal: Callable[[AnyArray, float], AnyArray]


@dataclass(frozen=True)
class ServerOracle:
    """The server's oracle before the first round and between rounds.

    ``gradients(y)``: a stochastic gradient of every client, (R, m, d) to (R, m, d), with fresh noise at
    every call. ``excess(x)``: F(x) - F_inf, (R, d) to (R,). ``m``: clients; ``p``: their weights, (m,).
    """

    m: int
    p: Array
    gradients: Callable[[AnyArray], AnyArray]
    excess: Callable[[AnyArray], AnyArray]


@dataclass(frozen=True)
class Received:
    """The clients' messages to the server: ``sent["update"]`` is each client's x - y, (R, n, d)."""

    sent: dict[str, AnyArray]
    round: Round

    @property
    def updates(self) -> AnyArray:
        """Each client's x - y, (R, n, d)."""
        return self.sent["update"]

    @property
    def aggregate(self) -> AnyArray:
        """The weighted sum of the updates, (R, d)."""
        w = array_namespace(self.updates).broadcast_to(self.round.weights, self.updates.shape[:2])
        return (w[:, None, :] @ self.updates)[:, 0]


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
