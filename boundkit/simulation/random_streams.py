"""Random streams, one per replica and purpose, so that results do not depend on how work is split.

Replica r draws its participation from one stream, its gradient noise from another, the loss estimates of a
selection from a third, its mini-batches from a fourth, and random numbers of the algorithm itself (random
compression, added noise) from a fifth, all keyed by the seed, the purpose and r.
Computing replicas in chunks, in other processes or in another order changes nothing; changing the noise
leaves the sampled clients unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import AnyArray, array_namespace, on_gpu, to_device

_PURPOSES = {"participation": 0, "noise": 1, "selection": 2, "batches": 3, "algorithm": 4}
"""The part of a stream's key that names its purpose."""
DRAWS = ("streams", "counter")
"""Kinds of draws: numpy's streams, and a counter-based generator on the device of the run."""


def _sequences(seed: int, purpose: str, first: int, count: int) -> list[np.random.SeedSequence]:
    """The seed sequences of the replicas ``first``, ..., ``first + count - 1`` for a purpose."""
    keys = ((_PURPOSES[purpose], r) for r in range(first, first + count))
    return [np.random.SeedSequence(seed, spawn_key=key) for key in keys]


class Streams:
    """The streams of the replicas ``first``, ..., ``first + count - 1``."""

    def __init__(self, seed: int, count: int, first: int = 0) -> None:
        self.count, self._seed, self._first = count, seed, first
        self._created: dict[str, list[np.random.Generator]] = {}

    def _generators(self, purpose: str) -> list[np.random.Generator]:
        """The streams of a purpose, created on first use."""
        if purpose not in self._created:
            self._created[purpose] = [
                np.random.Generator(np.random.SFC64(sequence))
                for sequence in _sequences(self._seed, purpose, self._first, self.count)
            ]
        return self._created[purpose]

    def uniform(self, *shape: int, purpose: str = "participation") -> NDArray[np.float64]:
        """Uniform numbers of shape (replicas, *shape), by default for sampling clients."""
        out = np.empty((self.count, *shape))
        for r, generator in enumerate(self._generators(purpose)):
            generator.random(out=out[r])
        return out

    def normal(self, *shape: int, dtype: Any = np.float64, purpose: str = "noise") -> NDArray[Any]:
        """Standard normals of shape (replicas, *shape), by default for gradient noise."""
        out = np.empty((self.count, *shape), dtype=dtype)
        for r, generator in enumerate(self._generators(purpose)):
            generator.standard_normal(out=out[r], dtype=dtype)
        return out


_GAMMA, _FIRST, _SECOND = (c - 2**64 for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""The constants of SplitMix64, as signed numbers."""
_LOW = 2**32 - 1
_AHEAD, _AHEAD_ON_GPU = 2**14, 2**21
"""Words that are computed at once for all replicas: as many as caches hold; a GPU needs more."""


class _Words:
    """The words of ``count`` replicas, from ``first`` on, for a purpose: (R, number) at a time.

    Word k = 1, 2, ... of replica r is SplitMix64's output function of key_r + k gamma, with key_r from the
    seed, the purpose and r (Steele, Lea, Flood, OOPSLA 2014).
    """

    def __init__(self, seed: int, purpose: str, first: int, count: int, like: AnyArray) -> None:
        sequences = _sequences(seed, purpose, first, count)
        keys = np.stack([sequence.generate_state(1, np.uint64) for sequence in sequences])
        self.keys, self._at = to_device(keys.view(np.int64), like), 0

    def next(self, number: int) -> AnyArray:
        """The next ``number`` words, (R, number), as signed numbers."""
        k = to_device(np.arange(self._at + 1, self._at + number + 1), self.keys)
        self._at += number
        z = self.keys + k * _GAMMA
        z = (z ^ (z >> 30 & (1 << 34) - 1)) * _FIRST
        z = (z ^ (z >> 27 & (1 << 37) - 1)) * _SECOND
        return z ^ (z >> 31 & (1 << 33) - 1)


class CounterStreams(Streams):
    """Streams whose mini-batches and uniform subsets are drawn on a device by a counter-based generator.

    A draw is a function of seed, purpose, replica and its number alone, and computed by whole numbers: the
    same on every device and for every chunk. All other draws are those of ``Streams``.
    """

    def __init__(self, seed: int, count: int, first: int, like: AnyArray) -> None:
        super().__init__(seed, count, first)
        self._batches = _Words(seed, "batches", first, count, like)
        self._participation = _Words(seed, "participation", first, count, like)
        self._ahead = _AHEAD_ON_GPU if on_gpu(like) else _AHEAD
        self._numbers = self._batches.keys[:, :0]
        self._subsets: AnyArray | None = None
        self._number = self._subset = 0
        self._on_device: dict[int, tuple[Any, AnyArray]] = {}

    def on_device(self, array: NDArray[Any]) -> AnyArray:
        """The array on the device, where it stays."""
        if id(array) not in self._on_device:
            self._on_device[id(array)] = array, to_device(array, self._batches.keys)
        return self._on_device[id(array)][1]

    def clients(self, clients: Any) -> AnyArray:
        """Clients, (R, n), on the device."""
        return to_device(clients.copy(), self._batches.keys) if isinstance(clients, np.ndarray) else clients

    def integers(self, below: AnyArray, columns: int, number: int) -> AnyArray:
        """Uniform numbers 0, ..., below - 1 for ``below``, (R, n): (R, n, number).

        A 32-bit number u gives floor(u below/2^32): the probabilities differ from 1/below by at most 2^-32.
        Numbers are drawn for ``columns`` columns, whatever n is.
        """
        (R, n), needed = below.shape, columns * number
        left = self._numbers.shape[1] - self._number
        if left < needed:
            words = self._batches.next(max(-(-needed // 2), self._ahead // R))
            xp = array_namespace(words)
            halves = xp.stack((words >> 32 & _LOW, words & _LOW), axis=-1).reshape(R, -1)
            self._numbers = xp.concat((self._numbers[:, self._number :], halves), axis=1)
            self._number = 0
        u = self._numbers[:, self._number : self._number + needed].reshape(R, columns, number)[:, :n]
        self._number += needed
        return u * below[..., None] >> 32

    def subset(self, m: int, size: int) -> AnyArray:
        """A uniform subset of ``size`` of m clients for each replica, (R, size), ascending."""
        if self._subsets is None or self._subset == self._subsets.shape[1]:
            ahead = max(1, self._ahead // (self.count * m))
            words = self._participation.next(ahead * m).reshape(self.count, ahead, m)
            xp = array_namespace(words)
            largest = xp.argsort(~words, axis=-1, stable=True)[..., :size]
            self._subsets, self._subset = xp.sort(largest, axis=-1), 0
        self._subset += 1
        return self._subsets[:, self._subset - 1]
