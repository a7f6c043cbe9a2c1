"""Theorems that follow from a proved one: by substitution into it, by larger constants, or by both.

The theorem has the base's algorithm, claim and assumptions. Its own conditions imply those of the base at the
substituted values, and each of its terms is at least the base's term of that label at these values, or the
sum of all terms with one constant of an assumption is. A quantity under a root is replaced by a power of a
letter, so that everything is a rational function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from math import lcm, prod
from typing import Any

from sympy import QQ, Add, Expr, Mul, Poly, Pow, Rational, Symbol, cancel, real_root, simplify
from sympy import field as rational_functions
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.decaying_steps import PUBLISHED_OFFSET
from boundkit.algebra.notation import T, delay, m, offset, step_time, tau, tau_i, wall
from boundkit.algebra.printing import plain
from boundkit.algebra.sums import ClientMax, RoundMax, RoundMean
from boundkit.algebra.vocabulary import SERVER_STEP_AT_LEAST_ONE
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.checker import check, identity
from boundkit.proofs.domain import Condition, Obligation, conditions_of, interval_of
from boundkit.proofs.lemmas import TELESCOPING_LOSS
from boundkit.proofs.proof_check import ProofCheck, StepCheck
from boundkit.proofs.rounds import CONSTANTS, decrease, round_of
from boundkit.proofs.scalar_inequalities import (
    Decision,
    Interval,
    factor,
    prove,
    quick_sign,
    shown_by_coefficients,
)

_CLOCKS: Mapping[str, Expr] = {
    "synchronous-clock": T * (tau * step_time + delay),
    "asynchronous-clock": T * (step_time + delay) / m,
}
"""The wall-clock time by an assumption on it, for T rounds. Rounds themselves are as without it."""

_LIMITS = frozenset({SERVER_STEP_AT_LEAST_ONE.name})
"""Assumptions that limit a quantity. Rounds themselves are as without them."""

_COMMON_STEPS = ClientMax(tau_i)
"""The steps of a round that all clients take, where rounds differ."""
_MOST_ENDS = 16
"""Sets of lower ends of letters that are tried."""


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


@dataclass(frozen=True)
class VaryingRounds(Corollary):
    """The proof of a theorem on rounds that differ, from the steps of a certificate for rounds that do not.

    Every round t satisfies the base's inequality with its own ``length`` l_t and other quantities
    ``varying``, and the decrease of the loss in place of gap/T, at a weight that is a constant over l_t. The
    sum of l_t times these is the theorem's inequality, with means over the rounds weighted by l_t.

    ``largest``: what the theorem calls the largest value over the rounds of a quantity of the base.
    """

    length: Quantity = field(kw_only=True)
    varying: tuple[Quantity, ...] = field(kw_only=True)
    largest: Mapping[Quantity, Quantity] = field(kw_only=True, hash=False)


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
    name = proof.base.theorem.name
    own = _RoundMeans(proof) if isinstance(proof, VaryingRounds) else _Substitution(proof)
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
        published = {q: value for q, value in self.values.items() if q == offset}
        conditions = [replace(each, expr=each.expr.subs(published)) for each in conditions_of(self.theorem)]
        expressions = [
            *(condition.expr for condition in conditions),
            *self.own_terms.values(),
            *self.base_terms.values(),
        ]
        expressions += [
            condition.expr.subs(self.values, simultaneous=True) for condition in conditions_of(self.base)
        ] + list(self.values.values())
        self.orders = _orders(expressions)
        quantities = sorted(set().union(*(each.free_symbols for each in expressions)), key=str)
        self.letters = {q: Symbol(f"root_{q}", positive=True) if q in self.orders else q for q in quantities}
        self.powers = {q: self._power(q) for q in quantities}
        self.box = {letter: self._interval(q) for q, letter in self.letters.items()}
        for condition in conditions:  # a quantity that is required to be positive
            letter = self.letters.get(condition.expr)
            if condition.strict and letter is not None and self.box[letter].lower == 0:
                self.box[letter] = replace(self.box[letter], open=True)
        self.field = rational_functions(sorted(self.box, key=str), QQ)[0]
        self.known = [(self.element(condition.expr), condition.strict) for condition in conditions]
        plain_ones = (each.gts - each.lts for each in (*self.theorem.step_size, *self.theorem.requires))
        self.known += [(self.element(each), False) for each in plain_ones]  # without squares for their roots

    def _interval(self, quantity: Symbol) -> Interval:
        """Return the interval of a quantity, or of its root: without an end whose root is irrational."""
        own = interval_of(quantity)
        order = self.orders.get(quantity, 1)
        if _is_below_one(quantity) and order > 1:
            return Interval.of(0)
        if order == 1:
            return own
        if own.lower < 0:
            raise BoundkitError(f"{quantity} may be negative, and {self.theorem.name} has a root of it.")
        lower = real_root(Rational(str(own.lower)), order)
        upper = None if own.upper is None else real_root(Rational(str(own.upper)), order)
        upper = upper if upper is not None and upper.is_Rational else None
        return Interval.of(lower if lower.is_Rational else 0, upper, own.open)

    def _power(self, quantity: Symbol) -> Expr:
        """Return a quantity by its letter: the power of its root, w/(1 + w) for one below 1."""
        letter, order = self.letters[quantity], self.orders.get(quantity, 1)
        return (letter / (1 + letter) if _is_below_one(quantity) and order > 1 else letter) ** order

    def element(self, expr: Expr) -> FracElement | None:
        """Return an expression as a rational function of quantities and letters; None where it is none."""
        powers = {q: self.powers[q] for q in self.orders}
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
        for quantity, made in base.definitions.items():
            yield identity(f"{quantity} is defined as there", own.definitions.get(quantity) == made)
        if own.solvers or base.solvers:
            yield identity("the local solvers are the same", own.solvers == self._solvers())
        for assumption in base.assumptions:
            yield identity(f"the assumption {assumption.name}", own.assumes(assumption.name))
        for assumption in own.assumptions:
            if not base.assumes(assumption.name):
                same = assumption.name in {*_CLOCKS, *_LIMITS}
                yield identity(f"{assumption.name} leaves the rounds as they are", same)
        for quantity, value in self.values.items():
            if quantity in own.rules:
                continue
            if quantity == offset and own.assumes("decaying-step") and offset not in own.quantities:
                yield identity(f"the published offset is {plain(value)}", value == PUBLISHED_OFFSET)
                continue
            yield identity(f"{quantity} = {plain(value)} rounds take the time", self._counts(quantity, value))

    def _solvers(self) -> dict[str, dict[Quantity, Expr]]:
        """Return the local solvers of the base at the substituted values."""
        return {
            name: {q: made.subs(self.values, simultaneous=True) for q, made in solver.items()}
            for name, solver in self.base.solvers.items()
        }

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
        given, conditions = {*self.theorem.step_size, *self.theorem.requires}, conditions_of(self.base)
        for relation, condition in zip(relations, conditions, strict=False):
            high, low = (side.subs(self.values, simultaneous=True) for side in (relation.gts, relation.lts))
            if relation.func(*(arg.subs(self.values, simultaneous=True) for arg in relation.args)) in given:
                yield identity(f"{condition.reason} of {self.base.name}", True)
                continue
            yield self._decide(high, low, f"{condition.reason} of {self.base.name}", condition.strict)
        for condition in conditions[len(relations) :]:
            value = condition.expr.subs(self.values, simultaneous=True)
            yield self._decide(value, Rational(0), condition.reason, condition.strict)

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
        for known, is_strict in self.known:
            if known and element and (is_strict or not strict):
                quotient = element / known
                numer = self._sign(quotient.numer) if strict else self._loose_sign(quotient.numer)
                if numer * self._sign(quotient.denom) > 0:
                    return True
        return False

    def _loose_sign(self, poly: PolyElement) -> int:
        """Return 1 where a polynomial is shown to be >= 0, -1 where <= 0, else 0; squares are >= 0."""
        value, factors = factor(poly)
        odd = [self._sign(each) for each, power in factors if power % 2]
        return self._sign(poly) or prod(odd, start=1 if value > 0 else -1)

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
        if any(ends.shows(element, strict) for ends in self._raised):
            return Obligation(text, Decision("proved", "exact"))
        decision = prove(element, self.box, (), strict)
        if not decision:
            decision = prove(element, self.box, self._constraints(), strict, most=50)
        point = {
            str(q): str(self.powers[q].subs(letter, Rational(str(decision.point[letter]))))
            for q, letter in self.letters.items()
            if letter in decision.point
        }
        return Obligation(text, decision, point)

    @cached_property
    def _raised(self) -> list[_LowerEnds]:
        """Lower ends of letters by the conditions, in sets: of one letter after the other, in that order.

        No end has a letter whose own end came before, so that these may be put in one after the other.
        """
        ends: dict[PolyElement, list[FracElement]] = {}
        for known, _ in self.known:
            for letter in self.field.ring.gens if known else ():
                end = self._lower_end(known, letter) if self.box[_letter(letter)].lower >= 0 else None
                if end is not None and end not in ends.get(letter, []):
                    ends.setdefault(letter, []).append(end)
        order = sorted(ends, key=lambda letter: -max(len(_letters(end)) for end in ends[letter]))
        result = []
        for chosen in islice(product(*(ends[letter] for letter in order)), _MOST_ENDS):
            put_in: dict[PolyElement, FracElement] = {}
            for letter, end in zip(order, chosen, strict=True):
                if not _letters(end) & {_letter(each) for each in put_in}:
                    put_in[letter] = end
            above = {_letter(each): Interval.of(0) for each in put_in}
            result.append(_LowerEnds(put_in, {**self.box, **above}))
        return result

    def _lower_end(self, known: FracElement, letter: PolyElement) -> FracElement | None:
        """Return b where known >= 0 says letter^k >= b^k, for a rational function b > 0; else None."""
        parts = _by_powers(known.numer, letter)
        sign = self._sign(known.denom)
        if len(parts) != 2 or 0 not in parts or not sign:
            return None
        order = max(parts)
        over, under = sign * parts[order], -sign * parts[0]
        if self._sign(over) <= 0 or self._sign(under) <= 0:
            return None
        quotient = self.field(under) / self.field(over)
        root = [_exact_root(each, order) for each in (quotient.numer, quotient.denom)]
        if None in root:
            return None
        positive = self._sign(root[0]) * self._sign(root[1]) > 0
        return self.field(root[0]) / self.field(root[1]) if positive else None

    def _constraints(self) -> list[PolyElement]:
        """Return the conditions of the theorem as polynomials."""
        known = [element for element, _ in self.known if element is not None]
        return [each.numer for each in known if prove(self.field(each.denom), self.box, (), True)]

    def terms(self) -> Iterator[Obligation]:
        """Each term is at least that of the base with the same label; others are at least 0.

        Where one is not, terms with the same constant of an assumption, as sigma^2, are compared by their
        sums: the bounds are sums over all terms.
        """
        groups: dict[Expr, list[str]] = {}
        for label, expr in {**self.own_terms, **self.base_terms}.items():
            groups.setdefault(_constant_of(expr), []).append(label)
        for labels in groups.values():
            each = [self._compared(label) for label in labels]
            if len(labels) > 1 and not all(one.proved for one in each):
                total = self._compared(*labels)
                if total.proved:
                    each = [total]
            yield from each

    def _compared(self, *labels: str) -> Obligation:
        """Return that the sum of these terms is at least that of the base's."""
        own = Add(*(self._least(self.own_terms.get(label, Rational(0))) for label in labels))
        of_base = Add(*(self.base_terms.get(label, Rational(0)) for label in labels))
        text = f"{' + '.join(labels)}: at least {plain(of_base)}"
        rest = self.element(own - of_base)
        if rest is None and simplify(own - of_base) != 0:
            return Obligation(text, Decision("unknown", "no rational function of quantities"))
        return self._prove(rest, text) if rest else identity(text, True)

    def _least(self, expr: Expr) -> Expr:
        """Return a term of the theorem, or 0 where only an even power in its denominator may vanish.

        Where that is 0 the bound claims nothing; elsewhere such a term is at least 0.
        """
        element = self.element(expr)
        if element is None:
            return expr
        sides = [(self._sign(f), power) for f, power in factor(element.denom)[1]]
        hidden = any(side == 0 for side, _ in sides)
        rest = prod(side**power or 1 for side, power in sides) * self._loose_sign(element.numer)
        defined = all(side or power % 2 == 0 for side, power in sides)
        return Rational(0) if hidden and defined and rest > 0 and factor(element.denom)[0] > 0 else expr


@dataclass(frozen=True)
class _LowerEnds:
    """Lower ends of letters, and the box of what the letters are above them."""

    ends: Mapping[PolyElement, FracElement]
    box: Mapping[Symbol, Interval]

    def shows(self, element: FracElement, strict: bool) -> bool:
        """Whether the coefficients show that an element is >= 0, or > 0, above the ends."""
        for letter, end in self.ends.items():
            element = _moved(element.numer, letter, end) / _moved(element.denom, letter, end)
        return shown_by_coefficients(element, self.box, strict)


def _moved(poly: PolyElement, letter: PolyElement, end: FracElement) -> FracElement:
    """Return a polynomial with a letter replaced by its sum with an element."""
    functions = end.parent()
    total, power, moved = functions.zero, functions.one, functions(letter) + end
    parts = _by_powers(poly, letter)
    for k in range(max(parts, default=0) + 1):
        if k in parts:
            total += functions(parts[k]) * power
        power *= moved
    return total


def _by_powers(poly: PolyElement, letter: PolyElement) -> dict[int, PolyElement]:
    """Return the coefficients of a polynomial of one of its letters."""
    place = poly.ring.gens.index(letter)
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for powers, value in poly.terms():
        parts.setdefault(powers[place], {})[(*powers[:place], 0, *powers[place + 1 :])] = value
    return {power: poly.ring.from_dict(part) for power, part in parts.items()}


def _exact_root(poly: PolyElement, order: int) -> PolyElement | None:
    """Return a polynomial whose power is this one; None where there is none with rational coefficients."""
    value, factors = factor(poly)
    constant = real_root(Rational(str(value)), order)
    if not constant.is_Rational or any(power % order for _, power in factors):
        return None
    return prod(
        (each ** (power // order) for each, power in factors), start=poly.ring(QQ.from_sympy(constant))
    )


def _letter(letter: PolyElement) -> Symbol:
    return letter.ring.symbols[letter.ring.gens.index(letter)]


def _letters(element: FracElement) -> set[Symbol]:
    return set(element.as_expr().free_symbols)


def _is_below_one(quantity: Symbol) -> bool:
    """Whether a quantity is in [0, 1), as mixing."""
    domain = quantity.domain if isinstance(quantity, Quantity) else None
    return domain is not None and (domain.lower, domain.upper, domain.includes_upper) == (0, 1, False)


def _constant_of(expr: Expr) -> Expr:
    """Return the factors of a term that are constants of assumptions."""
    return Mul(*(f for f in Mul.make_args(expr) if f.as_base_exp()[0] in CONSTANTS))


_OF_ROUNDS: Mapping[tuple[str, str], tuple[str, str, tuple[str, ...]]] = {
    ("fednova", "tau_eff"): ("fednova", "weighted mean squared gradient", ()),
    ("local_sgd", "tau"): (
        "adacomm", "mean squared gradient at the virtual average", ("common-local-steps",),
    ),
}  # fmt: skip
"""Algorithm, claim, and what holds in a round only, by algorithm and length of rounds that do not differ: all
clients take the same steps in a round of adacomm."""


class _RoundMeans(_Substitution):
    """The obligations where rounds differ."""

    def __init__(self, proof: VaryingRounds) -> None:
        super().__init__(proof)
        self.proof = proof
        if not isinstance(proof.base, Certificate):
            raise BoundkitError(
                f"{proof.base.theorem.name} has no steps of its own, which hold in every round."
            )
        self.certificate = proof.base

    def statement(self) -> Iterator[Obligation]:
        own, base, proof = self.theorem, self.base, self.proof
        algorithm, claim, left = _OF_ROUNDS.get((base.algorithm, proof.length.name), ("", "", ()))
        yield identity(f"the algorithm is {algorithm}", own.algorithm == algorithm)
        yield identity(f"the claim is the {claim}", own.claim.name == claim)
        yield identity("an upper bound of an upper bound", own.kind == base.kind == "upper")
        for assumption in base.assumptions:
            held = own.assumes(assumption.name) or assumption.name in left
            yield identity(f"the assumption {assumption.name}", held)
        for assumption in own.assumptions:
            yield identity(f"no other assumption than {assumption.name}", base.assumes(assumption.name))
        for quantity, made in base.definitions.items():
            yield identity(f"{quantity} is defined as there", own.definitions.get(quantity) == made)
        yield identity("the local solvers are the same", own.solvers == base.solvers)
        sums = [step for step in self.certificate.steps if step.lemma.over_rounds]
        yield identity(
            "only the telescoping is about all rounds", [s.lemma for s in sums] == [TELESCOPING_LOSS]
        )
        yield identity("the loss decreases at a constant weight over the length", self._is_constant())

    def _is_constant(self) -> bool:
        """Whether the weight of the decrease, times the length of the round, is the same in all rounds."""
        this, weights = round_of(self.base), []
        for step in self.certificate.steps:
            if step.lemma.over_rounds:
                break
            share = step.lemma.conclude(this, **step.arguments).form[decrease]
            if share != 0:
                weights.append(None if step.weight is None else step.weight * share)
        if len(weights) != 1 or weights[0] is None or self.certificate.contraction is not None:
            return False
        constant = cancel(weights[0] * self.proof.length)
        return not constant.free_symbols & {self.proof.length, *self.proof.varying}

    def conditions(self) -> Iterator[Obligation]:
        """The theorem's conditions imply those of the base in every round."""
        for quantity, top in self.proof.largest.items():
            made = self.theorem.definitions.get(top)
            yield identity(f"{top} is the largest {quantity}", made == RoundMax(self._of_round(quantity)))
        for condition in conditions_of(self.base):
            known = [
                *conditions_of(self.theorem),
                *(Condition(top - q, False, "") for q, top in self.proof.largest.items()),
            ]
            yield self._implied(condition, known)

    def _implied(self, condition: Condition, known: list[Condition]) -> Obligation:
        """Prove a condition of the base from known ones."""
        symbols = set().union(*(each.expr.free_symbols for each in (condition, *known)))
        letters = sorted(symbols, key=str)
        functions = rational_functions(letters, QQ)[0]
        box = {letter: interval_of(letter) for letter in letters}
        conditions = [functions.from_expr(each.expr) for each in known]
        constraints = [each.numer for each in conditions if prove(functions(each.denom), box, (), True)]
        decision = prove(functions.from_expr(condition.expr), box, constraints, condition.strict, most=50)
        return Obligation(f"{condition.reason} of {self.base.name}, in every round", decision)

    def _of_round(self, quantity: Quantity) -> Expr:
        """Return what the theorem calls a quantity of one round."""
        return _COMMON_STEPS if quantity == tau else quantity

    def _mean(self, expr: Expr) -> Expr:
        """Return the mean over the rounds, weighted by their lengths, of a polynomial in their quantities."""
        length, total = self._of_round(self.proof.length), Rational(0)
        varying = (self.proof.length, *self.proof.varying)
        for powers, share in Poly(expr, *varying).terms():
            power = Mul(*(q**n for q, n in zip(varying, powers, strict=True)))
            inside = (self.proof.length * power).subs({q: self._of_round(q) for q in varying})
            total += share * RoundMean(inside) / RoundMean(length)
        return total

    def terms(self) -> Iterator[Obligation]:
        """Each term is the mean over the rounds of the base's term with the same label."""
        means = {q: made for q, made in self.theorem.definitions.items() if made.has(RoundMean)}
        for label in self.own_terms:
            yield identity(f"{label}: a term of {self.base.name}", label in self.base_terms)
        for label, term in self.base.bound.terms.items():
            own = self.own_terms.get(label)
            if label == "initial gap":
                over = self._of_round(self.proof.length)
                expected = term.expr * self.proof.length / RoundMean(over)
            else:
                expected = self._mean(term.expr)
            rest = None if own is None else own.subs(means).subs(means) - expected
            yield identity(f"{label}: its mean over the rounds", rest is not None and _is_zero(rest))


def _is_zero(expr: Expr) -> bool:
    """Whether a rational function of quantities and of means over rounds is 0."""
    expr = expr.subs({each: Symbol(str(each)) for each in expr.atoms(RoundMean)})
    return not rational_functions(sorted(expr.free_symbols, key=str), QQ)[0].from_expr(expr)


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
