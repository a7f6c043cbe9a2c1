"""Values of vectors: one number a client, or one row of them a round, checked."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.vector import Vector
from boundkit.report.formatting import format_number

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
    numbers = np.asarray(given, dtype=object)
    listed = not isinstance(given, (str, dict, set, bool)) and numbers.ndim in (1, 2) and numbers.size
    if not listed or not all(isinstance(number, Real) for number in numbers.flat):
        raise BoundkitError(
            f"{vector.name} = {reprlib.repr(given)} was given, but it takes one number a client "
            f"({vector.meaning}), or rows of them, one a round."
        )
    for number in numbers.flat:
        complaint = vector.domain.complaint(number)
        if complaint:
            raise BoundkitError(
                f"{vector.name} holds {format_number(number)}, but {complaint} ({vector.meaning})."
            )
    rows = np.atleast_2d(numbers.astype(np.float64))
    if vector.sums_to_one:
        for total in rows.sum(axis=1):
            if abs(total - 1) > WEIGHTS_TOLERANCE:
                raise BoundkitError(f"{vector.name} sums to {total:.12g}, but weights sum to 1.")
    return rows
