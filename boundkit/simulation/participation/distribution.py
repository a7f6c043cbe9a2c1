"""Distributions of client participation in one round, independent of the state and of the past.

With c_i the participation count of client i (0 or 1; more for draws with replacement), a distribution gives
E c_i, E c_i c_j as diag(``diagonal``) + sum_k s_k v_k v_k', and an enumeration of its outcomes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice
from math import comb

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array, Clients

_CHUNK = 4096


class NoClosedForm(BoundkitError):
    """A participation whose rounds have no distribution of their own: they depend on state or past."""


@dataclass(frozen=True)
class PairMoments:
    """E c_i c_j = diag(``diagonal``) + sum_k s_k v_k v_k' over ``factors``."""

    diagonal: Array
    factors: tuple[tuple[float, Array], ...]


class Distribution(ABC):
    """Distribution of client participation in one round."""

    clients: int

    @property
    @abstractmethod
    def first(self) -> Array:
        """E c_i, (m,)."""

    @property
    def inclusion_probabilities(self) -> Array:
        """P(c_i > 0), (m,)."""
        return self.first

    @property
    @abstractmethod
    def pairs(self) -> PairMoments:
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
    def empty_probability(self) -> float:
        """The probability of an empty round."""
        return 0.0

    @property
    def deterministic(self) -> bool:
        """Whether there is only one outcome."""
        return self.outcomes == 1


@dataclass(frozen=True)
class FixedSubset(Distribution):
    """A deterministic set of clients."""

    members: tuple[int, ...]
    clients: int

    @property
    def first(self) -> Array:
        c = np.zeros(self.clients)
        c[list(self.members)] = 1.0
        return c

    @property
    def pairs(self) -> PairMoments:
        return PairMoments(np.zeros(self.clients), ((1.0, self.first),))

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
    def empty_probability(self) -> float:
        return float(not self.members)


@dataclass(frozen=True)
class AllOrNone(Distribution):
    """All clients together with this probability, else none."""

    clients: int
    probability: float

    @property
    def first(self) -> Array:
        return np.full(self.clients, self.probability)

    @property
    def pairs(self) -> PairMoments:
        return PairMoments(np.zeros(self.clients), ((self.probability, np.ones(self.clients)),))

    @property
    def outcomes(self) -> int:
        return 1 if self.probability == 1 else 2

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        chances, counts = np.array([self.probability, 1 - self.probability]), np.array([1.0, 0.0])
        yield chances[: self.outcomes], np.tile(counts[: self.outcomes, None], self.clients)

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return np.tile(rng.random((draws, 1)) < self.probability, self.clients).astype(np.float64)

    @property
    def fixed_size(self) -> int | None:
        return self.clients if self.probability == 1 else None

    @property
    def empty_probability(self) -> float:
        return 1 - self.probability


@dataclass(frozen=True)
class UniformSubsets(Distribution):
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
    def inclusion_probability(self) -> float:
        """The inclusion probability of a client of the pool."""
        return self.size / len(self.pool)

    @property
    def joint_probability(self) -> float:
        """The joint inclusion probability of two clients of the pool."""
        n = len(self.pool)
        return 0.0 if n == 1 else self.size * (self.size - 1) / (n * (n - 1))

    @property
    def first(self) -> Array:
        c = np.zeros(self.clients)
        c[self.pool] = self.inclusion_probability
        return c

    @property
    def pairs(self) -> PairMoments:
        inside = self.first / self.inclusion_probability
        return PairMoments(
            (self.inclusion_probability - self.joint_probability) * inside,
            ((self.joint_probability, inside),),
        )

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
class Independent(Distribution):
    """Each client participates with its own probability, independently of the others."""

    probabilities: tuple[float, ...]

    @property
    def clients(self) -> int:  # type: ignore[override]
        return len(self.probabilities)

    @property
    def first(self) -> Array:
        return np.array(self.probabilities)

    @property
    def pairs(self) -> PairMoments:
        q = self.first
        return PairMoments(q * (1 - q), ((1.0, q),))

    @property
    def _random(self) -> Clients:
        """Clients whose participation is random."""
        q = self.first
        return np.flatnonzero((q > 0) & (q < 1))

    @property
    def outcomes(self) -> int:
        return int(2 ** len(self._random))

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        q, random_ = self.first, self._random
        for start in range(0, self.outcomes, _CHUNK):
            codes = np.arange(start, min(start + _CHUNK, self.outcomes))
            bits = (codes[:, None] >> np.arange(len(random_))) & 1
            c = np.tile((q >= 1).astype(np.float64), (len(codes), 1))
            c[:, random_] = bits
            yield np.where(bits == 1, q[random_], 1 - q[random_]).prod(axis=1), c

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return (rng.random((draws, self.clients)) < self.first).astype(np.float64)

    @property
    def empty_probability(self) -> float:
        return float(np.prod(1 - self.first))


@dataclass(frozen=True)
class Draws(Distribution):
    """``size`` draws with replacement, client i with probability p_i in each."""

    probabilities: tuple[float, ...]
    size: int

    @property
    def clients(self) -> int:  # type: ignore[override]
        return len(self.probabilities)

    @property
    def first(self) -> Array:
        return self.size * np.array(self.probabilities)

    @property
    def inclusion_probabilities(self) -> Array:
        return np.asarray(1 - (1 - np.array(self.probabilities)) ** self.size)

    @property
    def pairs(self) -> PairMoments:
        p = np.array(self.probabilities)
        return PairMoments(self.size * p, ((self.size * (self.size - 1.0), p),))

    @property
    def _possible(self) -> Clients:
        """Clients of positive probability."""
        return np.flatnonzero(np.array(self.probabilities))

    @property
    def outcomes(self) -> int:
        return comb(len(self._possible) + self.size - 1, self.size)

    def enumerate(self) -> Iterator[tuple[Array, Array]]:
        from scipy.special import gammaln

        p, every = (
            np.array(self.probabilities),
            combinations_with_replacement(self._possible.tolist(), self.size),
        )
        while chunk := list(islice(every, _CHUNK)):
            drawn = np.array(chunk, dtype=np.intp)
            c = np.zeros((len(drawn), self.clients))
            np.add.at(c, (np.arange(len(drawn))[:, None], drawn), 1.0)
            orders = gammaln(self.size + 1) - gammaln(c + 1).sum(axis=1)
            yield np.exp(orders + np.log(p[drawn]).sum(axis=1)), c

    def sample(self, draws: int, rng: np.random.Generator) -> Array:
        return rng.multinomial(self.size, np.array(self.probabilities), size=draws).astype(np.float64)

    @property
    def fixed_size(self) -> int:
        return self.size


def _marks(subsets: Clients, clients: int) -> Array:
    c = np.zeros((len(subsets), clients))
    np.put_along_axis(c, subsets, 1.0, axis=1)
    return c
