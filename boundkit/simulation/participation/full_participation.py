"""Full participation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from boundkit.simulation.participation.base import Array, Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import FixedSubset
from boundkit.simulation.random_streams import Streams


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
