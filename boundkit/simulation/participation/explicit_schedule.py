"""An explicit schedule: the clients of each round, cycled."""

from __future__ import annotations

import reprlib
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.base import Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import FixedSubset
from boundkit.simulation.random_streams import Streams


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
