"""Validation of layer widths; errors name the field."""

from __future__ import annotations

from typing import Any

from boundkit.algebra import BoundkitError

WIDEST = 10**5


def width(name: str, value: Any, least: int = 1, most: int = WIDEST) -> int:
    """A whole number in that range. Raises BoundkitError.

    >>> width("hidden", 128)
    128
    """
    whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0
    if not whole or not least <= value <= most:
        raise BoundkitError(f"{name} must be a whole number from {least} to {most}, but it is {value!r}.")
    return int(value)


def widths(name: str, value: Any, example: str, most: int | None = None) -> tuple[int, ...]:
    """A non-empty tuple of at most ``most`` numbers, from a list. Raises BoundkitError."""
    if not isinstance(value, (list, tuple)) or not value or (most is not None and len(value) > most):
        long = "" if most is None else f" of at most {most} numbers"
        raise BoundkitError(f"{name} must be a list{long}, such as {example}, but it is {value!r}.")
    return tuple(width(name, n) for n in value)
