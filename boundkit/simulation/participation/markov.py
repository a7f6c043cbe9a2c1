"""Markovian availability: clients stay available, and unavailable, for several rounds."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.base import (
    Participants,
    Participation,
    SelectionContext,
    required_context,
)
from boundkit.simulation.participation.distribution import NoClosedForm
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.validation import checked_probabilities, number

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
