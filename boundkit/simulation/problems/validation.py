"""Validation of a problem's numbers: ranges in which nothing over- or underflows; errors name the field."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import Array, checked_array, refuse_extreme


def positive(name: str, value: Any) -> float:
    """A number above 0, from 1e-50 to 1e50."""
    number = float(checked_array(name, value, ()))
    all_positive(name, checked_array(name, [number], (1,)))
    return number


def all_positive(name: str, values: Array) -> None:
    """Refuse an array unless its numbers are above 0, from 1e-50 to 1e50."""
    if values.min() <= 0:
        raise BoundkitError(f"{name} must be above 0, but it is {values.min():g}.")
    for number in (values.min(), values.max()):
        refuse_extreme(name, float(number))


def no_larger(name: str, values: Array, largest: float) -> None:
    """Refuse an array unless its numbers are at most that large in absolute value."""
    worst = float(max(values.max(), -values.min()))
    if worst > largest:
        raise BoundkitError(f"{name} must be at most {largest:g} in absolute value, but it is {worst:g}.")


def by_coordinate(name: str, given: Any, m: int, d: int) -> Array:
    """One number for each client or coordinate, (m,) or (m, d), as (m, d)."""
    first = given[0] if isinstance(given, (list, tuple, np.ndarray)) and len(given) else 0.0
    plain = not isinstance(first, (list, tuple)) and getattr(first, "ndim", 0) == 0
    values = checked_array(name, given, (m,) if plain else (m, d))
    return np.repeat(values[:, None], d, axis=1) if plain else values


def whole(name: str, value: Any, least: int, most: int = 2**31) -> int:
    """A whole number in that range."""
    number = float(checked_array(name, value, ()))
    if number % 1 != 0 or not least <= number <= most:
        raise BoundkitError(f"{name} must be a whole number from {least} to {most}, but it is {number:g}.")
    return int(number)
