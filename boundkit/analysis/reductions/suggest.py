"""Derivation of the factors of a reduction of one theorem to another, for authors."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, S, simplify, sympify

from boundkit.algebra import BoundkitError, Quantity, Reduction, Theorem
from boundkit.algebra.printing import plain
from boundkit.algebra.reduction import check_values
from boundkit.analysis.reductions.graph import condition


def suggest(ours: Theorem, theirs: Theorem, when: Mapping[Quantity, Expr | int]) -> Reduction:
    """The reduction of ours to theirs under ``when``: factors by label, and the terms that remain.

    Factors are ratios of terms with the same label; those that are 1 are left out. Raises BoundkitError
    where theirs has a term that ours lacks under ``when``, and DimensionError for a value of another
    dimension than its quantity.

    >>> from boundkit.algebra.notation import tau
    >>> from boundkit.theorems import theorem
    >>> suggest(theorem("fedavg_nonconvex"), theorem("sgd_nonconvex"), {tau: 1}).factors
    {'initial gap': 2, 'stochastic noise': 4}
    """
    check_values(when)
    factors: dict[str, Expr | int] = {}
    leaves: list[str] = []
    for label in dict.fromkeys([*ours.bound.terms, *theirs.bound.terms]):
        mine, other = _at(ours, label, when), _at(theirs, label, when)
        if mine == 0 and other == 0:
            continue
        if mine == 0:
            raise BoundkitError(
                f"{ours.name} does not become {theirs.name} at {condition(when)}: it has no {label!r}, "
                f"and {theirs.name} has {plain(other)}."
            )
        if other == 0:
            leaves.append(label)
            continue
        ratio = simplify(mine / other)
        if ratio != 1:
            factors[label] = ratio
    reduction = Reduction(to=theirs.name, when=dict(when), factors=factors, leaves=tuple(leaves))
    remainder = reduction.check(ours.bound.terms, theirs.bound.terms)
    if remainder:  # simplify may fail on the ratio or on the difference
        raise BoundkitError(f"no factors were found by which {ours.name} becomes {theirs.name}: {remainder}.")
    return reduction


def as_code(reduction: Reduction) -> str:
    """A reduction as code for a theorem file, with ``boundkit.algebra.authoring``.

    >>> from boundkit.algebra.notation import tau
    >>> print(as_code(Reduction(to="sgd_nonconvex", when={tau: 1}, factors={"initial gap": 2})))
    to("sgd_nonconvex", {tau: 1}, factors={"initial gap": 2})
    """
    when = ", ".join(f"{quantity}: {_code_of(value)}" for quantity, value in reduction.when.items())
    parts = [f'"{reduction.to}"', *([f"{{{when}}}"] if when else [])]
    if reduction.factors:
        each = ", ".join(f'"{label}": {_code_of(factor)}' for label, factor in reduction.factors.items())
        parts.append(f"factors={{{each}}}")
    if reduction.leaves:
        parts.append(f"leaves=({', '.join(f'{label!r}' for label in reduction.leaves)},)".replace("'", '"'))
    return f"to({', '.join(parts)})"


def _at(theorem: Theorem, label: str, when: Mapping[Quantity, Expr | int]) -> Expr:
    if label not in theorem.bound.terms:
        return S.Zero
    return simplify(theorem.bound.terms[label].expr.subs(dict(when), simultaneous=True))


def _code_of(value: Expr | int) -> str:
    """The value as code, with fractions as Rational(4, 3)."""
    expr = sympify(value)
    return f"Rational({expr.p}, {expr.q})" if expr.is_Rational and not expr.is_Integer else str(expr)
