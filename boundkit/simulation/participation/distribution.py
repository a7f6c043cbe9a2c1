"""Distributions of client participation in one round, independent of the state and of the past.

With c_i the participation count of client i (0 or 1; more for draws with replacement), a distribution gives
E c_i, E c_i c_j as diag(alone) + sum_k s_k v_k v_k', and an enumeration of its outcomes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from boundkit.algebra import BoundkitError

Array = NDArray[np.float64]
Clients = NDArray[np.intp]
_CHUNK = 4096


class NoLaw(BoundkitError):
    """A participation whose rounds have no distribution of their own: they depend on state or past."""


@dataclass(frozen=True)
class Pairs:
    """E c_i c_j = diag(``alone``) + sum_k s_k v_k v_k' over ``factors``."""

    alone: Array
    factors: tuple[tuple[float, Array], ...]


class Law(ABC):
    """Distribution of client participation in one round."""

    clients: int

    @property
    @abstractmethod
    def first(self) -> Array:
        """E c_i, (m,)."""

    @property
    def presence(self) -> Array:
        """The probability that each client participates at least once, (m,)."""
        return self.first

    @property
    @abstractmethod
    def pairs(self) -> Pairs:
        """E c_i c_j."""

    @property
    @abstractmethod
    def outcomes(self) -> int:
        """The number of outcomes in the enumeration."""

    @abstractmethod
    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        """All outcomes in chunks: their probabilities (K,), and participation counts, (K, m)."""

    @abstractmethod
    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        """``draws`` random outcomes, (draws, m)."""

    @property
    def fixed_size(self) -> int | None:
        """The number of participants, where it is deterministic."""
        return None

    @property
    def nobody(self) -> float:
        """The probability of an empty round."""
        return 0.0

    @property
    def certain(self) -> bool:
        """Whether there is only one outcome."""
        return self.outcomes == 1


@dataclass(frozen=True)
class FixedSubset(Law):
    """A deterministic set of clients."""

    members: tuple[int, ...]
    clients: int

    @property
    def first(self) -> Array:
        c = np.zeros(self.clients)
        c[list(self.members)] = 1.0
        return c

    @property
    def pairs(self) -> Pairs:
        return Pairs(np.zeros(self.clients), ((1.0, self.first),))

    @property
    def outcomes(self) -> int:
        return 1

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        yield np.ones(1), self.first[None]

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return np.tile(self.first, (draws, 1))

    @property
    def fixed_size(self) -> int:
        return len(self.members)

    @property
    def nobody(self) -> float:
        return float(not self.members)


@dataclass(frozen=True)
class UniformSubsets(Law):
    """All subsets of ``size`` clients with equal probability: uniform sampling without replacement.

    ``members``: the group to sample from, all clients by default.
    """

    clients: int
    size: int
    members: tuple[int, ...] | None = None

    @property
    def pool(self) -> Clients:
        """The clients to sample from."""
        return np.arange(self.clients) if self.members is None else np.array(self.members, dtype=np.intp)

    @property
    def one(self) -> float:
        """The inclusion probability of a client of the pool."""
        return self.size / len(self.pool)

    @property
    def two(self) -> float:
        """The joint inclusion probability of two clients of the pool."""
        n = len(self.pool)
        return 0.0 if n == 1 else self.size * (self.size - 1) / (n * (n - 1))

    @property
    def first(self) -> Array:
        c = np.zeros(self.clients)
        c[self.pool] = self.one
        return c

    @property
    def pairs(self) -> Pairs:
        inside = self.first / self.one
        return Pairs((self.one - self.two) * inside, ((self.two, inside),))

    @property
    def outcomes(self) -> int:
        return comb(len(self.pool), self.size)

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        every = combinations(self.pool.tolist(), self.size)
        while chunk := list(islice(every, _CHUNK)):
            yield np.full(len(chunk), 1 / self.outcomes), _marks(np.array(chunk, dtype=np.intp), self.clients)

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        keys = rng.random((draws, len(self.pool)))
        return _marks(self.pool[np.argpartition(keys, self.size - 1, axis=1)[:, : self.size]], self.clients)

    @property
    def fixed_size(self) -> int:
        return self.size


@dataclass(frozen=True)
class Independent(Law):
    """Each client participates with its own probability, independently of the others."""

    chances: tuple[float, ...]

    @property
    def clients(self) -> int:  # type: ignore[override]
        return len(self.chances)

    @property
    def first(self) -> Array:
        return np.array(self.chances)

    @property
    def pairs(self) -> Pairs:
        q = self.first
        return Pairs(q * (1 - q), ((1.0, q),))

    @property
    def _open(self) -> Clients:
        """Clients whose participation is random."""
        q = self.first
        return np.flatnonzero((q > 0) & (q < 1))

    @property
    def outcomes(self) -> int:
        return int(2 ** len(self._open))

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        q, open_ = self.first, self._open
        for start in range(0, self.outcomes, _CHUNK):
            codes = np.arange(start, min(start + _CHUNK, self.outcomes))
            bits = (codes[:, None] >> np.arange(len(open_))) & 1
            c = np.tile((q >= 1).astype(np.float64), (len(codes), 1))
            c[:, open_] = bits
            yield np.where(bits == 1, q[open_], 1 - q[open_]).prod(axis=1), c

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return (rng.random((draws, self.clients)) < self.first).astype(np.float64)

    @property
    def nobody(self) -> float:
        return float(np.prod(1 - self.first))


@dataclass(frozen=True)
class Draws(Law):
    """``size`` draws with replacement, client i with probability p_i in each."""

    chances: tuple[float, ...]
    size: int

    @property
    def clients(self) -> int:  # type: ignore[override]
        return len(self.chances)

    @property
    def first(self) -> Array:
        return self.size * np.array(self.chances)

    @property
    def presence(self) -> Array:
        return np.asarray(1 - (1 - np.array(self.chances)) ** self.size)

    @property
    def pairs(self) -> Pairs:
        p = np.array(self.chances)
        return Pairs(self.size * p, ((self.size * (self.size - 1.0), p),))

    @property
    def _possible(self) -> Clients:
        """Clients of positive probability."""
        return np.flatnonzero(np.array(self.chances))

    @property
    def outcomes(self) -> int:
        return comb(len(self._possible) + self.size - 1, self.size)

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        p, every = np.array(self.chances), combinations_with_replacement(self._possible.tolist(), self.size)
        while chunk := list(islice(every, _CHUNK)):
            drawn = np.array(chunk, dtype=np.intp)
            c = np.zeros((len(drawn), self.clients))
            np.add.at(c, (np.arange(len(drawn))[:, None], drawn), 1.0)
            orders = gammaln(self.size + 1) - gammaln(c + 1).sum(axis=1)
            yield np.exp(orders + np.log(p[drawn]).sum(axis=1)), c

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return rng.multinomial(self.size, np.array(self.chances), size=draws).astype(np.float64)

    @property
    def fixed_size(self) -> int:
        return self.size


def _marks(subsets: Clients, clients: int) -> Array:
    c = np.zeros((len(subsets), clients))
    np.put_along_axis(c, subsets, 1.0, axis=1)
    return c
