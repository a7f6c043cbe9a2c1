"""Mistakes in the input. The message is one whole sentence, written for the person who made it."""

from collections.abc import Iterable
from difflib import get_close_matches


class BoundkitError(ValueError):
    """Bad input. The message says what was given, what is needed, and what is near."""


class DimensionError(BoundkitError):
    """A sum, comparison or power of unlike things. The message names both dimensions."""


def unknown(kind: str, given: str, known: Iterable[str]) -> BoundkitError:
    """The error for a name that is not in the list, with its neighbours.

    >>> str(unknown("theorem", "fedavgg", ["fedavg", "fednova"]))
    "unknown theorem 'fedavgg'; did you mean 'fedavg'?"
    >>> str(unknown("parameter", "TAU", ["m", "tau"]))
    "unknown parameter 'TAU'; did you mean 'tau'?"
    >>> str(unknown("option", "qqq", ["b", "a"]))
    "unknown option 'qqq'; known are a, b."
    """
    names = sorted(set(known))
    lower = {name.lower(): name for name in names}
    exact = [name for name in names if name.lower() == given.lower()]
    near = exact or _near(given, lower, 0.6) or _near(given, lower, 0.5)
    if near:
        return BoundkitError(f"unknown {kind} {given!r}; did you mean {' or '.join(map(repr, near))}?")
    if not names:
        return BoundkitError(f"unknown {kind} {given!r}; there are none.")
    return BoundkitError(f"unknown {kind} {given!r}; known are {', '.join(names)}.")


def _near(given: str, names: dict[str, str], cutoff: float) -> list[str]:
    return [names[n] for n in get_close_matches(given.lower(), names, n=3, cutoff=cutoff)]
