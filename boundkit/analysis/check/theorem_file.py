"""The theorems that a user's own file defines. The file is executed as Python."""

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
    """The theorems that a file defines, in its order; what it only imports from ``known`` is left out.

    Raises BoundkitError where the file cannot be read or executed, or defines no theorem, and StatementError
    where a theorem of it is refused; each names the file and the line.
    """
    defined = execute(path, "a theorem", _QUANTITIES)
    found = {id(v): v for v in defined.values() if isinstance(v, Theorem)}
    theorems = [theorem for theorem in found.values() if (known or {}).get(theorem.name) is not theorem]
    if not theorems:
        raise BoundkitError(f"{path} defines no theorem; give one a name, as in THEOREM = Theorem(...).")
    names = [theorem.name for theorem in theorems]
    for name in names:
        if names.count(name) > 1:
            raise BoundkitError(f"{path} defines two theorems called {name!r}; a name is for one.")
    return theorems
