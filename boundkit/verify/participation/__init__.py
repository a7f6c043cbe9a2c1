"""Who takes part in a round, by the ``kind`` of a RUN.json."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.verify.participation.base import Clients, FixedSubset, Law, Participation, UniformSubsets
from boundkit.verify.participation.full import Full
from boundkit.verify.participation.schedule import Schedule
from boundkit.verify.participation.uniform import Uniform

FIELDS: dict[str, tuple[str, ...]] = {"full": (), "uniform": ("C",)}
"""The kinds that a RUN.json may name, with the fields that each needs."""


def participation(spec: Any, clients: int) -> Participation:
    """The participation that a RUN.json's field describes: a kind's name, or an object with its fields.

    Raises BoundkitError for an unknown kind, and for fields missing or unknown.
    """
    if isinstance(spec, str):
        spec = {"kind": spec}
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError(
            'participation must be an object with a "kind", such as {"kind": "uniform", "C": 0.1}.'
        )
    kind = spec["kind"]
    if kind not in FIELDS:
        raise unknown("participation", kind, FIELDS)
    for name in spec:
        if name not in ("kind", *FIELDS[kind]):
            raise unknown(f"field of {kind} participation", name, ("kind", *FIELDS[kind]))
    for name in FIELDS[kind]:
        if name not in spec:
            raise BoundkitError(f"{kind} participation needs the field {name!r}.")
    if kind == "full":
        return Full(clients)
    fraction = spec["C"]
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)):
        raise BoundkitError(f"participation C must be a number, but it is {reprlib.repr(fraction)}.")
    if abs(fraction) > 1:  # also refuses whole numbers too large for a float
        raise BoundkitError(
            f"participation C = {reprlib.repr(fraction)} was given, but it must be above 0 and at most 1."
        )
    return Uniform(clients, float(fraction))


__all__ = [
    "FIELDS",
    "Clients",
    "FixedSubset",
    "Full",
    "Law",
    "Participation",
    "Schedule",
    "Uniform",
    "UniformSubsets",
    "participation",
]
