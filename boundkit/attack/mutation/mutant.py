"""A mutant of a theorem: the subexpression that it changes, the changed expression, and its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

from sympy import Add, Expr, Function, Max, Min, Mul, Pow, Rational, S
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
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
    """Every quantity with its exponent, at any depth, and every sum or function that is a factor.

    Unspecified constants are excluded: another power of one is as unspecified.

    >>> from boundkit.algebra.notation import eta, tau
    >>> [(str(p.base), p.exponent) for p in powers(eta**2 * (tau - 1))]
    [('eta', 2), ('tau - 1', 1), ('tau', 1)]
    """
    if expr.is_number or (isinstance(expr, Quantity) and is_unspecified(expr.name)):
        return
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        yield Power(path, expr.base, expr.exp)
        if not isinstance(expr.base, Quantity):
            yield from _powers_inside(expr.base, (*path, 0))
        return
    if isinstance(expr, Quantity) or (factor and isinstance(expr, (Add, Function, Max, Min))):
        yield Power(path, expr, S.One)
    yield from _powers_inside(expr, path)


def _powers_inside(expr: Expr, path: Path) -> Iterator[Power]:
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


KINDS: dict[str, str] = {
    "dropped": "a term left out",
    "minus one": "tau - 1 for tau, and back",
    "clients": "C m for m, and back",
    "noise": "sigma for sigma_g, and back",
    "square": "a square lost",
    "exponent": "an exponent up or down by one",
    "constant": "a constant divided by 2, 4 or 10",
    "condition": "a condition on the steps relaxed by 2 or 10",
}
"""Kinds of mistakes, in the order of reports."""


@dataclass(frozen=True)
class Mutant:
    """A theorem with one mistake: in the term ``label``, or in the condition at ``place``.

    ``what`` describes the mistake: "client drift: tau^2 for tau^3". An omitted term is 0, so that reductions
    and limits still find it. ``times``: the divisor of a constant (the factor, in a lower bound), or the
    factor of a relaxed condition, else 1. ``path``, ``part``: place of the change in the term, and the new
    subexpression.
    """

    original: Theorem
    kind: str
    what: str
    label: str = ""
    expr: Expr | None = None
    place: int = -1
    condition: Relational | None = None
    times: int = 1
    path: Path | None = None
    part: Expr | None = None

    @cached_property
    def theorem(self) -> Theorem:
        """The changed theorem. Raises DimensionError, or BoundkitError where it is no theorem."""
        if self.condition is not None:
            steps = list(self.original.step_size)
            steps[self.place] = self.condition
            return replace(self.original, step_size=tuple(steps))
        terms = tuple(replace(t, expr=self.expr) if t.label == self.label else t for t in self.original.terms)
        return replace(self.original, terms=terms)


Outcome = Literal["killed", "weaker", "proved", "not proved", "inside slack", "not testable", "survived"]
Killer = Literal["dimension", "reduction", "limit", "verification", "slope", "falsifier", ""]

OUTCOMES: dict[Outcome, str] = {
    "killed": "shown to be false",
    "weaker": "proved to be implied by a theorem of the catalogue",
    "proved": "proved by a certificate, so that it is a better theorem",
    "not proved": "implied by the theorem at every random point of its domain, without a proof",
    "inside slack": "no measurement needs the omitted part",
    "not testable": "no instance shows its term",
    "survived": "probably false, and no test detects it",
}
OPEN: tuple[Outcome, ...] = ("not proved", "inside slack", "not testable", "survived")
"""The outcomes of mutants that are neither refuted nor proved."""
KILLERS: dict[Killer, str] = {
    "dimension": "its dimension is wrong, or it is no theorem",
    "reduction": "it does not reduce to the theorem of a stated reduction",
    "limit": "a limit that the theorem states does not hold",
    "verification": "a default instance, a stored one or a single cause lies above it",
    "slope": "what is measured grows faster than its term",
    "falsifier": "the search found an instance above it",
}


@dataclass(frozen=True)
class MutantResult:
    """The outcome of one mutant, with the test that decided it, the reason and the seconds.

    ``ratio``: measured/bound of the instance that kills, else of the nearest one. ``slack``: the factor at
    typical values by which its term is larger, where it is weaker. ``instance``: the instance that kills or
    is nearest, with the RUN.json that replays it under ``run`` where it is a run, else the cause and the
    quantities of the exact instance. ``failed``: of an open mutant, the theorem whose certificate comes
    nearest, and the step that fails.
    """

    kind: str
    label: str
    what: str
    outcome: Outcome
    by: Killer = ""
    reason: str = ""
    seconds: float = 0.0
    ratio: float | None = None
    slack: float | None = None
    instance: Mapping[str, Any] | None = None
    failed: str = ""

    @property
    def open(self) -> bool:
        """Whether it is false as far as is known, and no test detects it."""
        return self.outcome == "survived"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return asdict(self)


def mutant_result(mutant: Mutant, outcome: Outcome, **more: Any) -> MutantResult:
    """Construct the result of a mutant."""
    return MutantResult(mutant.kind, mutant.label, mutant.what, outcome, **more)
