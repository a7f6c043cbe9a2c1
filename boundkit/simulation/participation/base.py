"""Client participation: samples the clients of a round; exposes its distribution in closed form, if any."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.distribution import Distribution, NoClosedForm
from boundkit.simulation.random_streams import Streams


@dataclass(frozen=True)
class Participants:
    """The participating clients of one round: (n,) where all replicas agree, else (R, n), each client once.

    ``counts``, in the shape of ``clients``: participation counts. A replica with fewer participants than
    another is padded with clients of count 0. None where all counts are 1. Clients that were drawn on
    a device are a tensor there.
    """

    clients: Any
    counts: NDArray[np.intp] | None = None

    def on_host(self) -> Participants:
        """The same with clients as an array."""
        if isinstance(self.clients, np.ndarray):
            return self
        return Participants(self.clients.cpu().numpy(), self.counts)

    @classmethod
    def from_counts(cls, counts: NDArray[np.intp]) -> Self:
        """Build from the counts of all clients, (R, m); at least one column, even if its count is 0."""
        most = max(1, int((counts > 0).sum(axis=1).max()))
        order = np.argsort(counts == 0, axis=1, kind="stable")[:, :most]
        return cls(order, np.take_along_axis(counts, order, axis=1))

    @property
    def empty(self) -> bool:
        """Whether the round is empty in all replicas."""
        return bool(self.clients.shape[-1] == 0)


@dataclass
class SelectionContext:
    """Information available to a selection: the losses of the current model, and its own state.

    ``losses()``: F_i(x_t), (R, m). ``estimates(batch)``: estimates from a mini-batch, with 1/batch of
    the variance of one gradient's noise. ``reported_losses``: the mean losses over each client's last local
    steps, (R, m), inf before its first participation. ``state``: the selection's state, per chunk.
    """

    losses: Callable[[], Array]
    estimates: Callable[[int], Array]
    reported_losses: Array
    state: dict[str, Any] = field(default_factory=dict)


def required_context(context: SelectionContext | None, kind: str) -> SelectionContext:
    """The information that a selection needs. Raises BoundkitError where the engine gave none."""
    if context is None:
        raise BoundkitError(
            f"{kind} participation depends on the run and cannot be sampled without a SelectionContext."
        )
    return context


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
    reports_losses: ClassVar[bool] = False
    """Whether clients report their losses during local steps."""

    @classmethod
    @abstractmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        """The participation with these fields, validated; p are the weights of the objective, (m,)."""

    @abstractmethod
    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        """The clients of round t. Every replica draws the same amount from its stream in every round."""

    @abstractmethod
    def distribution(self, t: int) -> Distribution:
        """The distribution of round t. Raises NoClosedForm where a round depends on the state or the past."""

    def mean_counts(self) -> Array | None:
        """Mean participation count of each client, (m,), constant over rounds; None where it varies."""
        if self.period > 1:
            return None
        try:
            return self.distribution(0).first
        except NoClosedForm:
            return None

    @property
    def min_probability(self) -> float | None:
        """delta: a lower bound on inclusion probabilities of clients independent of each other and the past.

        None where they are not independent.
        """
        return None

    @property
    def max_probability(self) -> float | None:
        """delta_max: an upper bound on the same probabilities."""
        return None

    def size(self, t: int) -> int | None:
        """The number of clients in round t, where it is deterministic."""
        try:
            return self.distribution(t).fixed_size
        except NoClosedForm:
            return None

    @property
    def random(self) -> bool:
        """Whether two replicas may differ though they compute the same gradients."""
        try:
            return any(not self.distribution(t).deterministic for t in range(self.period))
        except NoClosedForm:
            return True

    @property
    def period(self) -> int:
        """The period of the distribution in rounds."""
        return 1

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``participation`` field of a RUN.json."""
