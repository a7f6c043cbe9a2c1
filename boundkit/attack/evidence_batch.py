"""Many pieces of evidence at once, so that one formula is evaluated on all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem
from boundkit.attack.bound_ratios import Array, ratios, shares
from boundkit.attack.evidence import Evidence


@dataclass(frozen=True)
class Pool:
    """Many pieces of evidence at once, so that one formula is evaluated on all of them together."""

    pieces: Sequence[Evidence]

    @cached_property
    def values(self) -> dict[str, Array]:
        """Every value that all pieces know, one after another."""
        if not self.pieces:
            return {}
        shared = set.intersection(*(set(one.values) for one in self.pieces))
        return {name: np.concatenate([one.values[name] for one in self.pieces]) for name in sorted(shared)}

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Low and high ends of what was measured."""
        return _joined([one.low for one in self.pieces]), _joined([one.high for one in self.pieces])

    @cached_property
    def zeros(self) -> Array:
        """What rounding leaves, of each."""
        return _joined([np.full(len(one.low), one.zero) for one in self.pieces])

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The place of the piece that each number is of."""
        return np.repeat(np.arange(len(self.pieces)), [len(one.low) for one in self.pieces])

    def ratios(self, theorem: Theorem) -> Array:
        """``Evidence.ratios`` of all, one after another."""
        return ratios(theorem, self.values, self.ends, self.zeros)

    def shares(self, theorem: Theorem, label: str) -> Array:
        """``Evidence.shares`` of all, one after another."""
        return shares(theorem, label, self.values, self.ends[0] - self.zeros)

    def worst(self, theorem: Theorem) -> tuple[float, Evidence | None]:
        """The largest ratio, and whose it is; -inf and None where nobody is inside the conditions."""
        return self._largest(self.ratios(theorem)) if self.pieces else (-np.inf, None)

    def neediest(self, theorem: Theorem, label: str) -> tuple[float, Evidence | None]:
        """The largest share of one term, and whose it is."""
        return self._largest(self.shares(theorem, label)) if self.pieces else (-np.inf, None)

    def _largest(self, scores: Array) -> tuple[float, Evidence | None]:
        if not scores.size or np.isnan(scores).all():
            return -np.inf, None
        place = int(np.nanargmax(scores))
        return float(scores[place]), self.pieces[self.owner[place]]


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)
