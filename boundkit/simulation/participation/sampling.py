"""Client sampling: full, uniform, with replacement, by an explicit schedule, and in cyclic groups."""

from __future__ import annotations

import math
import reprlib
from typing import Any, ClassVar, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import FRACTION, is_whole
from boundkit.simulation.arrays import Array, Clients
from boundkit.simulation.participation.base import (
    Participants,
    Participation,
    SelectionContext,
    required_context,
)
from boundkit.simulation.participation.distribution import (
    AllOrNone,
    Distribution,
    Draws,
    FixedSubset,
    NoClosedForm,
    UniformSubsets,
)
from boundkit.simulation.random_streams import CounterStreams, Streams
from boundkit.simulation.validation import boolean, checked_weights, number, whole


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


class JointParticipation(Participation):
    """All m clients with the given ``probability``, else none: the common coin of Scaffnew.

    Raises BoundkitError for a probability outside (0, 1].
    Source: Mishchenko, Malinovsky, Stich, Richtarik, arXiv 2202.09357.
    """

    kind = "together"
    fields = ("probability",)
    ragged = True

    def __init__(self, clients: int, probability: float) -> None:
        complaint = FRACTION.complaint(probability)
        if complaint:
            raise BoundkitError(f"together probability = {probability:g} was given, but {complaint}.")
        self.m, self.probability = clients, probability

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        return cls(clients, number("together probability", fields["probability"], 0, 1))

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        counts = np.tile(streams.uniform(1) < self.probability, self.m)
        return Participants.from_counts(counts.astype(np.intp))

    def distribution(self, t: int) -> AllOrNone:
        return AllOrNone(self.m, self.probability)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "probability": self.probability}


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
        complaint = FRACTION.complaint(fraction)
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
        if isinstance(streams, CounterStreams) and self.count < self.m:
            return Participants(streams.subset(self.m, self.count))
        keys = streams.uniform(self.m)
        if self.count == self.m:
            return Participants(np.arange(self.m))
        return Participants(np.sort(np.argpartition(keys, self.count - 1, axis=-1)[:, : self.count], axis=-1))

    def distribution(self, t: int) -> UniformSubsets:
        return UniformSubsets(self.m, self.count)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "C": self.fraction}


class Schedule(Participation):
    """Lists of clients, 0-based, one a round, repeated cyclically. Empty rounds are allowed.

    Raises BoundkitError for an empty schedule, a client out of range, or one listed twice in a round.
    """

    kind = "schedule"

    def __init__(self, clients: int, rounds: Any) -> None:
        if not isinstance(rounds, (list, tuple)) or not rounds:
            raise BoundkitError(
                "schedule must be a list of rounds, each a list of clients, and hold at least one."
            )
        self.m = clients
        self.rounds = tuple(_one_round(t, members, clients) for t, members in enumerate(rounds))

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        return cls(clients, fields["rounds"])

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        return Participants(np.array(self.rounds[t % self.period], dtype=np.intp))

    def distribution(self, t: int) -> FixedSubset:
        return FixedSubset(self.rounds[t % self.period], self.m)

    def mean_counts(self) -> Array | None:
        return None

    @property
    def period(self) -> int:
        return len(self.rounds)

    def to_json(self) -> dict[str, Any]:
        raise BoundkitError("a schedule stands in its own field of a RUN.json, not under participation.")


def _one_round(t: int, members: Any, clients: int) -> tuple[int, ...]:
    name = f"schedule[{t}]"
    if not isinstance(members, (list, tuple)):
        raise BoundkitError(f"{name} must be a list of clients, but it is {reprlib.repr(members)}.")
    for i in members:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)):
            raise BoundkitError(f"{name} must hold whole numbers, but it holds {reprlib.repr(i)}.")
        if not 0 <= i < clients:
            raise BoundkitError(f"{name} names client {reprlib.repr(i)}, but clients are 0 to {clients - 1}.")
    if len(set(members)) < len(members):
        raise BoundkitError(f"{name} names a client twice.")
    return tuple(int(i) for i in members)


Groups = tuple[tuple[int, ...], ...]


class Cyclic(Participation):
    """Group t mod K participates in round t: all of it, or ``count`` of its clients.

    ``groups``: a number K that divides m, for consecutive blocks, or K lists that partition the clients.
    ``count``: number of clients sampled uniformly without replacement at each visit. ``shuffle``: the group
    is put in a random order, and every visit takes the next ``count`` of it; the order is redrawn when it is
    exhausted, so that all have participated before one participates again.

    Raises BoundkitError where groups miss or repeat a client, and where ``count`` is larger than a group,
    or does not divide it while ``shuffle`` is on.
    Source: Cho, Sharma, Joshi, Xu, Kale, Zhang, arXiv 2302.03109.
    """

    kind = "cyclic"
    fields = ("groups",)
    optional: ClassVar[dict[str, Any]] = {"count": None, "shuffle": False}

    def __init__(self, clients: int, groups: Any, count: Any = None, shuffle: Any = False) -> None:
        self.m = clients
        self.groups = _groups(groups, clients)
        self._blocks = groups if isinstance(groups, int) else None
        smallest = min(map(len, self.groups))
        whose = f", the size of the smallest group of {self.m} clients in {len(self.groups)} groups"
        self.count = None if count is None else whole("cyclic count", count, 1, smallest, whose)
        self.shuffle = boolean("shuffle", shuffle)
        if self.shuffle:
            self._check_shuffle()

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        return cls(clients, fields["groups"], fields.get("count"), fields.get("shuffle", False))

    def _check_shuffle(self) -> None:
        if self.count is None:
            raise BoundkitError(
                "shuffle needs a count: without one, the whole group participates at every visit."
            )
        for k, group in enumerate(self.groups):
            if len(group) % self.count:
                raise BoundkitError(
                    f"shuffle takes a group in parts of {self.count}, but group {k} has {len(group)} "
                    "clients; the count must divide the size of every group."
                )

    def group(self, t: int) -> tuple[int, ...]:
        """The active group of round t."""
        return self.groups[t % self.period]

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        members = np.array(self.group(t), dtype=np.intp)
        if self.count is None:
            return Participants(np.sort(members))
        if self.shuffle:
            chosen = self._next(t, members, streams, required_context(context, self.kind).state)
        else:
            chosen = np.argpartition(streams.uniform(len(members)), self.count - 1, axis=-1)[:, : self.count]
        return Participants(np.sort(members[chosen], axis=-1))

    def _next(self, t: int, members: Clients, streams: Streams, state: dict[str, Any]) -> Clients:
        """Positions in the group of the participants: the next part of the order, drawn at its first part."""
        k, visit = t % self.period, t // self.period
        count = self.count or len(members)
        part = visit % (len(members) // count)
        orders: dict[int, Clients] = state.setdefault("orders", {})
        if part == 0 or k not in orders:
            orders[k] = np.argsort(streams.uniform(len(members)), axis=-1)
        return orders[k][:, part * count : (part + 1) * count]

    def distribution(self, t: int) -> Distribution:
        members = self.group(t)
        if self.count is None or self.count == len(members):
            return FixedSubset(members, self.m)
        if self.shuffle:
            raise NoClosedForm(
                "shuffled cyclic participation has no distribution of a single round: it depends on "
                "earlier visits."
            )
        return UniformSubsets(self.m, self.count, members)

    def size(self, t: int) -> int:
        return self.count or len(self.group(t))

    @property
    def period(self) -> int:
        return len(self.groups)

    def to_json(self) -> dict[str, Any]:
        groups = [list(g) for g in self.groups] if self._blocks is None else self._blocks
        count = {} if self.count is None else {"count": self.count}
        return {"kind": self.kind, "groups": groups, **count, **({"shuffle": True} if self.shuffle else {})}


def _groups(given: Any, clients: int) -> Groups:
    if isinstance(given, (list, tuple)):
        return _listed(given, clients)
    number = whole("cyclic groups", given, 1, clients, ", the number of clients")
    if clients % number:
        raise BoundkitError(
            f"cyclic groups = {number} does not divide {clients} clients; groups of unequal size can be "
            "given as lists of clients."
        )
    return tuple(map(tuple, np.arange(clients).reshape(number, -1).tolist()))


def _listed(given: Any, clients: int) -> Groups:
    groups = []
    for k, members in enumerate(given):
        if not isinstance(members, (list, tuple)) or not members:
            raise BoundkitError(f"groups[{k}] must be a list of clients, with at least one in it.")
        for i in members:
            if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i < clients:
                raise BoundkitError(
                    f"groups[{k}] must hold clients, 0 to {clients - 1}, but it holds {reprlib.repr(i)}."
                )
        groups.append(tuple(int(i) for i in members))
    times = np.bincount([i for g in groups for i in g], minlength=clients)
    for i, n in enumerate(times):
        if n != 1:
            place = "no group" if n == 0 else "more than one place"
            raise BoundkitError(f"groups must hold every client once, but client {i} is in {place}.")
    return tuple(groups)
