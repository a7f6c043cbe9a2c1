"""Subexpressions that a mutant may change, and the changed expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Function, Max, Min, Mul, Pow, Rational, S

from boundkit.algebra import Quantity
from boundkit.verification.constants import is_unspecified

Path = tuple[int, ...]


@dataclass(frozen=True)
class Power:
    """A quantity, sum or function with a rational exponent, at one place of an expression."""

    path: Path
    base: Expr
    exponent: Rational

    def raised(self, by: int) -> Expr:
        """Return it with another exponent."""
        return Pow(self.base, self.exponent + by)


@dataclass(frozen=True)
class Sum:
    """A sum at one place, as ``content`` times a sum without a common numeric factor."""

    path: Path
    content: Rational
    sum: Expr


def powers(expr: Expr, path: Path = (), factor: bool = True) -> Iterator[Power]:
    """Every letter with its exponent, wherever it stands, and every sum or function that is a factor.

    Open constants are none: another power of what is not known is not known either.

    >>> from boundkit.algebra.notation import eta, tau
    >>> [(str(p.base), p.exponent) for p in powers(eta**2 * (tau - 1))]
    [('eta', 2), ('tau - 1', 1), ('tau', 1)]
    """
    if expr.is_number or (isinstance(expr, Quantity) and is_unspecified(expr.name)):
        return
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        yield Power(path, expr.base, expr.exp)
        if not isinstance(expr.base, Quantity):
            yield from _inside(expr.base, (*path, 0))
        return
    if isinstance(expr, Quantity) or (factor and isinstance(expr, (Add, Function, Max, Min))):
        yield Power(path, expr, S.One)
    yield from _inside(expr, path)


def _inside(expr: Expr, path: Path) -> Iterator[Power]:
    for place, part in enumerate(expr.args):
        yield from powers(part, (*path, place), isinstance(expr, Mul))


def sums(expr: Expr, path: Path = ()) -> Iterator[Sum]:
    """Yield every sum, the outer ones first."""
    if isinstance(expr, Add):
        content, rest = expr.primitive()
        yield Sum(path, content, rest)
    for place, part in enumerate(expr.args):
        yield from sums(part, (*path, place))


def replace_at(expr: Expr, path: Path, new: Expr) -> Expr:
    """The expression with something else at that place.

    >>> from boundkit.algebra.notation import eta, tau
    >>> replace_at(tau**2, (1,), eta)
    tau**eta
    """
    if not path:
        return new
    parts = list(expr.args)
    parts[path[0]] = replace_at(parts[path[0]], path[1:], new)
    return expr.func(*parts)


def enclosing_expression(expr: Expr, path: Path) -> Expr | None:
    """Return the innermost sum, function or variable power around the place; None for a plain factor."""
    result, part = None, expr
    for place in path:
        if isinstance(part, (Add, Function, Max, Min)) or (isinstance(part, Pow) and not part.exp.is_number):
            result = part
        part = part.args[place]
    return result
