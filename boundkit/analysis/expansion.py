"""Sums and maxima over clients as scalar formulas: for homogeneous clients, and for given ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from sympy import Add, Expr, Float, Integer, Max, Symbol

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import m
from boundkit.algebra.quantity import Vector
from boundkit.algebra.sums import ActiveShare, ClientMax, ClientSum, RoundMax, RoundMean
from boundkit.analysis.evaluate import Array, evaluate


def expand_homogeneous(expr: Expr) -> Expr:
    """Homogeneous clients and rounds: a sum over clients is m times one of them.

    >>> from boundkit.algebra.notation import p_i, tau_i
    >>> expand_homogeneous(ClientSum(p_i * tau_i))
    tau
    """
    if isinstance(expr, (ClientSum, ClientMax, ActiveShare, RoundMean, RoundMax)):
        return expr.alike(expand_homogeneous(expr.args[0]), m)
    if isinstance(expr, Vector):
        return expr.alike
    return expr.func(*map(expand_homogeneous, expr.args)) if expr.args else expr


def expand_given(expr: Expr, rows: Mapping[str, Array]) -> Expr:
    """Sums and maxima written out, with the values of the clients; others are constant over clients.

    ``rows`` holds arrays of shape (rounds, m). Raises BoundkitError where rows differ from round to round
    and the formula is about one round.
    """
    return _expand(expr, rows, None).subs(m, next(iter(rows.values())).shape[-1])


def _expand(expr: Expr, rows: Mapping[str, Array], t: int | None) -> Expr:
    if isinstance(expr, (RoundMean, RoundMax)):
        rounds = max(r.shape[0] for r in rows.values())
        parts = [_expand(expr.args[0], rows, t) for t in range(rounds)]
        return Add(*parts) / rounds if isinstance(expr, RoundMean) else _largest(parts)
    if isinstance(expr, (ClientSum, ClientMax)):
        return _over_clients(expr, {name: _row(name, r, t) for name, r in rows.items()})
    return expr.func(*(_expand(a, rows, t) for a in expr.args)) if expr.args else expr


def _row(name: str, rows: Array, t: int | None) -> Array:
    if rows.shape[0] > 1 and t is None:
        raise BoundkitError(f"{name} has {rows.shape[0]} rows, but here every round is the same: give one.")
    row: Array = rows[min(t or 0, rows.shape[0] - 1)]
    return row


def _over_clients(expr: Expr, row: Mapping[str, Array]) -> Expr:
    count = next(iter(row.values())).size
    inside, row = _without_parts(expr.args[0], row)
    homogeneous_values = {
        v: v.alike for v in inside.free_symbols if isinstance(v, Vector) and v.name not in row
    }
    inside = inside.xreplace(homogeneous_values).subs(m, count)
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
                f"client participation must be given in numbers, but {', '.join(unsaid)} is a symbol here."
            )
        values = np.broadcast_to(evaluate(chances, more), next(iter(row.values())).shape)
        put[part] = Symbol(f"share_{len(known)}")
        known[put[part].name] = active_shares(values)
    return inside.xreplace(put), known


def _largest(parts: list[Expr]) -> Expr:
    # Unevaluated where symbols remain: sympy would compare every pair of them.
    distinct = list(dict.fromkeys(parts))
    if all(p.is_number for p in distinct):
        return max(distinct)
    return distinct[0] if len(distinct) == 1 else Max(*distinct, evaluate=False)


def _number(value: float) -> Expr:
    return Integer(int(value)) if value.is_integer() and abs(value) < 2**53 else Float(value, 17)


_TINY = 1e-290


def active_shares(probabilities: ArrayLike) -> Array:
    r"""E[1{i in S}/|S|] where client i participates with probability q_i, independently; shape (m,).

    With e_k the probability that k of the *other* clients participate, it is q_i sum_k e_k/(k + 1). The
    distribution of |S| is one product of polynomials, out of which client i is divided again: upwards where
    q_i <= 1/2 and downwards otherwise, so that no step enlarges an error. Each distinct probability is
    divided out once: O(m n) for n distinct ones, beside the product, and a closed form for n = 1.
    The shares sum to P(S is not empty).

    >>> active_shares([0.5, 1.0])  # the first has half of every other round
    array([0.25, 0.75])
    """
    q = np.asarray(probabilities, dtype=np.float64)
    values, place, repeats = np.unique(q, return_inverse=True, return_counts=True)
    if values.size == 1 and values[0] < 1:
        return np.full_like(q, -np.expm1(q.size * np.log1p(-values[0])) / q.size)
    count = np.ones(1)
    for value, repeat in zip(values, repeats, strict=True):
        count = _product(count, _power(np.array([1 - value, value]), int(repeat)))
    shares = np.empty_like(values)
    low = values <= 0.5
    shares[low] = _divided_upwards(values[low], count)
    shares[~low] = _divided_downwards(values[~low], count)
    return shares[place]


def _power(polynomial: Array, exponent: int) -> Array:
    if exponent == 1:
        return polynomial
    half = _power(polynomial, exponent // 2)
    square = _product(half, half)
    return _product(square, polynomial) if exponent % 2 else square


def _product(a: Array, b: Array) -> Array:
    """The product of two polynomials: of their bands of coefficients above underflow, which are narrow."""
    (low_a, high_a), (low_b, high_b) = _band(a), _band(b)
    product = np.zeros(a.size + b.size - 1)
    product[low_a + low_b : high_a + high_b + 1] = np.convolve(a[low_a : high_a + 1], b[low_b : high_b + 1])
    return product


def _band(polynomial: Array) -> tuple[int, int]:
    powers = np.nonzero(polynomial > _TINY)[0]
    return int(powers[0]), int(powers[-1])


def _divided_upwards(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1):
        others = (count[k] - q * others) / (1 - q)
        total += others / (k + 1)
    return q * total


def _divided_downwards(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1, 0, -1):
        others = (count[k] - (1 - q) * others) / q
        total += others / k
    return q * total
