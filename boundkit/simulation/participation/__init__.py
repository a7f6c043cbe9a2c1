"""Client participation patterns, by the ``kind`` of a RUN.json.

A kind is a class with ``kind``, ``fields`` (required in a RUN.json), ``optional`` (optional fields with their
defaults) and ``of(clients, p, **fields)``. A kind added here is available everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.participation.availability import Bernoulli, Markov
from boundkit.simulation.participation.base import Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import (
    AllOrNone,
    Distribution,
    Draws,
    FixedSubset,
    Independent,
    NoClosedForm,
    PairMoments,
    UniformSubsets,
)
from boundkit.simulation.participation.power_of_choice import PowerOfChoice
from boundkit.simulation.participation.sampling import (
    Cyclic,
    Full,
    JointParticipation,
    Schedule,
    WithoutReplacement,
    WithReplacement,
)

KINDS: dict[str, type[Participation]] = {
    c.kind: c
    for c in (
        Full,
        WithoutReplacement,
        WithReplacement,
        Cyclic,
        PowerOfChoice,
        Bernoulli,
        Markov,
        JointParticipation,
    )
}
"""The kinds that a RUN.json may name; a schedule has a field of its own."""


def participation(spec: Any, clients: int, p: NDArray[np.float64] | None = None) -> Participation:
    """The participation that a RUN.json's field describes: a kind's name, or an object with its fields.

    ``p`` are the weights of the objective, uniform by default. Raises BoundkitError for an unknown kind,
    and for fields missing or unknown.
    """
    if isinstance(spec, str):
        spec = {"kind": spec}
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError(
            'participation must be an object with a "kind", such as {"kind": "uniform", "C": 0.1}.'
        )
    kind = spec["kind"]
    if kind not in KINDS:
        raise unknown("participation", kind, KINDS)
    chosen = KINDS[kind]
    given = checked_fields(f"{kind} participation", spec, ("kind", *chosen.fields), tuple(chosen.optional))
    del given["kind"]
    weights = np.full(clients, 1 / clients) if p is None else p
    return chosen.of(clients, weights, **given)


__all__ = [
    "KINDS",
    "AllOrNone",
    "Bernoulli",
    "Cyclic",
    "Distribution",
    "Draws",
    "FixedSubset",
    "Full",
    "Independent",
    "JointParticipation",
    "Markov",
    "NoClosedForm",
    "PairMoments",
    "Participants",
    "Participation",
    "PowerOfChoice",
    "Schedule",
    "SelectionContext",
    "UniformSubsets",
    "WithReplacement",
    "WithoutReplacement",
    "participation",
]
