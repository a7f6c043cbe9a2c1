"""The value of an expression, and the size of what it was made of: its rounding error is a part of that."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Mul, Number, Pow, Symbol

Array = NDArray[np.float64]


class Sized(NamedTuple):
    """A value, and the sum of the sizes of the parts that were added to make it."""

    value: Array
    size: Array


def sized(expr: Expr, known: Mapping[str, Array]) -> Sized:
    """A sum, product or power of letters, at values by name. Nothing is compiled: a proof is read once.

    >>> from boundkit.algebra.notation import eta, tau
    >>> sized(eta * (tau - 3), {"eta": np.array(0.5), "tau": np.array(2.0)})
    Sized(value=array(-0.5), size=array(2.5))
    """
    match expr:
        case Number():
            value = np.asarray(float(expr))
        case Symbol():
            value = known[expr.name]
        case Add() | Mul():
            parts = [sized(part, known) for part in expr.args]
            joined = sum if isinstance(expr, Add) else prod
            values, sizes = zip(*parts, strict=True)
            return Sized(np.asarray(joined(values)), np.asarray(joined(sizes)))
        case Pow():
            base, exponent = sized(expr.base, known), float(expr.exp)
            value = np.asarray(base.value**exponent)
            return Sized(value, np.asarray(base.size**exponent) if exponent > 0 else np.abs(value))
        case _:
            raise TypeError(f"a proof has sums, products and powers, not {type(expr).__name__}.")
    return Sized(value, np.abs(value))
