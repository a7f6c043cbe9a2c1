"""Everybody comes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.verify.participation.base import Clients, FixedSubset, Participation
from boundkit.verify.streams import Streams


class Full(Participation):
    """All m clients in every round."""

    kind = "full"

    def __init__(self, clients: int) -> None:
        self.m = clients

    def draw(self, t: int, streams: Streams) -> Clients:
        return np.arange(self.m)

    def law(self, t: int) -> FixedSubset:
        return FixedSubset(tuple(range(self.m)))

    def chances(self) -> NDArray[np.float64]:
        return np.ones(self.m)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}
