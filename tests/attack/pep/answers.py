"""The worst cases that several tests look at, each computed once."""

from __future__ import annotations

from functools import cache
from typing import Any

from boundkit.attack.pep import WorstCase, worst_case
from boundkit.attack.pep.worst_case import unsupported_reason
from boundkit.theorems import names, theorem

ASKABLE = [name for name in names() if unsupported_reason(theorem(name)) is None]
"""Every theorem of the catalogue of which a worst case can be asked."""


def alike(names: list[str]) -> list[str]:
    """Those that suppose and claim the same as one before them: they differ in constants alone."""
    seen: set[object] = set()
    found = []
    for name in names:
        of = theorem(name)
        kind = (of.algorithm, of.claim.name, frozenset(a.name for a in of.assumptions))
        found += [name] if kind in seen else []
        seen.add(kind)
    return found


def small(name: str) -> dict[str, Any]:
    """A setting that takes well under a second."""
    statement = theorem(name)
    if statement.assumes("uniform-dissimilarity"):
        return {"T": 1}
    if statement.assumes("partial-participation"):
        return {"tau": 1} if statement.assumes("bounded-below") else {}
    return {"tau_i": [1, 3]} if statement.definitions else {}


@cache
def answer(name: str) -> WorstCase:
    """The worst case of a theorem at its small setting."""
    return worst_case(theorem(name), **small(name))
