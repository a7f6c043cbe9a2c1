"""Theorems defined in a user's file, which is executed as Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.python_file import execute

_QUANTITIES = (
    "the quantities of boundkit come from boundkit.algebra.notation, and one of your own is a "
    "boundkit.algebra.Quantity (docs/new_theorem.md shows one)"
)


def theorems_in(path: str | Path, known: Mapping[str, Theorem] | None = None) -> list[Theorem]:
    """The theorems that a file defines, in its order, without those that it imports from ``known``.

    Raises BoundkitError where the file cannot be read or executed, or defines no theorem, and StatementError
    for an invalid theorem; each names the file and the line.
    """
    defined = execute(path, "a theorem", _QUANTITIES)
    distinct = {id(v): v for v in defined.values() if isinstance(v, Theorem)}
    theorems = [theorem for theorem in distinct.values() if (known or {}).get(theorem.name) is not theorem]
    if not theorems:
        raise BoundkitError(f"{path} defines no theorem; give one a name, as in THEOREM = Theorem(...).")
    names = [theorem.name for theorem in theorems]
    for name in names:
        if names.count(name) > 1:
            raise BoundkitError(f"{path} defines two theorems called {name!r}; names must differ.")
    return theorems
