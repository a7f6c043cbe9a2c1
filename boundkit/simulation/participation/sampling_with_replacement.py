"""Client sampling with replacement, in proportion to the weights: scheme I of Li et al."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from boundkit.simulation.participation.base import Array, Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import Draws
from boundkit.simulation.participation.validation import weights, whole
from boundkit.simulation.random_streams import Streams


class WithReplacement(Participation):
    """``count`` independent draws, client i with probability p_i, the weights of the objective, in each.

    A client that is drawn twice computes once and counts twice. ``probabilities`` replaces p.
    With the plain mean over the draws, E sum_i c_i Delta_i / count = sum_i p_i Delta_i: unbiased.
    Raises BoundkitError for a count below 1, and for probabilities that do not sum to 1.
    Source: Li, Huang, Yang, Wang, Zhang, arXiv 1907.02189, scheme I.
    """

    kind = "with_replacement"
    fields = ("count",)
    optional: ClassVar[dict[str, Any]] = {"probabilities": None}
    ragged = True

    def __init__(self, count: int, p: Array, given: bool = False) -> None:
        self.m, self.count, self.p, self._given = len(p), count, p, given
        ends = np.cumsum(p)
        self._ends = ends / ends[-1]  # ends in 1 exactly, so that every number below 1 finds a client

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        given = fields.get("probabilities")
        count = whole("with_replacement count", fields["count"], 1, _MOST)
        return cls(count, p if given is None else weights("probabilities", given, clients), given is not None)

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        drawn = np.searchsorted(self._ends, streams.uniform(self.count), side="right")
        counts = np.zeros((streams.count, self.m), dtype=np.intp)
        np.add.at(counts, (np.arange(streams.count)[:, None], drawn), 1)
        return Participants.from_counts(counts)

    def distribution(self, t: int) -> Draws:
        return Draws(tuple(self.p.tolist()), self.count)

    def to_json(self) -> dict[str, Any]:
        given = {"probabilities": self.p.tolist()} if self._given else {}
        return {"kind": self.kind, "count": self.count, **given}


_MOST = 10**6
"""The largest number of draws a round."""
