"""The numbers of a certificate as unknowns, and its obligations as constraints on them.

The Young parameters, the p, q and y of the local steps and the coefficients in explicit weights are unknowns,
and so are the constants of the bound's terms where they are to be small. The obligations of the checker, at
sampled values of the quantities, are the constraints. A sample proves nothing; numbers that satisfy it are
checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, lambdify, nan, sympify, zoo

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import L, T
from boundkit.proofs.certificate import Certificate, CertificateStep
from boundkit.proofs.checker import (
    constants_form,
    first_line,
    is_initial,
    line_before,
    round_quantity,
    share_of,
)
from boundkit.proofs.domain import CoordinateChart, Inequality, interval_of
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.linear_form import LinearForm
from boundkit.proofs.named_letters import named
from boundkit.proofs.proof_check import ProofCheck
from boundkit.proofs.rounds import AlgorithmRound, round_of
from boundkit.proofs.scalar_inequalities import Interval

Values = NDArray[Any]
_Sized = list[tuple[Any, Any]]

FIXED = frozenset({"h", "order", "beta", "gamma", "root", "d1", "d2", "whole"})
"""Arguments of lemmas that are no parameters: they follow from the step conditions."""
_LOST = 1e-6
"""Relative error of a constraint by which its digits count as lost."""
_ROUNDING = 1e-12
"""Rounding of a sum in floating point numbers, relative to its summands."""
_STEP = 1e-30
_DENSE = 1000
"""Points at which numbers are tried before they are checked."""
_LARGE, _SMALL, _BIT = 1e7, 1e-7, 1e-9
"""What stands for infinity, and the distance to an open and a closed end as a share of it, in the sample."""


@dataclass(frozen=True)
class Parameter:
    """A number of a certificate, as an unknown: ``name`` is that of its step and argument."""

    name: str
    symbol: Symbol
    value: Rational


class _Numbers:
    """Replaces the numbers of expressions by parameters."""

    def __init__(self) -> None:
        self.parameters: list[Parameter] = []

    def parameter(self, name: str, value: Expr) -> Symbol:
        names = {each.name for each in self.parameters}
        free = next(n for n in (name, *(f"{name} ({k})" for k in range(2, 100))) if n not in names)
        symbol = Symbol(f"parameter_{len(self.parameters)}")
        self.parameters.append(Parameter(free, symbol, Rational(value)))
        return symbol

    def argument(self, value: Expr, name: str) -> Expr:
        """Replace the coefficients of an argument of a lemma or a weight, of which 1 is a number too."""
        return self.parameter(name, value) if value == 1 else self.replace(value, name)

    def replace(self, expr: Expr, name: str) -> Expr:
        """Replace the coefficients of a number, product or sum; those that are 1 or -1 stay."""
        if expr.is_Rational:
            return self.parameter(name, expr) if expr not in (0, 1, -1) else expr
        if expr.is_Add:
            content, rest = expr.primitive()
            if all(abs(each.as_coeff_Mul()[0]) == 1 for each in rest.args):
                return rest if content == 1 else self.parameter(name, content) * rest
            parts = (each.as_coeff_Mul() for each in expr.args)
            return Add(*(self.parameter(name, value) * rest for value, rest in parts))
        if expr.is_Pow and expr.exp.is_Integer:
            return Pow(self.replace(expr.base, name), expr.exp)
        if expr.is_Mul:
            coefficient, rest = expr.as_coeff_Mul()
            factors = Mul.make_args(rest)
            new = [each if each.is_Symbol else self.replace(each, name) for each in factors]
            if coefficient not in (1, -1):
                coefficient = self.parameter(name, coefficient)
            return Mul(coefficient, *new)
        return expr


@dataclass(frozen=True)
class _Step:
    """A step with parameters: its new arguments, weight and ``leaving``, and the conclusion for them."""

    step: CertificateStep
    arguments: Mapping[str, Expr]
    weight: Expr | None
    leaving: Expr
    conclusion: Conclusion


def _with_parameters(certificate: Certificate, this: AlgorithmRound) -> tuple[list[_Step], list[Parameter]]:
    """Return the steps of a certificate with its numbers as parameters, and the parameters."""
    numbers = _Numbers()
    steps = []
    for each in certificate.steps:
        before = len(numbers.parameters)
        given = {
            key: numbers.argument(sympify(value), f"{each.name}: {key}")
            for key, value in each.arguments.items()
            if key not in FIXED and isinstance(value, int | float | Expr) and not isinstance(value, bool)
        }
        conclusion = _conclude(each, this, given)
        if conclusion is None:
            del numbers.parameters[before:]
            given, conclusion = {}, each.lemma.conclude(this, **each.arguments)
        weight = each.weight
        if weight is not None:
            weight = numbers.argument(sympify(weight), f"{each.name}: weight")
        leaving = numbers.replace(each.leaving, f"{each.name}: leaving")
        steps.append(_Step(each, given, weight, leaving, conclusion))
    return steps, numbers.parameters


def _conclude(step: CertificateStep, this: AlgorithmRound, given: Mapping[str, Expr]) -> Conclusion | None:
    """Return the conclusion of a step with symbols as arguments, None where it has no known form.

    A lemma that takes numbers only is interpolated in 1, v and 1/v for each argument v.
    """
    try:
        return step.lemma.conclude(this, **{**step.arguments, **given})
    except BoundkitError:
        if not all(value.is_Symbol for value in given.values()):
            return None

    def at(values: Mapping[str, Expr]) -> Conclusion:
        return step.lemma.conclude(this, **{**step.arguments, **values})

    ones: dict[str, Expr] = dict.fromkeys(given, Integer(1))
    base = at(ones)
    total, checks = _expressions(base), _expressions(base)
    some = {key: Rational(5 + k, 3) for k, key in enumerate(given)}
    for key, symbol in given.items():
        at_two, at_three = (_expressions(at({**ones, key: Integer(k)})) for k in (2, 3))
        for k, origin in enumerate(_expressions(base)):
            two, three = at_two[k] - origin, at_three[k] - origin
            inverse = 3 * (three - 2 * two)
            linear = two + inverse / 2
            total[k] += linear * (symbol - 1) + inverse * (1 / symbol - 1)
            checks[k] += linear * (some[key] - 1) + inverse * (1 / some[key] - 1)
    for mine, exact in zip(checks, _expressions(at(some)), strict=True):
        point = {s: Rational(2 * k + 3, 7) for k, s in enumerate(sorted(mine.free_symbols, key=str))}
        if (mine - exact).subs(point) != 0:
            return None
    atoms = list(base.form.coefficients)
    hypotheses = tuple(
        replace(claimed, expr=expr)
        for claimed, expr in zip(base.hypotheses, total[len(atoms) :], strict=True)
    )
    return Conclusion(LinearForm(dict(zip(atoms, total, strict=False))), hypotheses, base.equality)


def _expressions(conclusion: Conclusion) -> list[Expr]:
    return [*conclusion.form.coefficients.values(), *(each.expr for each in conclusion.hypotheses)]


def constants_of(certificate: Certificate) -> dict[str, Rational]:
    """Return the constants of the terms that a certificate arrives at, by label."""
    result: dict[str, Rational] = {}
    for term in certificate.theorem.terms:
        if not is_initial(certificate, term.expr):
            result[term.label] = term.expr.as_coeff_Mul()[0]
    return result


def parameters_of(certificate: Certificate) -> tuple[Parameter, ...]:
    """Return the numbers of a certificate that sharpening may change.

    These are the numbers in arguments of lemmas but those of FIXED, and the coefficients in explicit weights.

    Examples
    --------
    >>> from boundkit.proofs.certificate_store import certificate_of
    >>> for each in parameters_of(certificate_of("fedavg_nonconvex_partial_sharp"))[:3]:
    ...     print(each.name, each.value)
    descent: weight 32/25
    descent: weight (2) 12/25
    dispersion of the directions: y 1/50
    """
    return tuple(_with_parameters(certificate, round_of(certificate.theorem))[1])


# Constraints at a sample


class Sample:
    """Values of letters: corners of the box, large values, random points; and counterexamples."""

    def __init__(self, box: Mapping[Symbol, Interval], constraints: Sequence[Expr] = ()) -> None:
        self.box = dict(box)
        self.symbols = list(self.box)
        self.constraints = [lambdify([self.symbols], each, "numpy") for each in constraints]
        random = np.random.default_rng(0)
        few = len(self.box) <= 3
        corners = product(*(self._levels(each, few) for each in self.box.values()))
        points = [np.array(point, dtype=float) for point in corners]
        for k in range(150):
            points.append(np.array([self._draw(random, each, k % 3 + 1) for each in self.box.values()]))
        self.points = [self._inside(point) for point in points]

    def of(self) -> Sample:
        """Return a copy, to which points may be added."""
        result = copy(self)
        result.points = list(self.points)
        return result

    def denser(self) -> Sample:
        """Return random points only, of which those of unbounded letters have all sizes."""
        result, random = copy(self), np.random.default_rng(1)
        result.points = []
        for k in range(_DENSE):
            point = [self._draw(random, each, k % 4 + 1) for each in self.box.values()]
            sizes = 10 ** random.uniform(-3, 3, len(point)) if k % 2 else np.ones(len(point))
            lows = [self._low(each) for each in self.box.values()]
            result.points.append(self._inside(np.array([
                at if each.upper is not None else low + (at - low) * size
                for at, each, low, size in zip(point, self.box.values(), lows, sizes, strict=True)
            ])))  # fmt: skip
        return result

    def _levels(self, interval: Interval, many: bool = False) -> tuple[float, ...]:
        low = self._low(interval)
        if interval.upper is None:
            return (low, low + 1, low + 10, low + 300, _LARGE) if many else (low, low + 2, _LARGE)
        high = self._high(interval)
        return tuple(np.linspace(low, high, 5)) if many else (low, high)

    def _low(self, interval: Interval) -> float:
        """Return the lower end and a bit more: what is 0 there has no digits."""
        size = 1.0 if interval.upper is None else float(interval.upper)
        return float(interval.lower) + (_SMALL if interval.open else _BIT) * size

    def _high(self, interval: Interval) -> float:
        """Return the upper end, less a bit; or a large value."""
        return _LARGE if interval.upper is None else (1 - _BIT) * float(interval.upper)

    def _draw(self, random: np.random.Generator, interval: Interval, power: int) -> float:
        low, share = self._low(interval), float(random.random()) ** power
        if interval.upper is None:
            return low + share / (1 - share + 1 / _LARGE)
        return low + share * (self._high(interval) - low)

    def _holds(self, point: Values) -> bool:
        return all(each(point) >= 0 for each in self.constraints)

    def _inside(self, point: Values) -> Values:
        """Move the bounded letters towards their lower ends until the constraints of the chart hold."""
        if self._holds(point):
            return point
        low = np.array([
            self._low(each) if each.upper is not None else value
            for value, each in zip(point, self.box.values(), strict=True)
        ])  # fmt: skip
        good, bad = 0.0, 1.0
        for _ in range(40):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if self._holds(low + middle * (point - low)) else (good, middle)
        return np.asarray(low + good * (point - low))

    def add(self, point: Mapping[Symbol, Any]) -> bool:
        """Add a counterexample, where its letters are those of the sample; return whether it is new."""
        if not set(point) <= set(self.symbols):
            return False
        for level in (1, 0):  # of letters that the counterexample leaves out
            rest = {symbol: self._levels(each)[level] for symbol, each in self.box.items()}
            new = np.array([float(point.get(symbol, rest[symbol])) for symbol in self.symbols])
            if self._holds(new):
                break
        if not self._holds(new) or any(np.allclose(new, old, rtol=1e-9, atol=0) for old in self.points):
            return False
        self.points.append(new)
        return True

    def arrays(self) -> list[Values]:
        return list(np.array(self.points).T)


class _HypothesisRows:
    """A hypothesis of a lemma in letters of its own."""

    rows = 1

    def __init__(self, claimed: Inequality, unknowns: Sequence[Symbol]) -> None:
        self.sample = Sample(claimed.box)
        self.function = lambdify([*self.sample.symbols, *unknowns], claimed.expr, "numpy")

    def of(self) -> _HypothesisRows:
        """Return the same with a sample of its own."""
        result = copy(self)
        result.sample = self.sample.of()
        return result

    def values(self, unknowns: Values) -> Values:
        letters = self.sample.arrays()
        shape = np.broadcast_shapes(unknowns[0].shape, letters[0].shape)
        return np.broadcast_to(self.function(*letters, *unknowns), shape)


class _ChartRows:
    """Weights, hypotheses and the comparison with the bound, on one chart."""

    def __init__(
        self,
        certificate: Certificate,
        steps: Sequence[_Step],
        goal: LinearForm,
        unknowns: Sequence[Symbol],
        chart: CoordinateChart,
    ) -> None:
        self.steps, self.unknowns = steps, unknowns
        self.expressions: list[Expr] = []
        self.start = self._form(first_line(certificate))
        self.forms = [self._form(each.conclusion.form) for each in steps]
        self.weights = [None if each.weight is None else self._place(each.weight) for each in steps]
        self.leaving = [self._place(each.leaving) for each in steps]
        self.hypotheses = [
            self._place(claimed.expr)
            for each in steps for claimed in each.conclusion.hypotheses if not claimed.box
        ]  # fmt: skip
        if any(each.has(zoo, nan) for each in self.expressions):
            raise BoundkitError(f"{certificate.theorem.name}: a step divides by 0 on the whole chart.")
        letters = {each.symbol: each.interval for each in chart.coordinates}
        quantities = _symbols((*self.expressions, *goal.coefficients.values())) - set(unknowns)
        others = sorted(quantities - set(chart.values) - set(letters), key=str)
        box = {**letters, **{each: interval_of(each) for each in others if each not in (L, T)}}
        self.sample = Sample(box, [each.subs(dict.fromkeys(others, 1)) for each in chart.constraints])
        self.ordered = sorted(quantities, key=str)
        ones = {each: Integer(1) for each in others if each not in box}
        places = [sympify(chart.values.get(each, each)).subs(ones) for each in self.ordered]
        self.quantities = lambdify(self.sample.symbols, places, "numpy")
        self.function = lambdify([*self.ordered, *unknowns], self.expressions, "numpy", cse=True)
        line = [self.start, *self.forms]
        self.atoms = list(dict.fromkeys([*goal.coefficients, *(atom for form in line for atom in form)]))
        self.atoms = [atom for atom in self.atoms if not atom.signed]
        self.set_goal(goal)
        self.own = self.bound

    def set_goal(self, goal: LinearForm) -> None:
        """Compare the last line with another bound."""
        values = [goal.coefficients.get(atom, Integer(0)) for atom in self.atoms]
        self.bound = lambdify([*self.ordered, *self.unknowns], values, "numpy", cse=True)

    def of(self, goal: LinearForm) -> _ChartRows:
        """Return the same with another bound, and a sample of its own."""
        result = copy(self)
        result.sample = self.sample.of()
        result.set_goal(goal)
        return result

    def _place(self, expr: Expr) -> int:
        self.expressions.append(sympify(expr))
        return len(self.expressions) - 1

    def _form(self, form: LinearForm) -> dict[Any, int]:
        return {atom: self._place(value) for atom, value in form.coefficients.items()}

    def _steps(self, places: Sequence[Values]) -> tuple[_Sized, dict[Any, Any], dict[Any, Any]]:
        """Return hypotheses and weights, the last line, and the sizes of its summands."""
        values = list(self.function(*places))
        rows = [(values[k], abs(values[k])) for k in self.hypotheses]
        line = {atom: values[k] for atom, k in self.start.items()}
        size = {atom: abs(value) for atom, value in line.items()}
        for step, form, place, left in zip(self.steps, self.forms, self.weights, self.leaving, strict=True):
            gone = step.step.removes
            if place is not None:
                weight = values[place]
                weight_size = abs(weight)
            else:
                assert gone is not None
                weight = (values[left] - line[gone]) / values[form[gone]]
                weight_size = (abs(values[left]) + size[gone]) / abs(values[form[gone]])
            if not step.conclusion.equality:
                rows.append((weight, weight_size))
            for atom, k in form.items():
                line[atom] = line.get(atom, 0) + weight * values[k]
                size[atom] = size.get(atom, 0) + weight_size * abs(values[k])
            if gone is not None and step.leaving == 0:
                del line[gone], size[gone]
        return rows, line, size

    def values(self, unknowns: Values, own: bool = False) -> tuple[Values, Values, Values]:
        """Return what must be >= 0, the coefficients of the bound in it, and the size of its summands.

        With ``own``, the bound is that of the certificate's theorem.
        """
        letters = self.sample.arrays()
        places = [*self.quantities(*letters), *unknowns]
        rows, line, size = self._steps(places)
        table = [(row, 0.0, each) for row, each in rows]
        for atom, bound in zip(self.atoms, (self.own if own else self.bound)(*places), strict=True):
            table.append((bound - line.get(atom, 0), bound, abs(bound) + size.get(atom, 0)))
        shape = np.broadcast_shapes(unknowns[0].shape, letters[0].shape)
        self.rows = len(table)
        first, second, third = (
            np.concatenate([np.broadcast_to(each, shape) for each in part], axis=-1)
            for part in zip(*table, strict=True)
        )
        return first, second, third

    def cancelling(self, point: Values) -> Values:
        """Return by how much each unknown changes, to first order, what must cancel in the last line."""
        _, line, size = self._steps([*self.quantities(*self.sample.arrays()), *_moved(point)])
        shape = (len(point), len(self.sample.points))
        rows = [
            np.broadcast_to(np.imag(value) / _STEP / np.abs(size[atom]), shape)
            for atom, value in line.items()
            if atom.signed
        ]
        slopes = np.concatenate([np.zeros((len(point), 1)), *rows], axis=-1)
        return np.asarray(np.nan_to_num(slopes) * point[:, None])


def _symbols(expressions: Iterable[Expr]) -> set[Symbol]:
    return set().union(*(each.free_symbols for each in expressions))


def _goal(certificate: Certificate, theorem: Theorem, constants: Mapping[str, Symbol]) -> LinearForm:
    """Return what the last line is compared with, with symbols for constants of terms."""
    this, rho = round_of(theorem), certificate.contraction
    claim, known = round_quantity(theorem), named(theorem, certificate.names)
    goal = LinearForm() if rho is None else (1 - rho) * line_before(certificate)
    for term in known.terms:
        constant, rest = term.expr.as_coeff_Mul()
        if constant == 0:
            continue
        share, expr, starts = share_of(certificate, known, this, rest / claim.times)
        if not starts:
            goal = goal + constants.get(term.label, constant) * share * constants_form(expr, known)
    return goal


def _moved(point: Values) -> Values:
    """Return the unknowns of a point, each moved by an imaginary step in one column."""
    return np.asarray(point[:, None, None] + _STEP * 1j * np.eye(len(point))[:, :, None])


class Constraints:
    """The obligations of a certificate at a sample, as functions of its numbers.

    With ``free``, the constants of the bound's terms are unknowns after the numbers. ``proved``: whether all
    obligations hold with the certificate's own numbers.
    """

    def __init__(self, certificate: Certificate, free: bool = False, proved: bool = True) -> None:
        self.certificate, self.proved = certificate, proved
        self.steps, self.parameters = _with_parameters(certificate, round_of(certificate.theorem))
        self.constants = constants_of(certificate) if free else {}
        symbols = {label: Symbol(f"constant_{k}") for k, label in enumerate(self.constants)}
        unknowns = [*(each.symbol for each in self.parameters), *symbols.values()]
        self.count = len(self.parameters)
        self.start = np.array([
            *(float(each.value) for each in self.parameters), *(float(v) for v in self.constants.values())
        ])  # fmt: skip
        own = {each.symbol for each in self.parameters}
        self.hypotheses = [
            _HypothesisRows(claimed, unknowns)
            for each in self.steps
            for claimed in each.conclusion.hypotheses
            if claimed.box and claimed.expr.free_symbols & own
        ]
        goal = _goal(certificate, certificate.theorem, symbols)
        self.charts = [
            _ChartRows(certificate, self.steps, goal, unknowns, chart) for chart in certificate.charts
        ]
        self._tie()
        self.scale()

    def _tie(self) -> None:
        """Tie parameters of which others must change in proportion, so that what cancels does so still.

        Parameters that change it and have no such other keep their values.
        """
        with np.errstate(all="ignore"):
            slopes = np.concatenate([each.cancelling(self.start) for each in self.charts], axis=-1)
        fixed = np.abs(slopes).max(axis=1) > _LOST
        leader = np.arange(len(self.start))
        for k in np.flatnonzero(fixed):
            for j in range(k):
                if fixed[j] and np.abs(slopes[j] + slopes[k]).max() < _LOST:
                    leader[k], fixed[j], fixed[k] = j, False, False
        kept = np.flatnonzero(leader == np.arange(len(leader)))
        self.leader = np.searchsorted(kept, leader)
        self.ratios = self.start / self.start[leader]
        self.own = [self.parameters[k].value for k in kept if k < self.count]
        self.free, self.start, self.count = ~fixed[kept], self.start[kept], len(self.own)

    def by_name(self, values: Sequence[Rational]) -> dict[str, Rational]:
        """Return all parameters for values of those that are unknowns."""
        return {
            each.name: each.value * values[k] / self.own[k]
            for each, k in zip(self.parameters, self.leader, strict=False)
        }

    def of(self, theorem: Theorem) -> Constraints | None:
        """Return the same for another bound; None where it has quantities that this one lacks."""
        goal = _goal(self.certificate, theorem, {})
        if any(not _symbols(goal.coefficients.values()) <= set(each.ordered) for each in self.charts):
            return None
        result = copy(self)
        result.certificate = self.certificate.of(theorem)
        result.hypotheses = [each.of() for each in self.hypotheses]
        result.charts = [each.of(goal) for each in self.charts]
        result.scale()
        return result

    def scale(self) -> None:
        """Fix the scale of each row from its terms at the certificate's own numbers.

        Rows that have lost their digits are left out: what is smaller than the rounding of its summands, what
        differs in real and in complex arithmetic, and what is negative in a proof; what it is negative by
        rounding is added to it.
        """
        values, bounds, sizes, slopes = self._raw(self.start)
        real = self._rows(self.start)[0]
        moved = np.abs(slopes * self.start).max(axis=1, initial=0.0)
        size = np.maximum(np.maximum(np.abs(values), moved), np.abs(bounds))
        with np.errstate(invalid="ignore"):  # infinite ones are not used
            exact = np.abs(real - values) <= _LOST * size
        self.used = np.isfinite(size) & (size > _ROUNDING * sizes) & exact
        if self.constants:
            self.used &= moved > 0
        errors = np.zeros(len(size))
        if self.proved:
            held, bounds, _ = self._rows(self.start, own=True)
            self.used &= held >= -_LOST * np.maximum(size, np.abs(bounds))
            errors = np.maximum(-held, 0)
        self.errors = errors[self.used]
        self.sizes = size[self.used]

    def _rows(self, point: Values, own: bool = False) -> tuple[Values, Values, Values]:
        point = (point[self.leader].T * self.ratios).T
        with np.errstate(all="ignore"):
            parts = [each.values(point, own) for each in self.charts]
            boxes = [each.values(point) for each in self.hypotheses]
        parts = [*((each, 0 * each, abs(each)) for each in boxes), *parts]
        rows, bounds, sizes = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return rows, bounds, sizes

    def _raw(self, point: Values) -> tuple[Values, Values, Values, Values]:
        rows, bounds, sizes = self._rows(_moved(point))
        return rows[0].real, bounds[0].real, sizes[0].real, rows.imag.T / _STEP

    def linear(self, point: Values) -> tuple[Values, Values]:
        """Return the constraints, which must be >= 0, and their derivatives."""
        values, _, _, slopes = self._raw(point)
        return (values[self.used] + self.errors) / self.sizes, slopes[self.used] / self.sizes[:, None]

    def at(self, point: Values) -> Values:
        """Return the constraints, which must be >= 0."""
        return np.asarray((self._rows(point)[0][self.used] + self.errors) / self.sizes)

    @property
    def _groups(self) -> list[_HypothesisRows | _ChartRows]:
        return [*self.hypotheses, *self.charts]

    def denser(self) -> Constraints:
        """Return the same at another, larger sample."""
        result = copy(self)
        result.hypotheses = [copy(each) for each in self.hypotheses]
        result.charts = [copy(each) for each in self.charts]
        for each in result._groups:
            each.sample = each.sample.denser()
        result.scale()
        return result

    def learn(self, denser: Constraints, point: Values) -> bool:
        """Add the points of a denser sample at which constraints fail most; return whether there are some."""
        values, place, new = np.zeros(len(denser.used)), 0, False
        values[denser.used] = denser.at(point)
        for own, other in zip(self._groups, denser._groups, strict=True):
            points = other.sample.points
            size = other.rows * len(points)
            for row in values[place : place + size].reshape(other.rows, len(points)):
                at = int(np.argmin(row))
                if row[at] < -_LOST:
                    own.sample.points.append(points[at])
                    new = True
            place += size
        if new:
            self.scale()
        return new

    def add(self, result: ProofCheck) -> bool:
        """Add the counterexamples of a refused proof to the sample; return whether one is new."""
        points = [one.decision.point for step in result.failed for one in step.failed if one.decision.point]
        new = [each.sample.add(point) for each in self._groups for point in points]
        if any(new):
            self.scale()
        return any(new)


def with_numbers(
    certificate: Certificate, parameters: Mapping[str, Rational], constants: Mapping[str, Rational]
) -> Certificate:
    """Return the certificate with other parameters, for the theorem with other constants."""
    theorem = certificate.theorem
    steps, known = _with_parameters(certificate, round_of(theorem))
    values = {each.symbol: parameters.get(each.name, each.value) for each in known}
    changed = tuple(
        replace(
            each.step,
            arguments={**each.step.arguments, **{k: v.subs(values) for k, v in each.arguments.items()}},
            weight=None if each.weight is None else each.weight.subs(values),
            leaving=each.leaving.subs(values),
        )
        for each in steps
    )
    terms = tuple(
        replace(term, expr=constants[term.label] * term.expr.as_coeff_Mul()[1])
        if term.label in constants
        else term
        for term in theorem.terms
    )
    return replace(certificate, theorem=replace(theorem, terms=terms), steps=changed)
