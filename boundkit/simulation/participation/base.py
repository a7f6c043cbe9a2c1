"""Who comes. A participation draws the clients of a round, and knows the law it draws from, if it has one."""

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
    """The clients of one round: (n,) where all replicas agree, else (R, n), each client once.

    ``counts``, in the shape of ``clients``: how often each comes. A replica in which fewer come than in
    another is filled up with clients that count 0. None where all of them come once.
    """

    clients: Clients
    counts: NDArray[np.intp] | None = None

    @property
    def nobody(self) -> bool:
        """Whether nobody comes in any replica."""
        return bool(self.clients.shape[-1] == 0)


def attendance(counts: NDArray[np.intp]) -> Attendance:
    """From how often each of all clients comes, (R, m); at least one column is kept, counted or not."""
    most = max(1, int((counts > 0).sum(axis=1).max()))
    order = np.argsort(counts == 0, axis=1, kind="stable")[:, :most]
    return Attendance(order, np.take_along_axis(counts, order, axis=1))


@dataclass
class Sight:
    """What a selection may look at: the losses of this round's model, and what it remembers.

    ``losses()``: F_i(x_t), (R, m). ``estimates(batch)``: the same from a mini-batch, with noise of
    variance 1/batch of one gradient's. ``heard``: what clients reported while they worked, the mean loss
    along their last local steps, (R, m), inf where none has. ``memory``: the selection's own, one a chunk.
    """

    losses: Callable[[], Array]
    estimates: Callable[[int], Array]
    heard: Array
    memory: dict[str, Any] = field(default_factory=dict)


def seen(sight: Sight | None, kind: str) -> Sight:
    """The sight of a selection that needs one. Raises BoundkitError where the engine gave none."""
    if sight is None:
        raise BoundkitError(f"{kind} participation cannot be drawn without sight of the run.")
    return sight


class Participation(ABC):
    """Draws the clients of each round."""

    kind: ClassVar[str]
    fields: ClassVar[tuple[str, ...]] = ()
    """The fields that a RUN.json must give."""
    optional: ClassVar[dict[str, Any]] = {}
    """The fields that it may give, with their defaults."""
    m: int
    ragged: ClassVar[bool] = False
    """Whether the number of clients differs from replica to replica."""
    listens: ClassVar[bool] = False
    """Whether clients are to report their losses while they work."""

    @classmethod
    @abstractmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        """The participation of these fields, checked; p are the weights of the objective, (m,)."""

    @abstractmethod
    def draw(self, t: int, streams: Streams, sight: Sight | None = None) -> Attendance:
        """The clients of round t. Every replica draws the same amount from its stream in every round."""

    @abstractmethod
    def law(self, t: int) -> Law:
        """The law of round t. Raises NoLaw where a round looks at the state or at the past."""

    def chances(self) -> Array | None:
        """How often each client comes in a round, (m,), the same in all rounds; None where that changes."""
        if self.period > 1:
            return None
        try:
            return self.law(0).first
        except NoLaw:
            return None

    @property
    def floor(self) -> float | None:
        """delta: clients come independently of each other and of the past, each with at least this chance.

        None where they do not.
        """
        return None

    @property
    def ceiling(self) -> float | None:
        """delta_max: likewise, each with at most this chance."""
        return None

    def size(self, t: int) -> int | None:
        """How many come in round t, where that is certain."""
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
        """After how many rounds the law repeats."""
        return 1

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``participation`` field of a RUN.json."""
