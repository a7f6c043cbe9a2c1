"""The server's weights: of the clients that came, and their first two moments over who comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.participation import Clients, FixedSubset, Law, UniformSubsets
from boundkit.verify.run import Run

Array = NDArray[np.float64]
ENUMERATION_LIMIT = 10**6
"""How many subsets are enumerated before an expectation is no longer taken exactly."""
_CHUNK = 4096


class TooManySubsets(BoundkitError):
    """An expectation over participation that cannot be enumerated."""


@dataclass(frozen=True)
class WeightMoments:
    """E w_i and E w_i w_j, where w_i is 0 if client i stays away.

    ``first``: (m,). The second moment is diag(``diagonal``) + sum_k s_k v_k v_k' over ``factors``.
    """

    first: Array
    diagonal: Array
    factors: tuple[tuple[float, Array], ...] = field(default=())

    @property
    def square(self) -> Array:
        """E w_i^2, (m,)."""
        return self.diagonal + sum((s * v * v for s, v in self.factors), np.zeros_like(self.first))


class Weighing:
    """How one run weighs its clients."""

    def __init__(self, run: Run) -> None:
        self.algorithm, self.p, self.m = run.algorithm, run.problem.p, run.problem.m
        self._made: dict[Law, WeightMoments] = {}
        known = run.algorithm.settings.get("probabilities")
        self.chances = run.participation.chances() if known is None else np.array(known, dtype=np.float64)

    def of(self, clients: Clients) -> Array:
        """The weights of those who came, in the shape of ``clients``."""
        q = None if self.chances is None else self.chances[clients]
        weights: Array = self.algorithm.weights(self.p[clients], self.m, q)
        return weights

    def moments(self, law: Law) -> WeightMoments:
        """The exact moments under the law, made once.

        Raises TooManySubsets where they need more than a million.
        """
        if law not in self._made:
            self._made[law] = self._moments(law)
        return self._made[law]

    def _moments(self, law: Law) -> WeightMoments:
        if isinstance(law, FixedSubset):
            return self._fixed(np.array(law.members, dtype=np.intp))
        if law.size == self.m:
            return self._fixed(np.arange(self.m))
        if self.algorithm.separable(bool(np.ptp(self.p) <= 1e-12)):
            return self._separable(law)
        if comb(law.clients, law.size) > ENUMERATION_LIMIT:
            raise TooManySubsets(
                f"the expectation over {law.size} of {law.clients} clients with unequal weights, "
                f"renormalised over those who came, needs {comb(law.clients, law.size):.3g} subsets, "
                f"more than {ENUMERATION_LIMIT:,}."
            )
        return self._enumerated(law)

    def sampled_first(self, law: UniformSubsets, draws: int, rng: np.random.Generator) -> Array:
        """E w_i estimated from that many random subsets, for where they are too many to enumerate."""
        first = np.zeros(self.m)
        for start in range(0, draws, _CHUNK):
            keys = rng.random((min(_CHUNK, draws - start), self.m))
            subsets = np.argpartition(keys, law.size - 1, axis=1)[:, : law.size]
            np.add.at(first, subsets, self.of(subsets))
        return first / draws

    def _fixed(self, members: Clients) -> WeightMoments:
        w = np.zeros(self.m)
        if members.size:
            w[members] = self.of(members)
        return WeightMoments(w, np.zeros(self.m), ((1.0, w),))

    def _separable(self, law: UniformSubsets) -> WeightMoments:
        windows = (np.arange(self.m)[:, None] + np.arange(law.size)) % self.m
        w = self.of(windows)[:, 0]
        return WeightMoments(law.one * w, (law.one - law.two) * w * w, ((law.two, w),))

    def _enumerated(self, law: UniformSubsets) -> WeightMoments:
        first, second, count = np.zeros(self.m), np.zeros((self.m, self.m)), 0
        for subsets in _subsets(law):
            w = np.zeros((len(subsets), self.m))
            np.put_along_axis(w, subsets, self.of(subsets), axis=1)
            first += w.sum(axis=0)
            second += w.T @ w
            count += len(subsets)
        values, vectors = np.linalg.eigh(second / count)
        kept = [(float(s), v) for s, v in zip(values, vectors.T, strict=True) if s > 1e-15 * values[-1]]
        return WeightMoments(first / count, np.zeros(self.m), tuple(kept))


def _subsets(law: UniformSubsets) -> Iterator[Clients]:
    every = combinations(range(law.clients), law.size)
    while chunk := list(islice(every, _CHUNK)):
        yield np.array(chunk, dtype=np.intp)
