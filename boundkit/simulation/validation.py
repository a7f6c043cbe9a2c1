"""Validation of input: arrays, numbers, weights and probabilities; errors name the field.

Numbers are limited to ranges in which their powers and products neither over- nor underflow.
"""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import LARGEST, SMALLEST
from boundkit.simulation.arrays import Array
from boundkit.simulation.dirichlet_draws import draw_probabilities, draw_weights, is_random


def checked_array(name: str, value: Any, shape: tuple[int | None, ...]) -> Array:
    """A float64 array of that shape (None: any length), at most 1e50 in size; the refusal names the field."""
    odd = _not_number(value)
    if odd is not None:
        raise BoundkitError(f"{name} must be numbers in the shape {_shape(shape)}, but it contains {odd}.")
    try:
        array = np.array(value, dtype=np.float64)
    except OverflowError:
        raise BoundkitError(f"{name} must be finite, but it contains a number too large for that.") from None
    except (TypeError, ValueError):
        raise BoundkitError(f"{name} must be numbers in the shape {_shape(shape)}, but it is not.") from None
    if array.ndim != len(shape) or any(w not in (None, h) for w, h in zip(shape, array.shape, strict=True)):
        raise BoundkitError(f"{name} must have the shape {_shape(shape)}, but it has {_shape(array.shape)}.")
    if not np.isfinite(array).all():
        raise BoundkitError(f"{name} must be finite, but it contains {array[~np.isfinite(array)].flat[0]}.")
    worst = float(np.abs(array).max(initial=0.0))
    if worst > LARGEST:
        raise BoundkitError(
            f"{name} must be at most {LARGEST:g} in absolute value, but it is {worst:g}; change the units."
        )
    return array


def _not_number(value: Any) -> str | None:
    """An entry that is not a number, such as a truth value or a text, which numpy would convert."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            if not set(map(type, item)) <= {int, float}:
                pending.extend(item)
        elif hasattr(item, "__array__"):
            if np.asarray(item).dtype.kind not in "iuf":
                return f"an array of {np.asarray(item).dtype}"
        elif isinstance(item, bool) or not isinstance(item, (int, float)):
            return reprlib.repr(item)
    return None


def _shape(shape: tuple[int | None, ...]) -> str:
    if not shape:
        return "() (one number)"
    return (
        "("
        + ", ".join("any" if n is None else str(n) for n in shape)
        + ("," if len(shape) == 1 else "")
        + ")"
    )


def checked_centers(centers: Any) -> Array:
    """Centres of the clients, (m, d), with at least one client and one coordinate."""
    e = checked_array("e", centers, (None, None))
    if e.size == 0:
        raise BoundkitError("e must hold at least one client with at least one coordinate.")
    return e


def checked_weights(weights: Any, m: int, name: str = "p") -> Array:
    """Weights of m clients, uniform by default. Raises BoundkitError unless they are >= 0 and sum to 1.

    {"dirichlet": concentration, "seed": s} draws them.
    """
    if weights is None:
        return np.full(m, 1 / m)
    if is_random(weights):
        return draw_weights(weights, m)
    p = checked_array(name, weights, (m,))
    if (p < 0).any():
        raise BoundkitError(
            f"{name} must not be negative, but client {int(np.argmin(p))} has weight {p.min():g}."
        )
    if abs(p.sum() - 1) > 1e-9:
        raise BoundkitError(f"{name} must sum to 1, but it sums to {p.sum():.12g}.")
    # weights that sum to 1 up to rounding are unchanged, so that a run written and read is the same run
    return p if abs(p.sum() - 1) <= 1e-12 else p / p.sum()


def checked_probabilities(value: Any, clients: int) -> Array:
    """Inclusion probabilities, (m,): one number for all, m numbers, or an object to draw them."""
    if is_random(value):
        return draw_probabilities(value, clients)
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)):
        return np.full(clients, number("probabilities", listed, 0, 1))
    if len(listed) != clients:
        raise BoundkitError(
            f"probabilities must be one number or {clients}, one a client, but {len(listed)} were given."
        )
    return np.array([number(f"probabilities[{i}]", q, 0, 1) for i, q in enumerate(listed)])


def checked_noise(noise: Any) -> float:
    """sigma as a finite number, at least 0."""
    value = float(checked_array("noise", noise, ()))
    if value < 0:
        raise BoundkitError(f"noise is a standard deviation and must be at least 0, but it is {value:g}.")
    if value:
        refuse_extreme("noise", value)
    return value


def refuse_extreme(name: str, value: float) -> None:
    """Raise BoundkitError for a number above 0 whose powers and products could over- or underflow."""
    if not SMALLEST <= value <= LARGEST:
        raise BoundkitError(
            f"{name} must be from {SMALLEST:g} to {LARGEST:g}, but it is {value:g}; change the units."
        )


def whole(name: str, value: Any, least: int, most: int = 2**31, limit: str = "") -> int:
    """A whole number from ``least`` to ``most``; ``limit`` names the origin of the upper limit.

    >>> whole("hidden", 128, 1)
    128
    """
    plain = value.item() if isinstance(value, (np.integer, np.floating)) else value
    valid = isinstance(plain, (int, float)) and not isinstance(plain, bool) and plain % 1 == 0
    if not valid or not least <= plain <= most:
        raise BoundkitError(
            f"{name} must be a whole number from {least} to {most}{limit}, but it is {reprlib.repr(value)}."
        )
    return int(plain)


def number(name: str, value: Any, least: float, most: float) -> float:
    """A number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BoundkitError(f"{name} must be a number, but it is {reprlib.repr(value)}.")
    if not least <= value <= most:  # a whole number may be too large for a float
        raise BoundkitError(f"{name} must be from {least:g} to {most:g}, but it is {reprlib.repr(value)}.")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """A truth value: true or false."""
    if not isinstance(value, bool):
        raise BoundkitError(f"{name} must be true or false, but it is {reprlib.repr(value)}.")
    return value


def positive(name: str, value: Any) -> float:
    """A number above 0, from 1e-50 to 1e50."""
    given = checked_array(name, value, ())
    all_positive(name, given)
    return float(given)


def all_positive(name: str, values: Array) -> None:
    """Refuse an array unless its numbers are above 0, from 1e-50 to 1e50."""
    if values.min() <= 0:
        raise BoundkitError(f"{name} must be above 0, but it is {values.min():g}.")
    for extreme in (values.min(), values.max()):
        refuse_extreme(name, float(extreme))


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
