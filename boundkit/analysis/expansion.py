"""Sums and maxima over clients as scalar formulas: for clients that are alike, and for given ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Float, Integer, Max, Symbol

from boundkit.algebra import BoundkitError
from boundkit.algebra.client_sums import ActiveShare, ClientMax, ClientSum, RoundMax, RoundMean
from boundkit.algebra.notation import m
from boundkit.algebra.vector import Vector
from boundkit.analysis.active_weights import active_shares
from boundkit.analysis.evaluate import evaluate

Array = NDArray[np.float64]


def for_alike(expr: Expr) -> Expr:
    """All clients and rounds alike: a sum over clients is m times one of them.

    >>> from boundkit.algebra.notation import p_i, tau_i
    >>> for_alike(ClientSum(p_i * tau_i))
    tau
    """
    if isinstance(expr, (ClientSum, ClientMax, ActiveShare, RoundMean, RoundMax)):
        return expr.alike(for_alike(expr.args[0]), m)
    if isinstance(expr, Vector):
        return expr.alike
    return expr.func(*map(for_alike, expr.args)) if expr.args else expr


def for_given(expr: Expr, rows: Mapping[str, Array]) -> Expr:
    """Sums and maxima written out, with the values of the clients; vectors not in ``rows`` are alike.

    ``rows`` holds arrays of shape (rounds, m). Raises BoundkitError where rows differ from round to round
    and the formula speaks of one round.
    """
    return _written(expr, rows, None).subs(m, next(iter(rows.values())).shape[-1])


def _written(expr: Expr, rows: Mapping[str, Array], t: int | None) -> Expr:
    if isinstance(expr, (RoundMean, RoundMax)):
        rounds = max(r.shape[0] for r in rows.values())
        parts = [_written(expr.args[0], rows, t) for t in range(rounds)]
        return Add(*parts) / rounds if isinstance(expr, RoundMean) else _largest(parts)
    if isinstance(expr, (ClientSum, ClientMax)):
        return _over_clients(expr, {name: _row(name, r, t) for name, r in rows.items()})
    return expr.func(*(_written(a, rows, t) for a in expr.args)) if expr.args else expr


def _row(name: str, rows: Array, t: int | None) -> Array:
    if rows.shape[0] > 1 and t is None:
        raise BoundkitError(f"{name} has {rows.shape[0]} rows, but here every round is the same: give one.")
    row: Array = rows[min(t or 0, rows.shape[0] - 1)]
    return row


def _over_clients(expr: Expr, row: Mapping[str, Array]) -> Expr:
    count = next(iter(row.values())).size
    inside, row = _without_parts(expr.args[0], row)
    missing = {v: v.alike for v in inside.free_symbols if isinstance(v, Vector) and v.name not in row}
    inside = inside.xreplace(missing).subs(m, count)
    vectors = sorted((v for v in inside.free_symbols if v.name in row), key=str)
    total = isinstance(expr, ClientSum)
    if inside.free_symbols == set(vectors):
        values = np.broadcast_to(evaluate(inside, {v.name: row[v.name] for v in vectors}), (count,))
        return _number(float(values.sum() if total else values.max()))
    if not vectors:
        return count * inside if total else inside
    # like clients give like summands, and a formula with a summand for each of them would be long
    kinds, counts = np.unique(np.stack([row[v.name] for v in vectors]), axis=1, return_counts=True)
    parts = [
        inside.xreplace({v: _number(float(x)) for v, x in zip(vectors, kind, strict=True)})
        for kind in kinds.T
    ]
    return Add(*(int(k) * p for k, p in zip(counts, parts, strict=True))) if total else _largest(parts)


def _without_parts(inside: Expr, row: Mapping[str, Array]) -> tuple[Expr, dict[str, Array]]:
    """An expression for one client without sums inside it, and without what needs all clients."""
    known, put = dict(row), {}
    for part in inside.atoms(ClientSum, ClientMax):
        put[part] = _over_clients(part, row)
    for part in inside.atoms(ActiveShare):
        chances, more = _without_parts(part.args[0], row)
        letters = {v: v.alike for v in chances.free_symbols if isinstance(v, Vector) and v.name not in more}
        chances = chances.xreplace(letters)
        unsaid = [str(s) for s in chances.free_symbols if s.name not in more]
        if unsaid:
            raise BoundkitError(
                f"who comes must be said in numbers, but {', '.join(unsaid)} is a letter here."
            )
        values = np.broadcast_to(evaluate(chances, more), next(iter(row.values())).shape)
        put[part] = Symbol(f"share_{len(known)}")
        known[put[part].name] = active_shares(values)
    return inside.xreplace(put), known


def _largest(parts: list[Expr]) -> Expr:
    # Unevaluated where letters are left: sympy would compare every pair of them.
    distinct = list(dict.fromkeys(parts))
    if all(p.is_number for p in distinct):
        return max(distinct)
    return distinct[0] if len(distinct) == 1 else Max(*distinct, evaluate=False)


def _number(value: float) -> Expr:
    return Integer(int(value)) if value.is_integer() and abs(value) < 2**53 else Float(value, 17)
