"""Client participation: samples the clients of a round; exposes its distribution in closed form, if any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.distribution import Law, NoLaw
from boundkit.simulation.random_streams import Streams

Array = NDArray[np.float64]
Clients = NDArray[np.intp]


@dataclass(frozen=True)
class Attendance:
    """The participating clients of one round: (n,) where all replicas agree, else (R, n), each client once.

    ``counts``, in the shape of ``clients``: participation counts. A replica with fewer participants than
    another is padded with clients of count 0. None where all counts are 1.
    """

    clients: Clients
    counts: NDArray[np.intp] | None = None

    @property
    def nobody(self) -> bool:
        """Whether the round is empty in all replicas."""
        return bool(self.clients.shape[-1] == 0)


def attendance(counts: NDArray[np.intp]) -> Attendance:
    """Build from participation counts of all clients, (R, m); at least one column, even if its count is 0."""
    most = max(1, int((counts > 0).sum(axis=1).max()))
    order = np.argsort(counts == 0, axis=1, kind="stable")[:, :most]
    return Attendance(order, np.take_along_axis(counts, order, axis=1))


@dataclass
class Sight:
    """Information available to a selection: the losses of the current model, and its own state.

    ``losses()``: F_i(x_t), (R, m). ``estimates(batch)``: estimates from a mini-batch, with 1/batch of
    the variance of one gradient's noise. ``heard``: losses reported by participating clients, the mean
    over their last local steps, (R, m), inf where there is none. ``memory``: the selection's state, per
    chunk.
    """

    losses: Callable[[], Array]
    estimates: Callable[[int], Array]
    heard: Array
    memory: dict[str, Any] = field(default_factory=dict)


def seen(sight: Sight | None, kind: str) -> Sight:
    """The information that a selection needs. Raises BoundkitError where the engine gave none."""
    if sight is None:
        raise BoundkitError(f"{kind} participation cannot be drawn without sight of the run.")
    return sight


class Participation(ABC):
    """Samples the clients of each round."""

    kind: ClassVar[str]
    fields: ClassVar[tuple[str, ...]] = ()
    """Required fields of a RUN.json."""
    optional: ClassVar[dict[str, Any]] = {}
    """Optional fields, with their defaults."""
    m: int
    ragged: ClassVar[bool] = False
    """Whether the number of clients varies across replicas."""
    listens: ClassVar[bool] = False
    """Whether clients report their losses during local steps."""

    @classmethod
    @abstractmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        """The participation with these fields, validated; p are the weights of the objective, (m,)."""

    @abstractmethod
    def draw(self, t: int, streams: Streams, sight: Sight | None = None) -> Attendance:
        """The clients of round t. Every replica draws the same amount from its stream in every round."""

    @abstractmethod
    def law(self, t: int) -> Law:
        """The distribution of round t. Raises NoLaw where a round depends on the state or the past."""

    def chances(self) -> Array | None:
        """Mean participation count of each client, (m,), constant over rounds; None where it varies."""
        if self.period > 1:
            return None
        try:
            return self.law(0).first
        except NoLaw:
            return None

    @property
    def floor(self) -> float | None:
        """delta: a lower bound on inclusion probabilities of clients independent of each other and the past.

        None where they are not independent.
        """
        return None

    @property
    def ceiling(self) -> float | None:
        """delta_max: an upper bound on the same probabilities."""
        return None

    def size(self, t: int) -> int | None:
        """The number of clients in round t, where it is deterministic."""
        try:
            return self.law(t).fixed_size
        except NoLaw:
            return None

    @property
    def random(self) -> bool:
        """Whether two replicas may differ though they compute the same gradients."""
        try:
            return any(not self.law(t).certain for t in range(self.period))
        except NoLaw:
            return True

    @property
    def period(self) -> int:
        """The period of the distribution in rounds."""
        return 1

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``participation`` field of a RUN.json."""
