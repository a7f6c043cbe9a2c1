"""Full participation, and client sampling: uniform without replacement, or with replacement."""

from __future__ import annotations

import math
import reprlib
from typing import Any, ClassVar, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import is_whole
from boundkit.algebra.notation import C
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.base import Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import Draws, FixedSubset, UniformSubsets
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.validation import checked_weights, whole


class Full(Participation):
    """All m clients in every round."""

    kind = "full"

    def __init__(self, clients: int) -> None:
        self.m = clients

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        return cls(clients)

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        return Participants(np.arange(self.m))

    def distribution(self, t: int) -> FixedSubset:
        return FixedSubset(tuple(range(self.m)), self.m)

    @property
    def min_probability(self) -> float:
        return 1.0

    @property
    def max_probability(self) -> float:
        return 1.0

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


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
        return cls(
            count, p if given is None else checked_weights(given, clients, "probabilities"), given is not None
        )

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


class WithoutReplacement(Participation):
    """A fraction C of m clients; C m must be a whole number.

    Raises BoundkitError for C outside (0, 1] or C m not whole.
    """

    kind = "uniform"
    fields = ("C",)

    def __init__(self, clients: int, fraction: float) -> None:
        complaint = C.domain.complaint(fraction)
        if complaint:
            raise BoundkitError(f"participation C = {fraction:g} was given, but {complaint}.")
        if not is_whole(fraction * clients):
            near = [n / clients for n in (math.floor(fraction * clients), math.ceil(fraction * clients)) if n]
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes {fraction * clients:.12g} "
                f"clients; C m must be a whole number, as for C = {' or '.join(f'{c:.12g}' for c in near)}."
            )
        self.m, self.fraction, self.count = clients, fraction, round(fraction * clients)
        if self.count == 0:
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes no client at all."
            )

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        fraction = fields["C"]
        if isinstance(fraction, bool) or not isinstance(fraction, (int, float)):
            raise BoundkitError(f"participation C must be a number, but it is {reprlib.repr(fraction)}.")
        if abs(fraction) > 1:  # also refuses whole numbers too large for a float
            raise BoundkitError(
                f"participation C = {reprlib.repr(fraction)} was given, but it must be above 0 and at most 1."
            )
        return cls(clients, float(fraction))

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        keys = streams.uniform(self.m)
        if self.count == self.m:
            return Participants(np.arange(self.m))
        return Participants(np.sort(np.argpartition(keys, self.count - 1, axis=-1)[:, : self.count], axis=-1))

    def distribution(self, t: int) -> UniformSubsets:
        return UniformSubsets(self.m, self.count)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "C": self.fraction}
