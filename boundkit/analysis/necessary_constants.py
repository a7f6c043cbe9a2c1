"""How far each constant of a bound is from one that is necessary: an upper bound beside lower ones.

A lower bound of the same claim, on an instance of the upper bound's class, shows what a term needs: the
largest share (lower bound - other terms)/term, over values that the conditions of both allow, is the part of
the constant below which the term is false, whatever the proof.

Beside both stand the constant of the theorem that is sharpened, where that has the same term up to a factor,
and the constant that the worst instances of searches need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Rational, S, simplify

from boundkit.algebra import Term, Theorem, notation
from boundkit.algebra.vocabulary import FULL_PARTICIPATION, PARTIAL_PARTICIPATION, SERVER_STEP_ONE
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.lattice import LATTICE
from boundkit.report import Listing, Report, Reported, Sentences, Table
from boundkit.report.formatting import join_names

Array = NDArray[np.float64]
_ROUNDS = (1.0, 1e3, 1e9, 1e15)
_STEPS = (2.0, 100.0, 1e5)
_CLIENTS = (2.0, 100.0, 1e4 + 1, 1e8 + 1)
_FRACTIONS = (0.5, 1.0)
_CURVATURES = (1.0, 1e-2, 1e-4, 2e-4 / 3, 1e-8, 1e-14)
_LENGTHS = (1.0, 1e-2, 1e-4)
"""Values on which shares are maximised: of T, tau, m, C, mu/L, and 24 eta L tau.

The largest share of client drift on piecewise quadratics is at m = 2 L/(3 mu), here 1e4.
"""
_SOURCES = ("sigma", "sigma_g", "gap", "distance")
"""Sources of error, in which every term is homogeneous."""
_HELD = {"L": 1.0, "eta_s": 1.0}


@dataclass(frozen=True)
class NecessaryConstant:
    """A term's constant, the least that is possible, the factor between them, and the lower bound.

    ``before``: its constant in the theorem that is sharpened; ``found``: the constant that a search has found
    to be needed; None where it is not known.
    """

    term: str
    constant: Rational
    share: float
    lower: str
    before: Rational | None = None
    found: float | None = None

    @property
    def necessary(self) -> float:
        """The constant below which the term is false."""
        return float(self.constant) * self.share

    @property
    def factor(self) -> float:
        """By how much the constant may be too large: over what is necessary, or found where that is more."""
        return float(self.constant) / max(self.necessary, self.found or 0.0)


@dataclass(frozen=True, repr=False)
class NecessaryConstants(Reported):
    """The necessary constants of the terms of a theorem for which a lower bound is known.

    ``sharpens``: the theorem with the same terms and larger constants, if any.
    """

    theorem: Theorem
    terms: tuple[NecessaryConstant, ...]
    sharpens: Theorem | None = None

    @property
    def before(self) -> str:
        """What the constants of the sharpened theorem are: published, or proved here before."""
        printed = self.sharpens and {t.provenance for t in self.sharpens.terms} <= {"stated", "appendix"}
        return "published" if printed else "before"

    def beside(self, sharpens: Theorem | None, shares: Mapping[str, float]) -> NecessaryConstants:
        """The same with the constants of another theorem and of searches.

        Parameters
        ----------
        sharpens
            The theorem whose constants stand beside, by ``sharpened_theorem``.
        shares
            The largest share of each term that some instance needs, by its label, such as those of the atlas.
        """
        constants = _before(self.theorem, sharpens) if sharpens else ()
        before = dict(zip(self.theorem.bound.terms, constants, strict=False))
        terms = tuple(
            replace(
                each,
                before=before.get(each.term),
                found=shares[each.term] * float(each.constant) if each.term in shares else None,
            )
            for each in self.terms
        )
        return NecessaryConstants(self.theorem, terms, sharpens)

    def to_dict(self) -> dict[str, Any]:
        """By term: the constants, the factor, and the name of the lower bound."""
        return {
            each.term: {
                "before": None if each.before is None else str(each.before),
                "constant": str(each.constant),
                "found": each.found,
                "necessary": each.necessary,
                "factor": each.factor,
                "lower_bound": each.lower,
            }
            for each in self.terms
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The header and a row a term, without columns of which nothing is known."""
        columns: dict[str, list[str]] = {
            "term": [each.term for each in self.terms],
            self.before: ["" if each.before is None else str(each.before) for each in self.terms],
            "constant": [str(each.constant) for each in self.terms],
            "found": ["" if each.found is None else f"{each.found:.3g}" for each in self.terms],
            "by a lower bound": [f"{each.necessary:.3g}" for each in self.terms],
            "factor": [f"{each.factor:.3g}" for each in self.terms],
        }
        known = {head: column for head, column in columns.items() if any(column)}
        return list(known), [list(row) for row in zip(*known.values(), strict=True)]

    def sources(self) -> list[str]:
        """Where the numbers of each column are from."""
        before = [] if self.sharpens is None else [f"{self.before}: {self.sharpens.name}"]
        found = any(each.found is not None for each in self.terms)
        lower = join_names(list(dict.fromkeys(each.lower for each in self.terms)))
        return [
            *before,
            *["found: the worst instances of the atlas"] * found,
            f"by a lower bound: {lower}",
            "factor: the constant over the larger of what is needed",
        ]

    def report(self) -> Report:
        """A row a term, and where the numbers are from."""
        if not self.terms:
            return Report((Sentences([f"No lower bound of the terms of {self.theorem.name} is known."]),))
        table = Table(*self.table(), caption="Necessary constants")
        return Report((table, Listing("Where they are from", self.sources())))


def sharpened_theorem(theorem: Theorem, named: Mapping[str, Theorem]) -> Theorem | None:
    """The theorem of the same claim that a theorem becomes without conditions, by larger constants; or None.

    At one round in place of no conditions where their contraction factors differ.
    """
    for reduction in theorem.reductions:
        base = named.get(reduction.to)
        anywhere = reduction.holds and not reduction.leaves and set(reduction.when) <= {notation.T}
        if base is not None and anywhere and base.claim == theorem.claim and any(_before(theorem, base)):
            return base
    return None


def _before(theorem: Theorem, base: Theorem) -> Iterable[Rational | None]:
    """The constant of every term in ``base``, where it is the same up to a factor above 1."""
    others = {term.label: term.expr for term in base.terms}
    for term in theorem.terms:
        constant, formula = term.expr.as_coeff_Mul()
        larger = others.get(term.label, S.Zero) / formula
        factor = larger if larger.is_Rational else simplify(larger)
        yield factor if factor.is_Rational and factor > constant else None


def necessary_constants(theorem: Theorem, lower_bounds: Iterable[Theorem]) -> NecessaryConstants:
    """Compare the constants of an upper bound with those that lower bounds show to be necessary.

    Parameters
    ----------
    theorem
        An upper bound whose constants are known, for any step size: the others have no answer.
    lower_bounds
        Lower bounds to compare with, such as ``boundkit.theorems.catalogue.lower_bounds`` of its algorithm.

    Returns
    -------
    NecessaryConstants
        The terms that have a lower bound in the theorem's class, in the theorem's order.

    Examples
    --------
    >>> from boundkit.theorems import theorem
    >>> from boundkit.theorems.catalogue import lower_bounds
    >>> answer = necessary_constants(theorem("fedavg_nonconvex_partial_sharp"), lower_bounds("fedavg"))
    >>> {each.term: round(each.factor, 2) for each in answer.terms}["client drift"]
    1.8
    """
    if theorem.kind != "upper" or theorem.rules or notation.eta not in theorem.quantities:
        return NecessaryConstants(theorem, ())
    largest: dict[str, NecessaryConstant] = {}
    for lower in lower_bounds:
        if not _same_class(theorem, lower):
            continue
        for term in theorem.terms:
            if not term.expr.is_rational_function(notation.T):  # a contraction has no constant
                continue
            share = _share(theorem, lower, term)
            if share > (largest[term.label].share if term.label in largest else 0):
                constant = term.expr.as_coeff_Mul()[0]
                largest[term.label] = NecessaryConstant(term.label, constant, share, lower.name)
    return NecessaryConstants(theorem, tuple(largest[t.label] for t in theorem.terms if t.label in largest))


def _same_class(theorem: Theorem, lower: Theorem) -> bool:
    """Whether the lower bound is of the same quantity, on instances of which the theorem admits some.

    The server's step size may be chosen as 1, and sampled clients may be all clients.
    """
    if lower.kind != "lower" or lower.claim.name != theorem.claim.name:
        return False
    chosen = [SERVER_STEP_ONE, *([FULL_PARTICIPATION] if PARTIAL_PARTICIPATION in lower.assumptions else [])]
    return set(theorem.assumptions) <= set(LATTICE.closure([*lower.assumptions, *chosen]))


def _share(theorem: Theorem, lower: Theorem, term: Term) -> float:
    """The largest (lower bound - other terms)/term over values that both admit; 0 where there are none.

    Sources of error that are not in the term are 0.
    """
    conditions = [*theorem.step_size, *lower.step_size, *theorem.requires, *lower.requires]
    used = {s.name for e in (*_totals(theorem, lower), *conditions) for s in e.free_symbols}
    if used - {*_SOURCES, *_HELD, "T", "tau", "m", "C", "mu", "eta"}:
        return 0.0
    full = lower.assumes("full-participation") or theorem.assumes("full-participation")
    axes = (_ROUNDS, _STEPS, _CLIENTS, (1.0,) if full else _FRACTIONS, _CURVATURES, _LENGTHS)
    T, tau, m, C, mu, length = (np.array(axis) for axis in zip(*product(*axes), strict=True))
    present = {s.name for s in term.expr.free_symbols}
    values: dict[str, Array | float] = {name: float(name in present) for name in _SOURCES}
    if lower.assumes("one-local-step"):
        tau = np.ones_like(tau)
    values |= _HELD | {"T": T, "tau": tau, "m": m, "C": C, "mu": mu, "eta": length / (24 * tau)}
    bound, floor = (evaluate(total, values) for total in _totals(theorem, lower))
    own = evaluate(term.expr, values)
    with np.errstate(all="ignore"):
        admitted = np.all([np.broadcast_to(satisfied(c, values), T.shape) for c in conditions], axis=0)
        share = (floor - (bound - own)) / own
    return float(np.where(admitted & np.isfinite(share), share, 0.0).max())


def _totals(*theorems: Theorem) -> list[Expr]:
    return [Add(*(term.expr for term in theorem.terms)) for theorem in theorems]
