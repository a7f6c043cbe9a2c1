"""Values shared by several theorems: each takes those that it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.vector import Vector
from boundkit.analysis.client_values import settled
from boundkit.analysis.parameters import Parameters, resolve
from boundkit.analysis.step_size_rules import STEPS, under_rules


@dataclass(frozen=True, eq=False)
class Part:
    """A theorem with its clients and rules put in, and its share of the values.

    ``tunes`` says that its eta is still to be found, so it is not among the values.
    """

    theorem: Theorem
    asked: Parameters
    rules: Mapping[str, Expr]
    tunes: bool


def shared(theorems: Sequence[Theorem], given: Mapping[str, object], tuned: bool = False) -> list[Part]:
    """Each theorem with those of the values that it knows, and typical ones for what is missing.

    What is missing is the same for all that know it: the first theorem's typical value. Raises
    BoundkitError for a name that no theorem knows, and for one keyword with two meanings.
    """
    knowing = [names_of(theorem) for theorem in theorems]
    for name in given:
        if not any(name in names for names in knowing):
            raise unknown("parameter of any of these theorems", str(name), set().union(*knowing))
    if tuned and "eta" in given:
        raise BoundkitError("eta is what is tuned here, so it must not be given.")
    parts = [
        _settled(t, {n: v for n, v in given.items() if n in k})
        for t, k in zip(theorems, knowing, strict=True)
    ]
    statements = [statement for statement, _, _ in parts]
    for one, other in combinations(statements, 2):
        for name in {q.name for q in one.quantities} & {q.name for q in other.quantities}:
            first, second = (next(q for q in t.quantities if q.name == name) for t in (one, other))
            if first != second:
                raise BoundkitError(f"{name} of {one.name} and {name} of {other.name} are unlike quantities.")
    typical: dict[str, float] = {}
    for statement in statements:
        for quantity in statement.quantities:
            typical.setdefault(quantity.name, float(quantity.typical))
    found = []
    for statement, left, rules in parts:
        tunes = tuned and any(q.name == "eta" for q in statement.quantities)
        free = ("eta",) if tunes else ()
        missing = [q.name for q in statement.quantities if q.name not in left and q.name not in free]
        asked = resolve(statement, left | {name: typical[name] for name in missing}, free)
        found.append(Part(statement, asked, rules, tunes))
    return found


def _settled(
    theorem: Theorem, given: dict[str, object]
) -> tuple[Theorem, dict[str, object], dict[str, Expr]]:
    """With its clients and rules put in. Where a vector is given, the scalar it stands for is not needed."""
    own = {q.name for q in theorem.quantities}
    for vector in _vectors(theorem):
        if vector.name in given:
            for symbol in vector.alike.free_symbols:
                if symbol.name not in own and symbol.name != "m":
                    given.pop(symbol.name, None)
    rules = {name: given.pop(name) for name in STEPS if isinstance(given.get(name), (str, Expr))}
    statement, left = settled(theorem, given)
    ruled, _, written = under_rules(statement, rules)
    return ruled, left, written


def _vectors(theorem: Theorem) -> set[Vector]:
    every = [*theorem.definitions.items(), *(d for s in theorem.solvers.values() for d in s.items())]
    symbols = {symbol for quantity, expr in every for symbol in {quantity, *expr.free_symbols}}
    return {symbol for symbol in symbols if isinstance(symbol, Vector)}


def names_of(theorem: Theorem) -> set[str]:
    """What the theorem may be asked with."""
    names = {q.name for q in theorem.quantities}
    if not theorem.definitions and not theorem.solvers:
        return names
    every = [*theorem.definitions.items(), *(d for s in theorem.solvers.values() for d in s.items())]
    inside = {symbol for quantity, expr in every for symbol in {quantity, *expr.free_symbols}}
    alike = {s for vector in _vectors(theorem) for s in vector.alike.free_symbols}
    return names | {s.name for s in inside | alike} | {"m"} | ({"solver"} if theorem.solvers else set())
