"""Checks of what a theorem says of itself: its name, letters, numbers, reasons, assumptions and source."""

from __future__ import annotations

import re
from collections import Counter

from sympy import Add, Expr, Float, Mul

from boundkit.algebra import PROVENANCES, Quantity
from boundkit.algebra.notation import ALPHABET, quantities_of
from boundkit.algebra.printing import plain
from boundkit.algebra.term import OPEN_CONSTANT
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.result import Found, failed, passed, skipped
from boundkit.analysis.expressions import parse
from boundkit.report.formatting import join_names

_ARXIV = r"\d{2}(0[1-9]|1[0-2])\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}"


def name(setting: Setting) -> Found:
    """No other theorem bears the name."""
    other = setting.known.get(setting.theorem.name)
    if other is not None and other != setting.theorem:
        return failed(f"another theorem is called {setting.theorem.name!r}; choose a name of its own.")
    return passed("no other theorem bears the name.")


def letters(setting: Setting) -> Found:
    """House keywords keep the meaning that the house gives them."""
    own = []
    for quantity in quantities_of(setting.formulas):
        house = ALPHABET.get(quantity.name)
        if house is None:
            own.append(quantity.name)
        elif house != quantity:
            return failed(
                f"{quantity.name!r} is {quantity.meaning!r} ({quantity.dimension}) here, but the house's "
                f"{quantity.name!r} is {house.meaning!r} ({house.dimension}); take another keyword."
            )
    for theirs, ours in setting.theorem.source.renamed.items():
        strange = [s for s in ours.free_symbols if not isinstance(s, Quantity)]
        if strange:
            return failed(
                f"the source's {theirs!r} is mapped to {plain(ours)}, and {strange[0]} is no quantity."
            )
    return passed(f"letters of its own: {join_names(own)}." if own else "every letter is the house's.")


def fractions(setting: Setting) -> Found:
    """No number was rounded: Rational(1, 2), never 0.5."""
    for formula in setting.formulas:
        floats = formula.atoms(Float)
        if floats:
            return failed(f"{plain(formula)} holds {min(map(float, floats)):g}; write it as a Rational.")
    return passed("every number is exact.")


def reasons(setting: Setting) -> Found:
    """Every term says where its constant comes from and why, and sums in the reason come out right."""
    for term in setting.theorem.terms:
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
        said, constant = re.match(r"\d+(?:/\d+)?(?= = [\d(])", term.because), _constant(term.expr)
        if said and constant is not None and parse(said[0]) != constant:
            return failed(
                f"the reason of the term {term.label!r} says {said[0]}, the formula has {plain(constant)}."
            )
    return passed("every term says where its constant comes from.")


def _constant(expr: Expr) -> Expr | None:
    """The number before the letters; None where sums hold further ones, so that there is no one number."""
    number, rest = expr.as_coeff_Mul()
    inside = {
        abs(term.as_coeff_Mul()[0]) for factor in Mul.make_args(rest) for add in factor.atoms(Add)
        for term in add.args
    }  # fmt: skip
    return number if inside <= {1} else None


def constants(setting: Setting) -> Found:
    """What a source leaves open is a letter: nothing that is only O(.) pretends to be a number."""
    terms = setting.theorem.terms
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


def assumptions(setting: Setting) -> Found:
    """Assumptions are stated, each once."""
    count = Counter(a.name for a in setting.theorem.assumptions)
    twice = [each for each, times in count.items() if times > 1]
    if twice:
        return failed(f"the assumption {twice[0]!r} is stated twice.")
    if not count:
        return failed("no assumption is stated, and nothing converges without one.")
    return passed(f"{len(count)} assumptions, each stated once.")


def source(setting: Setting) -> Found:
    """Authors, title, year and place are there, and the arXiv id has the form of one."""
    given = setting.theorem.source
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
