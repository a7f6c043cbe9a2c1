"""Who comes. A participation draws the clients of a round, and knows the law it draws from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.verify.streams import Streams

Clients = NDArray[np.intp]


@dataclass(frozen=True)
class UniformSubsets:
    """All subsets of ``size`` clients are alike: drawn uniformly without replacement."""

    clients: int
    size: int

    @property
    def one(self) -> float:
        """The chance that a given client comes."""
        return self.size / self.clients

    @property
    def two(self) -> float:
        """The chance that two given clients both come."""
        if self.clients == 1:
            return 0.0
        return self.size * (self.size - 1) / (self.clients * (self.clients - 1))


@dataclass(frozen=True)
class FixedSubset:
    """These clients come, for certain."""

    members: tuple[int, ...]


Law = UniformSubsets | FixedSubset


class Participation(ABC):
    """Draws the clients of each round, and states the law of the draw for the exact engine."""

    kind: ClassVar[str]

    @abstractmethod
    def draw(self, t: int, streams: Streams) -> Clients:
        """The clients of round t: (n,) where all replicas agree, else (R, n); n = 0 where nobody comes."""

    @abstractmethod
    def law(self, t: int) -> Law:
        """The law of round t."""

    @abstractmethod
    def chances(self) -> NDArray[np.float64] | None:
        """Each client's chance to come, (m,), the same in all rounds; None where there is no such thing."""

    @property
    def period(self) -> int:
        """After how many rounds the law repeats."""
        return 1

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``participation`` field of a RUN.json."""
