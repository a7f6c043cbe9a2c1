"""Numbers, JSON values and lists of names, as every result shows them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

ROUNDING = 1e-13
"""Relative size of a rounding error after a few operations on float64."""


def format_number(value: object) -> str:
    """Write a number in few digits, without loss where it is short.

    >>> format_number(0.1), format_number(1000.0), format_number(1 / 3)
    ('0.1', '1000', '0.333333')
    """
    if isinstance(value, (int, np.integer)):
        return str(value) if abs(int(value)) < 10**21 else f"{Decimal(int(value)).normalize():.6g}"
    number = float(value)  # type: ignore[arg-type]
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.6g}"


def format_rounded(value: float, scale: float) -> str:
    """Write a number in few digits, as 0 where it is a rounding error of numbers of size ``scale``.

    >>> format_rounded(4.4e-16, 3.7), format_rounded(4.4e-16, 1e-15)
    ('0', '4.4e-16')
    """
    return "0" if abs(value) <= ROUNDING * scale else format_number(value)


def format_count(count: int, noun: str) -> str:
    """A number and what it counts.

    >>> format_count(1, "replica"), format_count(3, "replica")
    ('1 replica', '3 replicas')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def json_values(values: Any) -> Any:
    """Convert numbers, or nested lists of them, for JSON; what is not finite becomes None."""
    array = np.asarray(values)
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    objects = array.astype(object)
    objects[~np.isfinite(array)] = None
    return objects.tolist()


def join_names(names: Sequence[str]) -> str:
    """Join names as a sentence lists them.

    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
