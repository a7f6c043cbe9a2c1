"""Values of vectors: one number a client, or one row of them a round, checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.vector import Vector

Array = NDArray[np.float64]

WEIGHTS_TOLERANCE = 1e-9
"""How far weights may be from summing to one."""


def rows_of(vectors: Mapping[str, Vector], given: Mapping[str, object]) -> dict[str, Array]:
    """The given vectors as arrays of shape (rounds, m), rounds being 1 where one row was given.

    Raises BoundkitError for what is no list of numbers, a value outside the domain, weights that do not
    sum to 1, and vectors of unlike lengths.
    """
    rows = {name: _rows(vectors[name], value) for name, value in given.items()}
    names = list(rows)
    for name in names[1:]:
        if rows[name].shape[1] != rows[names[0]].shape[1]:
            raise BoundkitError(
                f"{names[0]} holds the values of {rows[names[0]].shape[1]} clients, "
                f"but {name} of {rows[name].shape[1]}."
            )
    rounds = {rows[name].shape[0] for name in names} - {1}
    if len(rounds) > 1:
        raise BoundkitError(f"{' and '.join(names)} have {sorted(rounds)} rows, but one row is one round.")
    return rows


def _rows(vector: Vector, given: object) -> Array:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if isinstance(given, (str, dict, set, bool)) or values.ndim not in (1, 2) or not values.size:
        raise BoundkitError(
            f"{vector.name} = {given!r} was given, but it takes one number a client ({vector.meaning}), "
            "or rows of them, one a round."
        )
    for value in values.ravel():
        complaint = vector.domain.complaint(float(value))
        if complaint:
            raise BoundkitError(f"{vector.name} holds {value:g}, but {complaint} ({vector.meaning}).")
    rows = np.atleast_2d(values)
    if vector.sums_to_one:
        for total in rows.sum(axis=1):
            if abs(total - 1) > WEIGHTS_TOLERANCE:
                raise BoundkitError(f"{vector.name} sums to {total:.12g}, but weights sum to 1.")
    return rows
