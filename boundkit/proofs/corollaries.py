"""Theorems that follow from a proved one: by substitution into it, by larger constants, or by both.

The theorem has the base's algorithm, claim and assumptions. Its own conditions imply those of the base at the
substituted values, and each of its terms is at least the base's term of that label at these values. A
quantity under a root is replaced by a power of a letter, so that everything is a rational function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import lcm

from sympy import QQ, Expr, Pow, Rational, Symbol, real_root, simplify
from sympy import field as rational_functions
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import T, delay, step_time, tau, wall
from boundkit.algebra.printing import plain
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.checker import ProofCheck, StepCheck, check, identity
from boundkit.proofs.domain import Obligation, facts_of, interval_of
from boundkit.proofs.scalar_inequalities import Decision, Interval, prove, quick_sign

_CLOCKS: Mapping[str, Expr] = {"synchronous-clock": T * (tau * step_time + delay)}
"""The wall-clock time by an assumption on it, for T rounds. Rounds themselves are as without it."""


@dataclass(frozen=True)
class Corollary:
    """The proof of a theorem from that of another, its ``base``.

    ``values``: quantities of the base as formulas in those of the theorem, beside the theorem's own rules for
    step sizes.
    """

    theorem: Theorem
    base: Certificate | Corollary
    values: Mapping[Quantity, Expr] = field(default_factory=dict, hash=False)

    @property
    def substituted(self) -> dict[Quantity, Expr]:
        """All quantities of the base that are replaced, step sizes by the theorem's rules."""
        return {**self.theorem.rules, **self.values}


def check_proof(proof: Certificate | Corollary) -> ProofCheck:
    """Decide every obligation of a proof; of a corollary, those of its base come first.

    Raises BoundkitError where a certificate is malformed.
    """
    if isinstance(proof, Certificate):
        return check(proof)
    base = check_proof(proof.base)
    steps = check_derivation(proof)
    claim = proof.theorem.claim
    return ProofCheck(proof.theorem.name, claim.plain, claim.latex, (*base.steps, *steps))


def check_derivation(proof: Corollary) -> tuple[StepCheck, ...]:
    """Decide whether the theorem follows from that of the base, whose own proof is not looked at."""
    own, name = _Substitution(proof), proof.base.theorem.name
    return (
        StepCheck(f"statement of {name}", tuple(own.statement())),
        StepCheck(f"conditions of {name}", tuple(own.conditions())),
        StepCheck(f"terms of {name}", tuple(own.terms())),
    )


class _Substitution:
    """The obligations of a corollary."""

    def __init__(self, corollary: Corollary) -> None:
        self.theorem, self.base = corollary.theorem, corollary.base.theorem
        self.values = corollary.substituted
        self.own_terms = {label: term.expr for label, term in self.theorem.bound.terms.items()}
        self.base_terms = {
            label: term.expr.subs(self.values, simultaneous=True)
            for label, term in self.base.bound.terms.items()
        }
        facts = facts_of(self.theorem)
        expressions = [*(fact.expr for fact in facts), *self.own_terms.values(), *self.base_terms.values()]
        expressions += [
            fact.expr.subs(self.values, simultaneous=True) for fact in facts_of(self.base)
        ] + list(self.values.values())
        self.orders = _orders(expressions)
        quantities = sorted(set().union(*(each.free_symbols for each in expressions)), key=str)
        self.letters = {q: Symbol(f"root_{q}", positive=True) if q in self.orders else q for q in quantities}
        self.box = {letter: self._interval(q) for q, letter in self.letters.items()}
        self.field = rational_functions(sorted(self.box, key=str), QQ)[0]
        self.facts = [(self.element(fact.expr), fact.strict) for fact in facts]

    def _interval(self, quantity: Symbol) -> Interval:
        """Return the interval of a quantity, or of its root: without an end whose root is irrational."""
        own = interval_of(quantity)
        order = self.orders.get(quantity, 1)
        if order == 1:
            return own
        if own.lower < 0:
            raise BoundkitError(f"{quantity} may be negative, and {self.theorem.name} has a root of it.")
        lower = real_root(Rational(str(own.lower)), order)
        upper = None if own.upper is None else real_root(Rational(str(own.upper)), order)
        upper = upper if upper is not None and upper.is_Rational else None
        return Interval.of(lower if lower.is_Rational else 0, upper, own.open)

    def element(self, expr: Expr) -> FracElement | None:
        """Return an expression as a rational function of quantities and letters; None where it is none."""
        powers = {q: self.letters[q] ** order for q, order in self.orders.items()}
        try:
            return self.field.from_expr(expr.subs(powers, simultaneous=True))
        except ValueError:
            return None

    def statement(self) -> Iterator[Obligation]:
        """Algorithm, claim and assumptions are those of the base, and only step sizes and rounds change."""
        own, base = self.theorem, self.base
        yield identity(f"the algorithm is {base.algorithm}", own.algorithm == base.algorithm)
        yield identity(f"the claim is {base.claim.plain}", own.claim == base.claim)
        yield identity("an upper bound of an upper bound", own.kind == base.kind == "upper")
        yield identity("the definitions are the same", own.definitions == base.definitions)
        for assumption in base.assumptions:
            yield identity(f"the assumption {assumption.name}", own.assumes(assumption.name))
        for assumption in own.assumptions:
            if not base.assumes(assumption.name):
                yield identity(f"{assumption.name} leaves the rounds as they are", assumption.name in _CLOCKS)
        for quantity, value in self.values.items():
            if quantity in own.rules:
                continue
            yield identity(f"{quantity} = {plain(value)} rounds take the time", self._counts(quantity, value))

    def _counts(self, quantity: Quantity, value: Expr) -> bool:
        """Whether a value is the number of rounds T by an assumption on the clock, and so a whole number."""
        times = [time for name, time in _CLOCKS.items() if self.theorem.assumes(name)]
        if quantity != T or len(times) != 1:
            return False
        time = times[0].subs(tau, 1) if self.theorem.assumes("one-local-step") else times[0]
        return bool(simplify(value.subs(wall, time) - T) == 0)

    def conditions(self) -> Iterator[Obligation]:
        """The theorem's conditions imply those of the base, and that the values lie in their domains."""
        for quantity, value in self.values.items():
            domain = interval_of(quantity)
            lower, sign = Rational(str(domain.lower)), ">" if domain.open else ">="
            yield self._decide(value, lower, f"{quantity} = {plain(value)} {sign} {lower}", domain.open)
            if domain.upper is not None:
                upper = Rational(str(domain.upper))
                yield self._decide(upper, value, f"{quantity} = {plain(value)} <= {upper}")
        relations = [*self.base.step_size, *self.base.requires]
        facts = facts_of(self.base)
        for relation, fact in zip(relations, facts, strict=False):
            high, low = (side.subs(self.values, simultaneous=True) for side in (relation.gts, relation.lts))
            yield self._decide(high, low, f"{fact.reason} of {self.base.name}", fact.strict)
        for fact in facts[len(relations) :]:
            value = fact.expr.subs(self.values, simultaneous=True)
            yield self._decide(value, Rational(0), fact.reason, fact.strict)

    def _decide(self, high: Expr, low: Expr, text: str, strict: bool = False) -> Obligation:
        """Prove high >= low, or high > low: where high >= 0, by their squares too."""
        first, squares = self.element(high - low), self.element(high**2 - low**2)
        if first is None or squares is None:
            return Obligation(text, Decision("unknown", "no rational function of quantities and their roots"))
        if self._is_fact(first, strict):
            return Obligation(text, Decision("proved", "exact"))
        side = self.element(high)
        if side is not None and self._is_fact(squares, strict) and prove(side, self.box):
            return Obligation(text, Decision("proved", "exact"))
        return self._prove(first, text, strict)

    def _is_fact(self, element: FracElement, strict: bool) -> bool:
        """Whether an inequality is a condition of the theorem times something positive."""
        for known, is_strict in self.facts:
            if known and element and (is_strict or not strict):
                quotient = element / known
                if self._sign(quotient.numer) * self._sign(quotient.denom) > 0:
                    return True
        return False

    def _sign(self, poly: PolyElement) -> int:
        """Return the sign of a polynomial where its coefficients show it, else 0."""
        return quick_sign(poly, self.box) or next((s for s in (1, -1) if self._is_positive(s * poly)), 0)

    def _is_positive(self, poly: PolyElement) -> bool:
        """Whether no term is negative, and one is positive."""
        ends = [self.box[letter] for letter in poly.ring.symbols]
        used = [end for place, end in enumerate(ends) if poly.degree(place) > 0]
        if any(end.lower < 0 for end in used) or any(value < 0 for value in poly.coeffs()):
            return False
        return any(
            all(end.lower > 0 or end.open for end, power in zip(ends, powers, strict=True) if power)
            for powers in poly.monoms()
        )

    def _prove(self, element: FracElement, text: str, strict: bool = False) -> Obligation:
        decision = prove(element, self.box, (), strict)
        if not decision:
            decision = prove(element, self.box, self._constraints(), strict, most=50)
        point = {
            str(q): str(decision.point[letter] ** self.orders.get(q, 1))
            for q, letter in self.letters.items()
            if letter in decision.point
        }
        return Obligation(text, decision, point)

    def _constraints(self) -> list[PolyElement]:
        """Return the conditions of the theorem as polynomials."""
        known = [element for element, _ in self.facts if element is not None]
        return [each.numer for each in known if prove(self.field(each.denom), self.box, (), True)]

    def terms(self) -> Iterator[Obligation]:
        """Each term is at least that of the base with the same label; others are at least 0."""
        for label in self.base_terms:
            yield identity(f"{label}: a term of the theorem", label in self.own_terms)
        for label, own in self.own_terms.items():
            of_base = self.base_terms.get(label, Rational(0))
            text = f"{label}: at least {plain(of_base)}"
            rest = self.element(own - of_base)
            if rest is None and simplify(own - of_base) != 0:
                yield Obligation(text, Decision("unknown", "no rational function of quantities"))
            elif rest is None or not rest:
                yield identity(text, True)
            else:
                yield self._prove(rest, text)


def _orders(expressions: list[Expr]) -> dict[Symbol, int]:
    """Return the quantities that occur under roots, with the order of the root."""
    result: dict[Symbol, int] = {}
    for expr in expressions:
        for power in expr.atoms(Pow):
            if power.exp.is_Rational and not power.exp.is_Integer:
                for quantity in power.base.free_symbols:
                    result[quantity] = lcm(result.get(quantity, 1), int(power.exp.q))
    return result


def corollary(
    theorem: Theorem, base: Certificate | Corollary, values: Mapping[Quantity, Expr] | None = None
) -> Corollary:
    """Return the proof that a theorem follows from the base's theorem, at the theorem's step sizes.

    ``values``: T as a function of the wall-clock time, where the theorem is about that.
    """
    return Corollary(theorem, base, values or {})
