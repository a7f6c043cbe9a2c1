"""Random streams, one per replica and purpose, so that results do not depend on how work is split.

Replica r draws its participation from one stream, its gradient noise from another, the loss estimates of a
selection from a third, and its mini-batches from a fourth, all keyed by the seed, the purpose and r.
Computing replicas in chunks, in other processes or in another order changes nothing; changing the noise
leaves the sampled clients unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_PURPOSES = {"participation": 0, "noise": 1, "selection": 2, "batches": 3}
"""The part of a stream's key that says what it is for."""


class Streams:
    """The streams of the replicas ``first``, ..., ``first + count - 1``."""

    def __init__(self, seed: int, count: int, first: int = 0) -> None:
        self.count, self._seed, self._first = count, seed, first
        self._created: dict[str, list[np.random.Generator]] = {}

    def _generators(self, purpose: str) -> list[np.random.Generator]:
        """The streams of a purpose, created on first use."""
        if purpose not in self._created:
            keys = [(_PURPOSES[purpose], r) for r in range(self._first, self._first + self.count)]
            self._created[purpose] = [
                np.random.Generator(np.random.SFC64(np.random.SeedSequence(self._seed, spawn_key=key)))
                for key in keys
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
