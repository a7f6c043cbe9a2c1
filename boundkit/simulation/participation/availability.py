"""Availability of clients: independent between rounds (Bernoulli), or a Markov chain for each client."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.base import (
    Participants,
    Participation,
    SelectionContext,
    required_context,
)
from boundkit.simulation.participation.distribution import Independent, NoClosedForm
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.validation import checked_probabilities, number, whole


@dataclass(frozen=True)
class AvailabilityShape:
    """``period`` P, ``gamma`` and ``cut`` of the sines, ``low`` of the staircase."""

    period: int = 20
    gamma: float = 0.3
    cut: float = 0.1
    low: float = 0.4


def stationary(p: Array, t: int, shape: AvailabilityShape) -> Array:
    """p."""
    return p


def staircase(p: Array, t: int, shape: AvailabilityShape) -> Array:
    """p in the first half of a period, ``low`` p in the second."""
    return p * (1.0 if 2 * (t % shape.period) < shape.period else shape.low)


def sine(p: Array, t: int, shape: AvailabilityShape) -> Array:
    """p s(t), s(t) = gamma sin(2 pi t/P) + 1 - gamma, between 1 - 2 gamma (at least 0) and 1."""
    return p * min(max(_wave(t, shape), 0.0), 1.0)


def interleaved_sine(p: Array, t: int, shape: AvailabilityShape) -> Array:
    """p s(t) where that is at least ``cut``, else 0: rare clients are unavailable in part of each period."""
    q = sine(p, t, shape)
    return np.where(q >= shape.cut, q, 0.0)


def _wave(t: int, shape: AvailabilityShape) -> float:
    return shape.gamma * math.sin(2 * math.pi * (t % shape.period) / shape.period) + 1 - shape.gamma


DYNAMICS: dict[str, Callable[[Array, int, AvailabilityShape], Array]] = {
    f.__name__: f for f in (stationary, staircase, sine, interleaved_sine)
}
"""The probabilities of round t, (m,), from the base values p: FedAWE (arXiv 2409.17446), appendix J.3."""

USES: dict[str, tuple[str, ...]] = {
    "stationary": (),
    "staircase": ("period", "low"),
    "sine": ("period", "gamma"),
    "interleaved_sine": ("period", "gamma", "cut"),
}
"""The fields of Shape that each depends on."""


class Bernoulli(Participation):
    """Client i participates in round t with probability p_i^t, independently of clients and rounds.

    ``probabilities``: one number, m numbers, or an object that draws them (``dirichlet_draws``).
    ``dynamics``, with P = ``period``: p_i^t is p_i (``stationary``); p_i, then ``low`` p_i in the second
    half of each period (``staircase``); p_i s(t) with s(t) = gamma sin(2 pi t/P) + 1 - gamma (``sine``);
    p_i s(t) where that is at least ``cut``, else 0 (``interleaved_sine``).

    Raises BoundkitError for probabilities outside [0, 1] and unknown dynamics.
    Source: Xiang, Ioannidis, Yeh, Joe-Wong, Su, arXiv 2409.17446, appendix J.3.
    """

    kind = "bernoulli"
    fields = ("probabilities",)
    optional: ClassVar[dict[str, Any]] = {
        "dynamics": "stationary",
        "period": 20,
        "gamma": 0.3,
        "cut": 0.1,
        "low": 0.4,
    }
    ragged = True

    def __init__(
        self,
        base: Array,
        dynamics: str = "stationary",
        shape: AvailabilityShape | None = None,
        given: Any = None,
    ) -> None:
        self.m, self.base, self.dynamics, self.shape = len(base), base, dynamics, shape or AvailabilityShape()
        self._given = base.tolist() if given is None else given
        rounds = self.shape.period if USES[dynamics] else 1
        self._table = np.stack([DYNAMICS[dynamics](base, t, self.shape) for t in range(rounds)])

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        given = fields.pop("probabilities")
        dynamics = fields.pop("dynamics", "stationary")
        if not isinstance(dynamics, str):
            raise BoundkitError(f"dynamics must be a text, one of {', '.join(DYNAMICS)}.")
        if dynamics not in DYNAMICS:
            raise unknown("dynamics of bernoulli participation", dynamics, DYNAMICS)
        period = whole("period", fields.pop("period", AvailabilityShape.period), 1, _LONGEST)
        shape = AvailabilityShape(
            period, **{name: number(name, value, 0, 1) for name, value in fields.items()}
        )
        given = given.tolist() if isinstance(given, np.ndarray) else given
        return cls(checked_probabilities(given, clients), dynamics, shape, given)

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        return Participants.from_counts(
            (streams.uniform(self.m) < self._table[t % self.period]).astype(np.intp)
        )

    def distribution(self, t: int) -> Independent:
        return Independent(tuple(self._table[t % self.period].tolist()))

    @property
    def mean_probabilities(self) -> Array:
        """Inclusion probability of each client, averaged over a period, (m,)."""
        return np.asarray(self._table.mean(axis=0))

    @property
    def min_probability(self) -> float:
        return float(self._table.min())

    @property
    def max_probability(self) -> float:
        return float(self._table.max())

    @property
    def period(self) -> int:
        return len(self._table)

    def to_json(self) -> dict[str, Any]:
        shape = {name: getattr(self.shape, name) for name in USES[self.dynamics]}
        return {"kind": self.kind, "probabilities": self._given, "dynamics": self.dynamics, **shape}


_LONGEST = 10**5
"""The longest period."""


SWITCH_ON = 0.05


class Markov(Participation):
    """Each client is an independent two-state chain, available with stationary probability q_i.

    An unavailable client becomes available with probability a_i = min(``switch_on``, q_i/(1 - q_i)), an
    available one unavailable with b_i = a_i (1 - q_i)/q_i, so that q_i = a_i/(a_i + b_i). Chains start in the
    stationary distribution: in every round client i is available with probability q_i, but consecutive rounds
    have the correlation 1 - a_i - b_i. ``probabilities`` are the q_i, as for ``bernoulli``.

    Raises BoundkitError for probabilities outside [0, 1], and for switch_on outside (0, 1].
    Source: the published code of FedAU (Wang, Ji, arXiv 2306.03401), whose switch_on is 0.05.
    """

    kind = "markov"
    fields = ("probabilities",)
    optional: ClassVar[dict[str, Any]] = {"switch_on": SWITCH_ON}
    ragged = True

    def __init__(self, q: Array, switch_on: float = SWITCH_ON, given: Any = None) -> None:
        self.m, self.q, self.switch_on = len(q), q, switch_on
        self._given = q.tolist() if given is None else given
        with np.errstate(divide="ignore"):  # a client that is always available never returns
            self.on = np.where(q < 1, np.minimum(switch_on, q / (1 - q)), 1.0)
        self.off = np.where(q > 0, self.on * (1 - q) / np.where(q > 0, q, 1.0), 1.0)

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        given = fields["probabilities"]
        given = given.tolist() if isinstance(given, np.ndarray) else given
        switch_on = number("switch_on", fields.get("switch_on", SWITCH_ON), _LEAST, 1)
        return cls(checked_probabilities(given, clients), switch_on, given)

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        state, u = required_context(context, self.kind).state, streams.uniform(self.m)
        before = state.get("present")
        probabilities = self.q if before is None else np.where(before, 1 - self.off, self.on)
        state["present"] = u < probabilities
        return Participants.from_counts(state["present"].astype(np.intp))

    def distribution(self, t: int) -> NoReturn:
        raise NoClosedForm(
            "markov participation has no distribution of a single round: it depends on the previous round."
        )

    def mean_counts(self) -> Array:
        return self.q

    @property
    def random(self) -> bool:
        """Whether two replicas may differ: not if all probabilities are 0 or 1."""
        return bool(((self.q > 0) & (self.q < 1)).any())

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "probabilities": self._given, "switch_on": self.switch_on}


_LEAST = 1e-12
"""The smallest allowed switch_on."""
