"""The domain of a proof: what a theorem's conditions say of its quantities, and charts of it.

A chart replaces the quantities by coordinates in a box, such as A = eta L tau in (0, 1/8]. It is checked: the
quantities are the stated functions of the coordinates, and the theorem's own conditions imply every end of
the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from sympy import QQ, Dummy, Eq, Expr, Ge, Integer, Le, Poly, Pow, Rational, Symbol, expand, fraction, sympify
from sympy import field as rational_functions
from sympy.core.relational import Relational
from sympy.polys.fields import FracElement, FracField
from sympy.polys.rings import PolyElement, PolyRing

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.notation import C, L, eta, m, mu, offset
from boundkit.proofs.scalar_inequalities import Decision, Interval, Point, factor, prove, quick_sign

Terms = list[tuple[tuple[int, ...], Any]]
"""A polynomial: the powers of its letters with a coefficient, for every term."""


@dataclass(frozen=True)
class Condition:
    """``expr >= 0``, or > 0 where ``strict``, by ``reason``: a condition of the theorem."""

    expr: Expr
    strict: bool
    reason: str


_IMPLIED: Mapping[str, tuple[Condition, ...]] = {
    "partial-participation": (Condition(C * m - 1, False, "C m >= 1 clients participate"),),
    "cyclic-participation": (Condition(C * m - 1, False, "C m >= 1 clients of a group participate"),),
    "strongly-convex": (Condition(L - mu, False, "a mu-strongly convex L-smooth loss has mu <= L"),),
}
"""Inequalities between quantities that assumptions imply."""


def conditions_of(theorem: Theorem) -> tuple[Condition, ...]:
    """Return the conditions of a theorem as inequalities: step sizes, requirements, and assumptions."""
    relations = [*theorem.step_size, *theorem.requires]
    result = [Condition(_difference(r), r.func.__name__.startswith("Strict"), str(r)) for r in relations]
    result += [Condition(free, False, str(r)) for r in relations for _, free, _ in _root_in_denominator(r)]
    for quantity in sorted(theorem.quantities, key=str):
        domain = quantity.domain
        if not domain.includes_upper and domain.upper != float("inf"):
            result.append(Condition(Rational(str(domain.upper)) - quantity, True, f"{quantity} is {domain}"))
    if theorem.assumes("decaying-step"):
        longest = numerator(theorem) - eta * mu * offset
        result.append(Condition(longest, False, "a step size is at most the first, c/(mu offset)"))
    for assumption in theorem.assumptions:
        result += _IMPLIED.get(assumption.name, ())
    return tuple(result)


def _difference(relation: Relational) -> Expr:
    """Return right less left of left <= right; of powers without roots where roots occur, for left >= 0.

    Of left <= n/(a + b sqrt(c)), which is b left sqrt(c) <= n - a left, it is that of these squares.
    """
    left, right = relation.lts, relation.gts
    for root, free, times in _root_in_denominator(relation):
        return expand(free**2 - times**2 * root**2)
    orders = (power.exp.q for power in relation.atoms(Pow) if power.exp.is_Rational)
    power = lcm(*map(int, orders)) if left.is_nonnegative else 1
    return right**power - left**power


def _root_in_denominator(relation: Relational) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Yield root, p, q where a condition left <= right is q root <= p, with p >= 0 and q >= 0; else nothing.

    It is where right has one root, in its positive denominator only.
    """
    numer, denom = fraction(relation.gts)
    roots = {power for power in denom.atoms(Pow) if power.exp == Rational(1, 2) and power.base.is_Add}
    if len(roots) != 1 or numer.has(*roots) or relation.lts.has(*roots) or not denom.is_positive:
        return
    (root,) = roots
    dummy = Dummy()
    linear = Poly((numer - relation.lts * denom).subs(root, dummy), dummy)
    if linear.degree() == 1:
        minus_times, free = linear.all_coeffs()
        if (-minus_times).is_nonnegative:
            yield root, free, -minus_times


def interval_of(quantity: Symbol) -> Interval:
    """Return the domain of a quantity as an interval of the reals."""
    domain = quantity.domain if isinstance(quantity, Quantity) else None
    if domain is None:
        raise BoundkitError(f"the letter {quantity} has no domain; a chart must give it an interval.")
    upper = None if domain.upper == float("inf") else Rational(str(domain.upper))
    return Interval.of(Rational(str(domain.lower)), upper, not domain.includes_lower)


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a chart: its definition in the quantities of the theorem, and its interval."""

    symbol: Symbol
    definition: Expr
    lower: Expr
    upper: Expr | None = None
    positive: bool = False

    @property
    def interval(self) -> Interval:
        """The interval; open at the lower end where the coordinate is ``positive``."""
        return Interval.of(self.lower, self.upper, self.positive)


def coordinate(
    name: str, definition: Expr, lower: Any = 0, upper: Any = None, positive: bool = False
) -> Coordinate:
    """Return a coordinate with lower <= definition <= upper, or lower < definition."""
    ends = (sympify(lower), None if upper is None else sympify(upper))
    return Coordinate(Symbol(name), sympify(definition), *ends, positive)


@dataclass(frozen=True)
class CoordinateChart:
    """Coordinates in a box for the quantities of a theorem, on a part of its domain.

    ``values``: the quantities that are replaced, as functions of the coordinates and of other quantities.
    ``given``: the part of the domain; ``constraints``: polynomials of coordinates, >= 0 on it.
    """

    coordinates: tuple[Coordinate, ...] = ()
    values: Mapping[Quantity, Expr] = field(default_factory=dict, hash=False)
    given: tuple[Relational, ...] = ()
    constraints: tuple[Expr, ...] = ()

    @property
    def title(self) -> str:
        """The part of the domain, as text."""
        return ", ".join(str(relation) for relation in self.given)


@dataclass(frozen=True)
class Inequality:
    """A scalar inequality that a proof rests on: ``expr >= 0``, or > 0, with what it is for.

    ``box``: intervals of further letters, which the inequality holds for all of; where it is not empty no
    quantity of the theorem occurs.
    """

    expr: Expr
    text: str
    strict: bool = False
    box: Mapping[Symbol, Interval] = field(default_factory=dict, hash=False)


def stated(text: str, right: Any) -> Inequality:
    """Return the hypothesis that a theorem states something, such as a definition, as a lemma needs it."""
    return Inequality(Integer(0 if right else -1), text)


@dataclass(frozen=True)
class Obligation:
    """A scalar inequality with its decision, and the counterexample in the quantities of the theorem."""

    text: str
    decision: Decision
    counterexample: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def proved(self) -> bool:
        """Whether it is proved."""
        return bool(self.decision)


class ChartDomain:
    """Proves scalar inequalities in the quantities of a theorem, on one chart of its domain."""

    def __init__(self, theorem: Theorem, chart: CoordinateChart, expressions: Iterable[Expr] = ()) -> None:
        self.theorem, self.chart = theorem, chart
        self.conditions = (
            *conditions_of(theorem),
            *(condition for relation in chart.given for condition in _conditions(relation)),
        )
        symbols: set[Symbol] = set(theorem.quantities)
        for each in (*expressions, *chart.values.values(), *(f.expr for f in self.conditions)):
            symbols |= each.free_symbols
        symbols |= {each.symbol for each in chart.coordinates}
        for each in chart.coordinates:
            symbols |= each.definition.free_symbols
        self.field: FracField = rational_functions(sorted(symbols, key=str), QQ)[0]
        self.box: dict[Symbol, Interval] = {each.symbol: each.interval for each in chart.coordinates}
        for symbol in symbols - set(self.box) - set(chart.values):
            if isinstance(symbol, Quantity):
                self.box[symbol] = interval_of(symbol)
        self._signs: dict[PolyElement, int] = {}
        self._own_signs: dict[PolyElement, int] = {}
        self.constraints = [self._numerator(expr) for expr in chart.constraints]

    def element(self, expr: Any) -> FracElement:
        """Return an expression as a rational function."""
        try:
            return self.field.from_expr(sympify(expr))
        except ValueError:
            raise BoundkitError(
                f"{expr} is no rational function of the quantities of {self.theorem.name}; roots and powers "
                "with letters as exponents need a letter of their own."
            ) from None

    def _numerator(self, expr: Expr) -> PolyElement:
        element = self.element(expr)
        if element.denom.is_ground:
            return element.numer * element.denom.LC
        raise BoundkitError(f"the constraint {expr} of a chart must be a polynomial of its coordinates.")

    @cached_property
    def _images(self) -> list[tuple[PolyElement, PolyElement]]:
        """Numerator and denominator of every symbol of the field in the coordinates of the chart."""
        elements = [self.element(self.chart.values.get(symbol, symbol)) for symbol in self.field.symbols]
        return [(each.numer, each.denom) for each in elements]

    def _compose(self, poly: PolyElement) -> tuple[PolyElement, int]:
        """Substitute the chart into a polynomial: return a numerator, and the sign of its denominator.

        The factors of the chart's denominators are divided out of the numerator where they divide it. The
        sign is 0 where one of them is not proved to be nonzero.
        """
        places = [place for place, (_, denom) in enumerate(self._images) if denom != 1]
        places += [place for place, symbol in enumerate(self.field.symbols) if symbol in self.chart.values]
        places = sorted(set(places))
        highest = {place: max((powers[place] for powers in poly.monoms()), default=0) for place in places}
        table: dict[int, list[PolyElement]] = {}
        for place in places:
            numers, denoms = (_powers(each, highest[place]) for each in self._images[place])
            table[place] = [n * d for n, d in zip(numers, reversed(denoms), strict=True)]
        places.sort(key=lambda place: len(table[place][-1]))  # the longest are multiplied least often
        total = _substituted(poly.ring, poly.terms(), places, table)
        sign = 1
        for place in places:
            for each, power in factor(self._images[place][1])[1]:
                side = self._own_sign(each)
                left = power * highest[place]
                sign *= side**left if left else 1
                while left and total:
                    quotient = _quotient(total, each)
                    if quotient is None:
                        break
                    total, left, sign = quotient, left - 1, sign * (side or 1)
        return total, sign

    def _own_sign(self, poly: PolyElement) -> int:
        """Return the sign of a polynomial in the coordinates of the chart, 0 where none is proved."""
        if poly not in self._own_signs:
            self._own_signs[poly] = next(
                (s for s in (1, -1) if prove(self.field(s * poly), self.box, self.constraints, True)), 0
            )
        return self._own_signs[poly]

    def _sign(self, poly: PolyElement) -> int:
        """Return the sign of a polynomial on the chart, 0 where none is proved."""
        if poly not in self._signs:
            numer, sign = self._compose(poly)
            self._signs[poly] = sign and sign * self._own_sign(numer)
        return self._signs[poly]

    def decide(self, expr: Any, text: str, strict: bool = False) -> Obligation:
        """Prove expr >= 0, or > 0, on the chart."""
        element = expr if isinstance(expr, FracElement) else self.element(expr)
        hidden = self.may_vanish(element)
        if hidden is not None:
            return Obligation(text, Decision("unknown", f"the denominator {hidden} may vanish"))
        sign = 1 if factor(element.denom)[0] > 0 else -1
        for each, power in factor(element.denom)[1]:
            sign *= self._sign(each) ** power
        numer, over = self._compose(element.numer)
        if over == 0:
            return Obligation(text, Decision("unknown", "a denominator of the chart may vanish"))
        decision = prove(self.field(sign * over * numer), self.box, self.constraints, strict)
        return Obligation(text, decision, self._in_quantities(decision.point, element))

    def may_vanish(self, element: FracElement) -> Expr | None:
        """Return a factor of the denominator that is not proved to be nonzero on the chart, or None."""
        return next((f.as_expr() for f, _ in factor(element.denom)[1] if not self._sign(f)), None)

    def finite_part(self, element: FracElement) -> FracElement:
        """Return what an element is at least, without even powers in its denominator that may be 0.

        A factor a + b x with a letter x of a bounded domain is at most its largest absolute value M there, so
        that 1/(a + b x)^2 is at least 1/M^2 where it is defined. Where nothing is known, the element itself.
        """
        result = element
        for each, power in factor(element.denom)[1]:
            if not self._sign(each):
                largest = _largest(each) if power % 2 == 0 else None
                if largest is None:
                    return element
                result = result * each**power / largest**power
        return result if result == element or self.decide(result, "").proved else element

    def _in_quantities(self, point: Point, element: FracElement) -> dict[str, str]:
        """Return a counterexample in the quantities that the inequality has; coordinates left out are 1."""
        if not point:
            return {}
        used = [
            symbol
            for place, symbol in enumerate(self.field.symbols)
            if element.numer.degree(place) > 0 or element.denom.degree(place) > 0
        ]
        values = {symbol: Rational(v.numerator, v.denominator) for symbol, v in point.items()}
        result: dict[str, str] = {}
        for symbol in used:
            expr = self.chart.values.get(symbol, symbol)
            for other in expr.free_symbols - set(values):
                values[other] = _value_in(self.box.get(other, Interval(Fraction(1))))
            result[str(symbol)] = str(expr.subs(values))
        return dict(sorted(result.items()))

    def check_chart(self) -> list[Obligation]:
        """Prove that the chart covers its part of the domain."""
        result = []
        fixed = {relation.lhs: relation.rhs for relation in self.chart.given if isinstance(relation, Eq)}
        definitions = {each.symbol: each.definition.subs(fixed) for each in self.chart.coordinates}
        raw = _ConditionProver(self)
        known = {element for element, condition in raw.conditions if not condition.strict}
        for quantity, value in self.chart.values.items():
            rest = self.element(value.subs(definitions)) - self.element(fixed.get(quantity, quantity))
            same = not rest or {rest, -rest} <= known
            result.append(Obligation(
                f"{quantity} = {value}", Decision("proved" if same else "refuted", "identity")
            ))  # fmt: skip
        for each in self.chart.coordinates:
            name = each.symbol
            result.append(raw.decide(each.definition - each.lower, f"{name} >= {each.lower}", each.positive))
            if each.upper is not None:
                result.append(raw.decide(each.upper - each.definition, f"{name} <= {each.upper}"))
        for expr in self.chart.constraints:
            result.append(raw.decide(expr.subs(definitions), f"{expr} >= 0"))
        return result


class _ConditionProver:
    """Proves inequalities from the conditions of a theorem in its own quantities, without a chart."""

    def __init__(self, domain: ChartDomain) -> None:
        self.domain = domain
        coordinates = {each.symbol for each in domain.chart.coordinates}
        self.box = {s: interval_of(s) for s in domain.field.symbols if s not in coordinates and _is_real(s)}
        self.conditions = []
        for condition in domain.conditions:
            element = domain.element(condition.expr)
            low = _lower_bound(condition)
            if low is not None:
                symbol, value = low
                old = self.box[symbol]
                if value > old.lower:
                    self.box[symbol] = Interval(value, old.upper, condition.strict)
            self.conditions.append((element, condition))

    def decide(self, expr: Expr, text: str, strict: bool = False) -> Obligation:
        element = self.domain.element(expr)
        if element.denom != 1 and not self._is_positive(element.denom):
            if not self._is_positive(-element.denom):
                return Obligation(
                    text, Decision("unknown", f"the denominator {element.denom.as_expr()} may vanish")
                )
            element = self.domain.field(-element.numer)
        for known, condition in self.conditions:  # the inequality is a condition times a positive monomial
            if known and (condition.strict or not strict):
                quotient = element / known
                if quick_sign(quotient.numer, self.box) * quick_sign(quotient.denom, self.box) > 0:
                    return Obligation(text, Decision("proved", "exact"))
        direct = prove(element, self.box, (), strict)
        if direct:
            return Obligation(text, direct)
        constraints = [known.numer for known, _ in self.conditions if self._is_positive(known.denom)]
        decision = prove(element, self.box, constraints, strict, most=20)
        point = {str(symbol): str(value) for symbol, value in decision.point.items()}
        return Obligation(text, decision, point)

    def _is_positive(self, poly: PolyElement) -> bool:
        """Whether a polynomial is > 0, each of its factors by the box or as a strict condition."""
        value, factors = factor(poly)
        sign = 1 if value > 0 else -1
        strict = {known for known, condition in self.conditions if condition.strict}
        for each, power in factors:
            side = next((s for s in (1, -1) if self.domain.field(s * each) in strict), 0)
            side = side or next(
                (s for s in (1, -1) if prove(self.domain.field(s * each), self.box, (), True)), 0
            )
            sign *= side**power
        return sign > 0


def _largest(poly: PolyElement) -> Any:
    """Return the largest absolute value of a + b x on the bounded domain of x; None of another polynomial."""
    letters = [symbol for place, symbol in enumerate(poly.ring.symbols) if poly.degree(place) > 0]
    if len(letters) != 1 or max(map(sum, poly.monoms())) != 1:
        return None
    interval = interval_of(letters[0])
    if interval.upper is None:
        return None
    x = poly.ring.gens[poly.ring.symbols.index(letters[0])]
    ends = (poly.evaluate(x, QQ(end.numerator, end.denominator)) for end in (interval.lower, interval.upper))
    return max(abs(end.LC if hasattr(end, "LC") else end) for end in ends)


def _value_in(interval: Interval) -> Rational:
    """Return 1 where the interval holds it, else its upper end, or one above the lower."""
    low, high = interval.lower, interval.upper
    value = Fraction(1) if low <= 1 and (high is None or high >= 1) else low + 1 if high is None else high
    return Rational(value.numerator, value.denominator)


def _substituted(
    ring: PolyRing, terms: Terms, places: Sequence[int], table: Mapping[int, Sequence[PolyElement]]
) -> PolyElement:
    """Return a sum of terms with the powers of the letters at these places replaced by those in the table."""
    if not places:
        replaced = set(table)
        return ring.from_dict(
            {
                tuple(0 if k in replaced else power for k, power in enumerate(powers)): value
                for powers, value in terms
            }
        )
    *others, place = places
    parts: dict[int, Terms] = {}
    for powers, value in terms:
        parts.setdefault(powers[place], []).append((powers, value))
    total = ring.zero
    for power, part in parts.items():
        total += _substituted(ring, part, others, table) * table[place][power]
    return total


def _quotient(poly: PolyElement, divisor: PolyElement) -> PolyElement | None:
    """Return a polynomial over another one; None where it is no polynomial.

    By Horner's rule where the divisor is linear in its only letter.
    """
    letters = [place for place in range(poly.ring.ngens) if divisor.degree(place) > 0]
    if len(letters) != 1 or divisor.degree(letters[0]) > 1:
        quotient, remainder = divmod(poly, divisor)
        return None if remainder else quotient
    (place,) = letters
    x = poly.ring.gens[place]
    slope, constant = divisor.coeff(x), divisor.coeff(1)
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for powers, value in poly.terms():
        rest = (*powers[:place], 0, *powers[place + 1 :])
        parts.setdefault(powers[place], {})[rest] = value
    result, carried = {}, poly.ring.zero
    for power in range(poly.degree(place), -1, -1):
        carried = poly.ring.from_dict(parts.get(power, {})) - carried * (constant / slope)
        for powers, value in carried.terms() if power else ():
            result[(*powers[:place], power - 1, *powers[place + 1 :])] = value / slope
    return None if carried else poly.ring.from_dict(result)


def _powers(poly: PolyElement, highest: int) -> list[PolyElement]:
    result = [poly.ring.one]
    for _ in range(highest):
        result.append(result[-1] * poly)
    return result


def _is_real(symbol: Symbol) -> bool:
    return isinstance(symbol, Quantity)


def _lower_bound(condition: Condition) -> tuple[Symbol, Fraction] | None:
    """Return quantity and value where a condition is quantity >= value."""
    symbols = condition.expr.free_symbols
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    rest = symbol - condition.expr
    if not rest.is_Rational or not isinstance(symbol, Quantity):
        return None
    return symbol, Fraction(int(rest.p), int(rest.q))


def _conditions(relation: Relational) -> tuple[Condition, ...]:
    difference = relation.lhs - relation.rhs
    if isinstance(relation, Eq):
        return (Condition(difference, False, str(relation)), Condition(-difference, False, str(relation)))
    return (Condition(relation.gts - relation.lts, False, str(relation)),)


def check_cases(charts: Sequence[CoordinateChart]) -> str | None:
    """Return why the charts of a proof do not cover the domain; None where they do.

    They do where there is one without ``given``, or two with q = least and q >= least + 1 for a whole
    quantity q, or with e <= v and e >= v.
    """
    if len(charts) == 1 and not charts[0].given:
        return None
    if len(charts) == 2 and all(len(chart.given) == 1 for chart in charts):
        first, second = (chart.given[0] for chart in charts)
        if isinstance(first, Eq) and isinstance(second, Ge) and first.lhs == second.lhs:
            quantity = first.lhs
            whole = isinstance(quantity, Quantity) and quantity.domain.whole
            if whole and first.rhs == quantity.domain.lower and second.rhs == first.rhs + 1:
                return None
        if isinstance(first, Le) and isinstance(second, Ge) and first.args == second.args:
            return None
    return "the charts do not cover the domain: one without a condition, or two that exclude nothing"
