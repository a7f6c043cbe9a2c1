"""Input of coefficients: lists of any lengths, highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import polynomial_roots as poly
from boundkit.simulation.problems.base import Array, checked_array

_HIGHEST = 40
_DIGITS = 140
_FLATTEST = 1e-6


def padded(given: Any) -> Array:
    """One row a client, (m, longest), left-padded with zeros; errors name the client."""
    if not isinstance(given, (list, tuple, np.ndarray)) or not len(given):
        raise BoundkitError("coefficients must be a list with one list a client, highest power first.")
    rows = [checked_array(f"coefficients[{i}]", row, (None,)) for i, row in enumerate(given)]
    for i, row in enumerate(rows):
        if not 1 <= len(row) <= _HIGHEST + 1:
            raise BoundkitError(
                f"coefficients[{i}] must hold 1 to {_HIGHEST + 1} numbers, but it holds {len(row)}."
            )
    width = max(map(len, rows))
    return np.stack([np.pad(row, (width - len(row), 0)) for row in rows])


def refuse_overflow(c: Array) -> None:
    """Raise BoundkitError where values at roots may overflow, by Cauchy's bound on the roots."""
    c = poly.trimmed(c)
    if len(c) > 1:
        with np.errstate(over="ignore"):
            reach = np.log10(1 + np.abs(c[1:] / c[0]).max())
        if not (len(c) - 1) * reach + np.log10(np.abs(c).max()) < _DIGITS:
            raise BoundkitError(
                "coefficients are of so unlike sizes that the values at their roots may overflow; "
                "measure x in other units."
            )


def slope(name: str, given: Any, above: bool) -> float | None:
    """A slope given by the user, or None; ``above``: 0 is refused too."""
    if given is None:
        return None
    value = float(checked_array(name, given, ()))
    if value < 0 or (above and value == 0):
        raise BoundkitError(f"{name} must be {'above' if above else 'at least'} 0, but it is {value:g}.")
    if value and not _FLATTEST <= value <= 1 / _FLATTEST:
        limits = f"from {_FLATTEST:g} to {1 / _FLATTEST:g}"
        raise BoundkitError(f"{name} must be {limits}, but it is {value:g}; measure x in other units.")
    return value
