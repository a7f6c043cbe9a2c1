"""Substitution of client values into a theorem: quantities derived from tau_i, p_i, ... become scalar.

FedNova's bound is written in A, B, C, which are sums over clients. With values of the clients they become
numbers, or formulas in the remaining quantities (the step size, where the solver's weights depend on it).
For homogeneous clients they become formulas in m and tau. The result is a theorem.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sympy import Expr, Float
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.errors import unknown
from boundkit.algebra.quantity import Vector
from boundkit.algebra.solvers import GRADIENT_WEIGHTS
from boundkit.analysis.evaluate import Array, satisfied
from boundkit.analysis.expansion import expand_given, expand_homogeneous
from boundkit.analysis.solver_weights import is_shared_by_clients, read_weights, written_weight_sums
from boundkit.report.formatting import format_number

Definitions = Mapping[Quantity, Expr]


def homogeneous_form(theorem: Theorem, solver: str | None = None) -> Theorem:
    """The theorem for homogeneous clients, in scalar quantities; itself where it is that already.

    >>> from boundkit.theorems import theorem
    >>> homogeneous_form(theorem("fednova_nonconvex_surrogate")).bound.terms["noise drift"].expr
    6*L**2*eta**2*sigma**2*(tau - 1)
    """
    definitions = _definitions(theorem, solver)
    if not _has_derived(theorem):
        return theorem
    return _rewritten(theorem, _values(theorem, definitions, expand_homogeneous), {})


def substitute_clients(
    theorem: Theorem, given: Mapping[str, object], free: Collection[str] = ()
) -> tuple[Theorem, dict[str, object]]:
    """The theorem with the values of its clients substituted, and the remaining values.

    ``given`` may hold vectors by keyword (one number a client, or one row of them a round), ``solver``, or
    instead of it ``a_i`` (the weights of a client's gradients: a list for each client, or one for all),
    and derived quantities themselves, which are then taken as they are. Vectors that are missing take
    their value for homogeneous clients: p_i = 1/m; tau_i = tau, where tau is given or ``free``.

    Raises BoundkitError for an unknown solver, vectors of different lengths, values outside their domain,
    weights that do not sum to 1, and where the clients' work or availability is not given.
    """
    remaining = dict(given)
    if not _has_derived(theorem):
        return theorem, remaining
    _check_names(theorem, remaining)
    written, solver = remaining.pop("a_i", None), remaining.pop("solver", None)
    definitions = _definitions(theorem, solver)
    if written is not None:
        definitions |= _written_weights(theorem, given, remaining, written)
    definitions = {q: e for q, e in definitions.items() if q.name not in remaining}
    vectors = _vectors(theorem, definitions)
    rows = client_rows(
        {v.name: v for v in vectors}, {v.name: remaining.pop(v.name) for v in vectors if v.name in remaining}
    )
    homogeneous_vectors = [v for v in vectors if v.name not in rows and v not in definitions]
    _check_complete(theorem, homogeneous_vectors, {*remaining, *free})
    named = {"solver": solver, "a_i": written}
    clients = {n: value for n, value in named.items() if value is not None} | {
        n: _listed(r) for n, r in rows.items() if n in given
    }
    if not rows:
        values = _values(theorem, definitions, expand_homogeneous)
    else:
        count = next(iter(rows.values())).shape[-1]
        if remaining.setdefault("m", count) != count:
            raise BoundkitError(
                f"m = {remaining['m']!r} was given, but {next(iter(rows))} has {count} clients."
            )
        values = _values(theorem, definitions, lambda expr: expand_given(expr, rows))
    # numbers have no unit: a quantity with one, such as the noise of given clients, stays a symbol
    measured = {q: float(e) for q, e in values.items() if q.dimension != ONE and e.is_number}
    remaining |= {q.name: value for q, value in measured.items()}
    statement = _rewritten(theorem, {q: e for q, e in values.items() if q not in measured}, clients)
    known = {q.name for q in statement.quantities}
    # a quantity of the theorem may have no effect here, such as decay for one local step: no error
    mentioned = {s.name for e in definitions.values() for s in e.free_symbols} | {"m"}
    mentioned |= {q.name for q in theorem.quantities}
    mentioned |= {s.name for v in homogeneous_vectors for s in v.alike.free_symbols}
    remaining = {name: value for name, value in remaining.items() if name in known or name not in mentioned}
    for name in remaining:
        if name not in known:
            others = ", ".join([*clients, *(q.name for q in theorem.quantities if q.name in given)])
            raise BoundkitError(
                f"{name} was given, but it has no effect on {theorem.name} beside {others or 'the rest'}."
            )
    return statement, remaining


def _has_derived(theorem: Theorem) -> bool:
    """Whether something is derived from the clients, and was not put in already."""
    return bool(theorem.solvers) or not theorem.definitions.keys().isdisjoint(theorem.quantities)


def _listed(rows: Array) -> list[Any]:
    """Rows as lists, one row as a list of numbers, whole numbers as int."""
    lists = [[int(x) if x.is_integer() else x for x in row] for row in rows.tolist()]
    return lists[0] if len(lists) == 1 else lists


def _check_names(theorem: Theorem, given: Mapping[str, object]) -> None:
    parts = (theorem.definitions, *theorem.solvers.values())
    every = {q for part in parts for q in part}
    inside = {s for part in parts for e in part.values() for s in e.free_symbols}
    homogeneous = {s for v in inside if isinstance(v, Vector) for s in v.alike.free_symbols}
    known = {s.name for s in {*theorem.quantities, *every, *inside, *homogeneous}} | {"m"}
    known |= {"a_i"} if inside & set(GRADIENT_WEIGHTS) else set()
    for name in given:
        if name not in known and not (name == "solver" and theorem.solvers):
            raise unknown(f"parameter of {theorem.name}", str(name), known)


def _written_weights(
    theorem: Theorem, given: Mapping[str, object], remaining: dict[str, object], written: object
) -> dict[Quantity, Expr]:
    """Written weights in place of a solver: vectors go into ``remaining``, scalars into definitions."""
    alternatives = ("solver", "tau", "tau_i", *(q.name for q in GRADIENT_WEIGHTS))
    conflicting = next((name for name in alternatives if name in given), None)
    if conflicting:
        raise BoundkitError(
            f"a_i says how much each gradient weighs, so {conflicting} must not be given beside it."
        )
    sums = [written_weight_sums(weights) for weights in read_weights(written)]
    used = {s for e in theorem.definitions.values() for s in e.free_symbols if s.name in sums[0]}
    if is_shared_by_clients(written):
        return {q: Float(sums[0][q.name], 17) for q in used}
    remaining |= {q.name: [one[q.name] for one in sums] for q in used}
    return {}


def _definitions(theorem: Theorem, solver: object) -> dict[Quantity, Expr]:
    """What derived quantities are made of, with the solver's own part; the first solver is the usual one."""
    if solver is not None and solver not in theorem.solvers:
        raise unknown(f"solver of {theorem.name}", str(solver), theorem.solvers)
    chosen = solver if solver is not None else next(iter(theorem.solvers), None)
    return {**theorem.definitions, **(theorem.solvers[str(chosen)] if chosen is not None else {})}


def _vectors(theorem: Theorem, definitions: Definitions) -> list[Vector]:
    """The vectors on which the bound depends, derived ones included, from the bound downwards."""
    reached: dict[Quantity, None] = dict.fromkeys(q for q in theorem.quantities if q in definitions)
    for quantity in (waiting := list(reached)):
        for symbol in sorted(definitions.get(quantity, quantity).free_symbols, key=str):
            if symbol not in reached and (symbol in definitions or isinstance(symbol, Vector)):
                reached[symbol] = None
                waiting.append(symbol)
    return [q for q in reached if isinstance(q, Vector)]


def _check_complete(theorem: Theorem, missing: Iterable[Vector], known: Collection[str]) -> None:
    """Raise where the local steps or the participation probabilities of the clients are missing."""
    for vector in missing:
        scalar = vector.alike
        if isinstance(scalar, Quantity) and scalar.dimension == ONE and scalar.name not in known:
            raise BoundkitError(
                f"{theorem.name} needs {vector.name} ({vector.meaning}), one value for each client, "
                f"or {scalar.name} where all clients are alike."
            )


def _values(
    theorem: Theorem, definitions: Definitions, reduced: Callable[[Expr], Expr]
) -> dict[Quantity, Expr]:
    """What the theorem derives, in quantities that are not derived."""
    return {q: reduced(_grounded(q, definitions)) for q in theorem.quantities if q in definitions}


def _rewritten(theorem: Theorem, put: Definitions, clients: Mapping[str, object]) -> Theorem:
    """The theorem with these values put in."""
    steps, requires = (
        tuple(c for c in (_substituted(c, put) for c in part) if not _says_nothing(c))
        for part in (theorem.step_size, theorem.requires)
    )
    return replace(
        theorem,
        terms=tuple(replace(t, expr=t.expr.xreplace(put)) for t in theorem.terms),
        step_size=steps,
        requires=requires,
        definitions={q: e for q, e in put.items() if e != q},  # the least q_i of homogeneous clients is q
        solvers={},
        reductions=(),
        limits=(),
        clients=clients,
    )


def _substituted(condition: Relational, put: Definitions) -> Relational:
    # rebuilt unevaluated: sympy would decide 2 <= 1, and a theorem keeps its conditions as relations
    remaining, right = (side.xreplace(dict(put)) for side in condition.args)
    return condition.func(remaining, right, evaluate=False)


def _says_nothing(condition: Relational) -> bool:
    """Whether it is about numbers alone, and true, such as 0 <= 1 where no client takes local steps."""
    return not condition.free_symbols and bool(satisfied(condition, {}))


def _grounded(expr: Expr, definitions: Definitions) -> Expr:
    """The expression with derived quantities replaced by what they are made of, all the way down."""
    while expr.free_symbols & definitions.keys():
        expr = expr.xreplace(dict(definitions))
    return expr


WEIGHTS_TOLERANCE = 1e-9
"""How far weights may be from summing to one."""


def client_rows(vectors: Mapping[str, Vector], given: Mapping[str, object]) -> dict[str, Array]:
    """The given vectors as arrays of shape (rounds, m), rounds being 1 where one row was given.

    Raises BoundkitError for what is no list of numbers, a value outside the domain, weights that do not
    sum to 1, and vectors of different lengths.
    """
    rows = {name: _rows(vectors[name], value) for name, value in given.items()}
    names = list(rows)
    for other in names[1:]:
        if rows[other].shape[1] != rows[names[0]].shape[1]:
            one, another = sorted((names[0], other), key=lambda name: not vectors[name].sums_to_one)
            what = "weights" if vectors[one].sums_to_one else "values"
            raise BoundkitError(
                f"{one} holds {rows[one].shape[1]} {what} for {rows[another].shape[1]} clients: "
                f"{another} has {rows[another].shape[1]} values."
            )
    for name in names:
        if vectors[name].sums_to_one:
            _check_sums(name, rows[name])
    rounds = {rows[name].shape[0] for name in names} - {1}
    if len(rounds) > 1:
        raise BoundkitError(f"{' and '.join(names)} have {sorted(rounds)} rows, but one row is one round.")
    return rows


def _rows(vector: Vector, given: object) -> Array:
    numbers = np.asarray(given, dtype=object)
    listed = not isinstance(given, (str, dict, set, bool)) and numbers.ndim in (1, 2) and numbers.size
    if not listed or not all(isinstance(number, Real) for number in numbers.flat):
        raise BoundkitError(
            f"{vector.name} = {reprlib.repr(given)} was given, but it takes one number a client "
            f"({vector.meaning}), or rows of them, one a round."
        )
    for number in numbers.flat:
        complaint = vector.domain.complaint(number)
        if complaint:
            raise BoundkitError(
                f"{vector.name} holds {format_number(number)}, but {complaint} ({vector.meaning})."
            )
    return np.atleast_2d(numbers.astype(np.float64))


def _check_sums(name: str, rows: Array) -> None:
    for total in rows.sum(axis=1):
        if abs(total - 1) > WEIGHTS_TOLERANCE:
            raise BoundkitError(f"{name} sums to {total:.12g}, but weights sum to 1.")
