"""Checks of the metadata: name, quantities, numbers, reasons, assumptions, source, limits and reductions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sympy import Add, Expr, Float, Mul, nan, simplify, sympify, zoo

from boundkit.algebra import PROVENANCES, Assumption, Limit, Quantity, Reduction, Term, Theorem, dimension_of
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import (
    ALPHABET,
    G,
    L,
    comp_noise,
    kappa,
    mu,
    mu_pl,
    quantities_of,
    robustness,
    sigma,
    sigma_between,
    sigma_c,
    sigma_g,
    sigma_star,
    sigma_within,
    staleness,
    units_of,
    zeta,
)
from boundkit.algebra.printing import plain
from boundkit.algebra.reduction import vanishes
from boundkit.algebra.term import OPEN_CONSTANT
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.check.context import (
    CheckContext,
    OutcomeWithReason,
    admissible,
    failed,
    numbers,
    passed,
    skipped,
)
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.expressions import parse
from boundkit.report.formatting import join_names

_ARXIV = r"\d{2}(0[1-9]|1[0-2])\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}"


def name(context: CheckContext) -> OutcomeWithReason:
    """No other theorem has the name."""
    other = context.known.get(context.theorem.name)
    if other is not None and other != context.theorem:
        return failed(f"another theorem is called {context.theorem.name!r}; choose another name.")
    return passed("no other theorem has the name.")


def quantities(context: CheckContext) -> OutcomeWithReason:
    """Keywords of the notation keep their meaning."""
    own = []
    for quantity in quantities_of(context.formulas):
        standard = ALPHABET.get(quantity.name)
        if standard is None:
            own.append(quantity.name)
        elif standard != quantity:
            return failed(
                f"{quantity.name!r} is {quantity.meaning!r} ({quantity.dimension}) here, but "
                f"{quantity.name!r} is {standard.meaning!r} ({standard.dimension}) in the notation; "
                "take another keyword."
            )
    for theirs, ours in context.theorem.source.renamed.items():
        undefined = [s for s in ours.free_symbols if not isinstance(s, Quantity)]
        if undefined:
            return failed(
                f"the source's {theirs!r} is mapped to {plain(ours)}, and {undefined[0]} is no quantity."
            )
    return passed(
        f"quantities of its own: {join_names(own)}." if own else "every quantity is of the notation."
    )


def fractions(context: CheckContext) -> OutcomeWithReason:
    """No number was rounded: Rational(1, 2), never 0.5."""
    for formula in context.formulas:
        floats = formula.atoms(Float)
        if floats:
            return failed(f"{plain(formula)} holds {min(map(float, floats)):g}; write it as a Rational.")
    return passed("every number is exact.")


def reasons(context: CheckContext) -> OutcomeWithReason:
    """Every term states the provenance of its constant and a reason whose arithmetic is correct."""
    for term in context.theorem.terms:
        if term.provenance not in PROVENANCES:
            return failed(f"the term {term.label!r} has the unknown provenance {term.provenance!r}.")
        if not re.search(r"[A-Za-z]{2,}.*\s", term.because):
            return failed(f"the reason of the term {term.label!r} is too short: {term.because!r}.")
        for value, product in re.findall(r"(?<!\S)(\d+(?:/\d+)?) = ([\d/ ()+]+?)(?=[,:;]|$)", term.because):
            factors = re.sub(r"(?<=[\d)]) (?=[\d(])", " * ", product.strip())
            if parse(factors) != parse(value):
                return failed(
                    f"the reason of the term {term.label!r} says {value} = {product.strip()}, "
                    f"which is {parse(factors)}."
                )
        stated, constant = re.match(r"\d+(?:/\d+)?(?= = [\d(])", term.because), _constant(term.expr)
        if stated and constant is not None and parse(stated[0]) != constant:
            return failed(
                f"the reason of the term {term.label!r} says {stated[0]}, the formula has {plain(constant)}."
            )
    return passed("every term states the provenance of its constant.")


def _constant(expr: Expr) -> Expr | None:
    """The numerical factor; None where sums hold further numbers, so that it is not unique."""
    number, rest = expr.as_coeff_Mul()
    inside = {
        abs(term.as_coeff_Mul()[0]) for factor in Mul.make_args(rest) for add in factor.atoms(Add)
        for term in add.args
    }  # fmt: skip
    return number if inside <= {1} else None


def constants(context: CheckContext) -> OutcomeWithReason:
    """A constant that a source leaves unspecified is a symbol, never a number."""
    terms = context.theorem.terms
    open_terms = [t for t in terms if t.order_level]
    for term in open_terms:
        if not any(OPEN_CONSTANT.fullmatch(s.name) for s in term.expr.free_symbols):
            return failed(
                f"the term {term.label!r} is known up to a constant only, but {plain(term.expr)} holds none; "
                "put c_1, c_2, ... in."
            )
    if not open_terms:
        return skipped("no term is known up to a constant only.")
    return passed(f"{len(open_terms)} of {len(terms)} terms carry a constant that the source leaves open.")


_BOUNDED_BY_ASSUMPTIONS = (
    L, mu, mu_pl, sigma, sigma_g, sigma_c, sigma_star, sigma_within, sigma_between, kappa, zeta, G,
    robustness, staleness, comp_noise,
)  # fmt: skip
"""Quantities that have a meaning only where an assumption bounds something by them."""


def _is_about(assumption: Assumption, quantity: Quantity) -> bool:
    """Whether the sentence or the formula of an assumption has a quantity."""
    in_words = re.search(rf"(?<!\w){re.escape(quantity.name)}(?!\w)", assumption.meaning)
    return bool(in_words or re.search(rf"{re.escape(quantity.latex)}(?![\w_])", assumption.latex))


def assumptions(context: CheckContext) -> OutcomeWithReason:
    """Assumptions are stated, each once, and every constant of an assumption has one."""
    count = Counter(a.name for a in context.theorem.assumptions)
    repeated = [each for each, times in count.items() if times > 1]
    if repeated:
        return failed(f"the assumption {repeated[0]!r} is stated twice.")
    if not count:
        return failed("no assumption is stated, but no bound holds without one.")
    used = {q for term in context.theorem.terms for q in term.expr.free_symbols}
    for quantity in (q for q in _BOUNDED_BY_ASSUMPTIONS if q in used):
        if not any(_is_about(each, quantity) for each in context.theorem.assumptions):
            usual = [each.name for each in ASSUMPTIONS.values() if _is_about(each, quantity)]
            return failed(
                f"{quantity} is in the bound, but no assumption says what it bounds; of those with "
                f"{quantity} there are {join_names(usual)}."
            )
    return passed(f"{len(count)} assumptions, each stated once.")


def source(context: CheckContext) -> OutcomeWithReason:
    """The source has authors, title, year and place, and a valid arXiv id or a venue."""
    given = context.theorem.source
    missing = [n for n in ("authors", "title", "where") if not getattr(given, n)]
    if missing:
        return failed(f"the source has no {join_names(missing)}.")
    if not 1900 <= given.year <= 2100:
        return failed(f"the source's year is {given.year}.")
    if given.arxiv and not re.fullmatch(_ARXIV, given.arxiv):
        return failed(f"{given.arxiv!r} is no arXiv id; it is written as 2007.07481, or left empty.")
    if not given.arxiv and not given.venue:
        return failed("the source has neither an arXiv id nor a venue; a reader could not find it.")
    return passed(f"{given.authors[0]} {given.year}, {given.where}, can be found.")


_TOLERANCE = 1e-9


def limits(context: CheckContext) -> OutcomeWithReason:
    """Exactly the named terms vanish in a stated limit, and do not in one stated as failing."""
    stated = context.theorem.limits
    for limit in stated:
        where = _values(limit.when)
        difference = limit.check(context.terms)
        if limit.holds and difference:
            return failed(
                f"at {where} not exactly {', '.join(limit.removes) or 'nothing'} vanishes: {difference}."
            )
        if not limit.holds and not difference:
            return failed(f"at {where} {', '.join(limit.removes)} vanishes, but is stated not to.")
        if not limit.holds and not limit.because:
            return failed(f"the limit {where} is stated as failing; state the reason.")
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'limit')}, as stated.")


def reductions(context: CheckContext) -> OutcomeWithReason:
    """Each stated reduction holds, symbolically and numerically; those stated as failing fail."""
    stated = context.theorem.reductions
    for reduction in stated:
        if reduction.to not in context.known:
            return failed(f"a reduction is stated to an {unknown('theorem', reduction.to, context.known)}")
        objection = _objection(context, reduction, context.known[reduction.to])
        if objection:
            return failed(objection)
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'reduction')}, as stated.")


def _objection(context: CheckContext, reduction: Reduction, other: Theorem) -> str | None:
    """The error of one reduction; None where it is correct."""
    where = f"at {_values(reduction.when)} it"
    remainder = reduction.check(context.terms, other.bound.terms)
    if not reduction.holds:
        if not remainder:
            return f"{where} becomes {reduction.to}, but is stated not to."
        return (
            None
            if reduction.because
            else f"{where} is stated not to become {reduction.to}; state the reason."
        )
    if remainder:
        correct = _factors(reduction, remainder.differences, context.terms, other.bound.terms)
        return f"{where} does not become {reduction.to}; left over: {remainder}{correct}."
    for label in {*context.terms} & {*other.bound.terms}:
        factor = sympify(reduction.factors.get(label, 1))
        dimension = dimension_of(factor, units_of(factor))
        if dimension is not None and dimension * other.claim.dimension != context.theorem.claim.dimension:
            return (
                f"the factor {plain(factor)} of {label!r} has dimension {dimension} and does not lead from "
                f"the {other.claim.name} to the {context.theorem.claim.name}."
            )
    return _numerical_objection(context, reduction, other)


def _factors(
    reduction: Reduction, wrong: Iterable[str], ours: Mapping[str, Term], theirs: Mapping[str, Term]
) -> str:
    """The correct factors of the terms that both theorems have."""
    corrections = []
    for label in wrong:
        if label in ours and label in theirs and label not in reduction.leaves:
            mine, other = (
                t[label].expr.subs(dict(reduction.when), simultaneous=True) for t in (ours, theirs)
            )
            factor = simplify(mine / other) if not vanishes(mine) and not vanishes(other) else nan
            if not factor.has(nan, zoo):
                stated = plain(sympify(reduction.factors.get(label, 1)))
                corrections.append(f"{plain(factor)} times the {label} would be right, not {stated}")
    return f" ({'; '.join(corrections)})" if corrections else ""


def _numerical_objection(context: CheckContext, reduction: Reduction, other: Theorem) -> str | None:
    if context.infeasibility:
        return None
    point = {**numbers(admissible(other, context.seed)), **numbers(context.points[0])}
    if any(sympify(v).is_infinite for v in reduction.when.values()):
        return None  # checked symbolically only
    at = {q.name: float(evaluate(sympify(v), point)) for q, v in reduction.when.items()}
    point |= at
    for label, term in context.terms.items():
        if label in reduction.leaves:
            continue
        factor = _number(sympify(reduction.factors.get(label, 1)), point)
        theirs = _number(other.bound.terms[label].expr, point) if label in other.bound.terms else 0.0
        ours = _number(term.expr, point)
        if np.isinf(factor) and theirs == 0:
            continue  # the point is where the other term vanishes, and their quotient is not defined
        if not np.isclose(ours, factor * theirs, rtol=_TOLERANCE, atol=0):
            return (
                f"at {_values(reduction.when)} {label!r} is {ours:.6g} in numbers, not {factor * theirs:.6g}."
            )
    return None


def _number(expr: Expr, values: dict[str, float]) -> float:
    return float(evaluate(expr, values))


def _values(when: Mapping[Quantity, Expr | int]) -> str:
    return ", ".join(f"{q} = {plain(v)}" for q, v in when.items()) or "all values"


def _count(stated: Sequence[Limit] | Sequence[Reduction], what: str) -> str:
    holding = sum(one.holds for one in stated)
    text = f"{holding} {what} holds" if holding == 1 else f"{holding} {what}s hold"
    failing = len(stated) - holding
    return text + (f", and {failing} {'fails' if failing == 1 else 'fail'}" if failing else "")
