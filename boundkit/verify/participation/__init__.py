"""Who takes part in a round, by the ``kind`` of a RUN.json.

A kind is a class with ``kind``, ``fields`` (those that a RUN.json must give), ``optional`` (those it may
give, with their defaults) and ``of(clients, p, **fields)``. Adding one here adds it everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.verify.fields import checked_fields
from boundkit.verify.participation.base import Attendance, Clients, Participation, Sight, attendance
from boundkit.verify.participation.bernoulli import Bernoulli
from boundkit.verify.participation.cyclic import Cyclic
from boundkit.verify.participation.full import Full
from boundkit.verify.participation.laws import (
    Draws,
    FixedSubset,
    Independent,
    Law,
    NoLaw,
    Pairs,
    UniformSubsets,
)
from boundkit.verify.participation.markov import Markov
from boundkit.verify.participation.power_of_choice import PowerOfChoice
from boundkit.verify.participation.schedule import Schedule
from boundkit.verify.participation.uniform import Uniform
from boundkit.verify.participation.with_replacement import WithReplacement

KINDS: dict[str, type[Participation]] = {
    c.kind: c for c in (Full, Uniform, WithReplacement, Cyclic, PowerOfChoice, Bernoulli, Markov)
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
    "Attendance",
    "Bernoulli",
    "Clients",
    "Cyclic",
    "Draws",
    "FixedSubset",
    "Full",
    "Independent",
    "Law",
    "Markov",
    "NoLaw",
    "Pairs",
    "Participation",
    "PowerOfChoice",
    "Schedule",
    "Sight",
    "Uniform",
    "UniformSubsets",
    "WithReplacement",
    "attendance",
    "participation",
]
