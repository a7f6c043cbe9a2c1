"""Largest step sizes: the conditions of a theorem, solved for a step size."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Dummy, Expr, Max, Min, Piecewise, S, Symbol, oo, solve
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import eta, eta_s
from boundkit.algebra.printing import plain
from boundkit.algebra.sums import WeightSquares, WeightSum
from boundkit.analysis.evaluate import Threshold, evaluate, satisfied
from boundkit.analysis.powers import monomial


@lru_cache(maxsize=256)
def largest(theorem: Theorem, symbol: Symbol = eta) -> Expr:
    """The largest value of the symbol that every condition allows, all else fixed; oo where none limits.

    >>> from boundkit.theorems import theorem
    >>> largest(theorem("sgd_nonconvex"))
    1/L
    """
    return _least([limit for c in theorem.step_size if (limit := _limit(c, symbol)) is not None])


@lru_cache(maxsize=256)
def largest_product(theorem: Theorem) -> Expr | None:
    """The largest eta_s eta, from the conditions that depend on both steps through their product only.

    None where no condition limits the product, or where one depends on both steps in another way.
    """
    product = Dummy("product", positive=True)
    limits: list[Expr] = []
    for condition in theorem.step_size:
        if not {eta, eta_s} <= condition.free_symbols:
            continue
        sides = [side.subs(eta, product / eta_s) for side in condition.args]
        if any(eta_s in side.free_symbols for side in sides):
            return None
        limit = _limit(condition.func(*sides), product)
        if limit is not None:
            limits.append(limit)
    return _least(limits) if limits else None


@lru_cache(maxsize=256)
def largest_alone(theorem: Theorem) -> Expr:
    """The largest eta, from the conditions without eta_s; oo where none does."""
    conditions = [c for c in theorem.step_size if eta_s not in c.free_symbols]
    return _least([limit for c in conditions if (limit := _limit(c, eta)) is not None])


@lru_cache(maxsize=256)
def least(theorem: Theorem, symbol: Symbol) -> Expr:
    """The least value of a step that all conditions and requirements allow, others fixed; 0 where none does.

    >>> from boundkit.theorems import theorem
    >>> least(theorem("fedlin_convex"), eta_s), least(theorem("sgd_nonconvex"), eta)
    (1, 0)
    """
    conditions = (*theorem.step_size, *theorem.requires)
    return _greatest([limit for c in conditions if (limit := _lower_limit(c, symbol)) is not None])


@lru_cache(maxsize=256)
def least_server_step(theorem: Theorem) -> Expr | None:
    """The least eta_s that the conditions and requirements on eta_s alone allow; 0 where none does.

    None where one of them is no lower limit.

    >>> from boundkit.theorems import theorem
    >>> least_server_step(theorem("fedawe_nonconvex"))
    1
    """
    alone = [
        _lower_limit(c, eta_s)
        for c in (*theorem.step_size, *theorem.requires)
        if eta_s in c.free_symbols and eta not in c.free_symbols
    ]
    limits = [limit for limit in alone if limit is not None]
    return _greatest(limits) if len(limits) == len(alone) else None


def limit_at(expr: Expr, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    """A limit as a number; inf where its condition does not bind (0 <= 0 included)."""
    limit = evaluate(expr, values)
    return np.where(np.isnan(limit), np.inf, limit)


def conditions_hold(theorem: Theorem, values: Mapping[str, ArrayLike]) -> NDArray[np.bool_]:
    """Where all conditions on the steps hold, up to a relative 1e-12."""
    result = np.asarray(True)
    for condition in theorem.step_size:
        result = result & satisfied(condition, values)
    return result


def _limit(condition: Relational, symbol: Symbol) -> Expr | None:
    """The upper limit that one condition sets, or None where it sets none."""
    if symbol not in condition.free_symbols:
        return None
    small, large = sides(condition)
    left, right = monomial(small, symbol), monomial(large, symbol)
    if left is not None and right is not None:
        power = left[1] - right[1]
        return (right[0] / left[0]) ** (1 / power) if power > 0 else None
    if (small - large).has(WeightSum, WeightSquares):
        return Threshold(small, large, symbol)
    roots = solve(small - large, symbol)
    if not roots:
        raise BoundkitError(f"the condition {plain(condition)} could not be solved for {symbol}.")
    return _least([Piecewise((root, root > 0), (oo, True)) for root in roots])


def _lower_limit(condition: Relational, symbol: Symbol) -> Expr | None:
    """The lower limit that one condition sets, or None where it sets none, or none that is a formula."""
    if symbol not in condition.free_symbols:
        return None
    small, large = sides(condition)
    left, right = monomial(small, symbol), monomial(large, symbol)
    if left is None or right is None or left[1] >= right[1]:
        return None
    return (left[0] / right[0]) ** (1 / (right[1] - left[1]))


def _greatest(limits: list[Expr]) -> Expr:
    return Max(*limits, evaluate=False) if len(limits) > 1 else limits[0] if limits else S.Zero


def _least(limits: list[Expr]) -> Expr:
    # Unevaluated: sympy would try to order symbols, which takes long and rarely succeeds.
    distinct = list(dict.fromkeys(limits))
    return oo if not distinct else distinct[0] if len(distinct) == 1 else Min(*distinct, evaluate=False)
