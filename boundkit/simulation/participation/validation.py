"""Validation of participation fields."""

from __future__ import annotations

import math
import reprlib
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.dirichlet import draw_probabilities, is_drawn
from boundkit.simulation.participation.base import Array


def whole(name: str, value: Any, least: int, most: int | None = None, whose: str = "") -> int:
    """A whole number from ``least`` to ``most``; ``whose`` names the origin of the upper limit."""
    upper = "" if most is None else f" and at most {most}{whose}"
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise BoundkitError(
            f"{name} must be a whole number of at least {least}{upper}, but it is {reprlib.repr(value)}."
        )
    if value < least or (most is not None and value > most):
        raise BoundkitError(f"{name} must be at least {least}{upper}, but it is {reprlib.repr(value)}.")
    return int(value)


def number(name: str, value: Any, least: float, most: float) -> float:
    """A number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BoundkitError(f"{name} must be a number, but it is {reprlib.repr(value)}.")
    if not least <= value <= most:  # a whole number may be too large for a float
        raise BoundkitError(f"{name} must be from {least:g} to {most:g}, but it is {reprlib.repr(value)}.")
    return float(value)


def truth(name: str, value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise BoundkitError(f"{name} must be true or false, but it is {reprlib.repr(value)}.")
    return value


def chances(value: Any, clients: int) -> Array:
    """The inclusion probabilities, (m,): one number for all, m numbers, or an object to draw them."""
    if is_drawn(value):
        return draw_probabilities(value, clients)
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)):
        return np.full(clients, number("probabilities", listed, 0, 1))
    if len(listed) != clients:
        raise BoundkitError(
            f"probabilities must be one number or {clients}, one a client, but {len(listed)} were given."
        )
    return np.array([number(f"probabilities[{i}]", q, 0, 1) for i, q in enumerate(listed)])


def weights(name: str, value: Any, clients: int) -> Array:
    """m numbers of at least 0 that sum to 1 within 1e-9, rescaled to sum to 1."""
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)) or len(listed) != clients:
        raise BoundkitError(f"{name} must be {clients} numbers, one a client.")
    p = np.array([number(f"{name}[{i}]", v, 0, 1) for i, v in enumerate(listed)])
    if not math.isclose(p.sum(), 1, abs_tol=1e-9):
        raise BoundkitError(f"{name} must sum to 1, but they sum to {p.sum():.12g}.")
    return np.asarray(p / p.sum())
