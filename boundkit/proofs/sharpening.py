"""Sharper constants of a certificate: its numbers become parameters, its obligations constraints.

The Young parameters, the p, q and y of the local steps, the coefficients in explicit weights, and the
constants of the bound's terms are unknowns. The obligations, at sampled values of the quantities, are the
constraints under which the constants are minimised, by sequential linear programmes with a trust region. The
parameters are rounded to three digits, the constants up, and the checker proves the result; where it refuses,
its counterexample joins the sample. Sampling only proposes: what is returned is proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, lambdify, sympify

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import L, T
from boundkit.proofs.certificate import Certificate, CertificateStep
from boundkit.proofs.checker import check, constants_form, first_line, is_initial, line_before
from boundkit.proofs.domain import CoordinateChart, Inequality, interval_of
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.linear_form import LinearForm
from boundkit.proofs.proof_check import ProofCheck
from boundkit.proofs.rounds import STEP, AlgorithmRound, kind_of, round_of
from boundkit.proofs.scalar_inequalities import Interval
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table

Values = NDArray[Any]

FIXED = frozenset({"h", "order", "beta", "gamma", "root", "d1", "d2"})
"""Arguments of lemmas that are no parameters: they follow from the step conditions."""
TOGETHER, ALL = "together", "all"
"""Aims beside the labels of terms: the sum of all constants, each relative to today's; and all aims."""

_DIGITS = 3
_PROGRAMMES = 60
_ATTEMPTS = 9
_MARGIN = 1e-6
"""What constraints are kept above 0, relative to their terms, before numbers are rounded."""
_EXACT, _LOST = 1e-12, 1e-6
_HOPELESS = 1e-3
"""Where a constraint misses this much after the search, no numbers are rounded."""
_PENALTY = 100.0
_STEP = 1e-30
_LARGE, _SMALL = 1e7, 1e-7
"""What stands for infinity, and for the open end of an interval as a share of it, in the sample."""


@dataclass(frozen=True)
class Parameter:
    """A number of a certificate, as an unknown: ``name`` is that of its step and argument."""

    name: str
    symbol: Symbol
    value: Rational


@dataclass(frozen=True)
class Sharpened:
    """A proof with smaller constants for one aim.

    ``constants`` of the terms and ``parameters`` of the proof by name; ``certificate``, and the result of
    ``check``, which proved it.
    """

    aim: str
    constants: Mapping[str, Rational] = field(hash=False)
    parameters: Mapping[str, Rational] = field(hash=False)
    certificate: Certificate
    check: ProofCheck

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "aim": self.aim,
            "verdict": self.check.status,
            "constants": {name: str(value) for name, value in self.constants.items()},
            "parameters": {name: str(value) for name, value in self.parameters.items()},
        }


@dataclass(frozen=True, repr=False)
class Sharpening(Reported):
    """The sharpened proofs of a theorem, one for each aim, beside its own constants."""

    theorem: str
    constants: Mapping[str, Rational] = field(hash=False)
    results: tuple[Sharpened, ...]

    @property
    def front(self) -> tuple[Sharpened, ...]:
        """The results of which no other is at most as large in every constant and smaller in one."""
        return tuple(
            each for each in self.results if not any(_dominates(other, each) for other in self.results)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "theorem": self.theorem,
            "constants": {name: str(value) for name, value in self.constants.items()},
            "sharpened": [{**each.to_dict(), "on_front": each in self.front} for each in self.results],
        }

    def report(self) -> Report:
        """The constants today and for each aim, and the parameters of each proof."""
        front = self.front
        shown = [*front, *(each for each in self.results if each not in front)]
        rows: list[list[Cell]] = [
            [label, _short(value), *(_short(each.constants[label]) for each in shown)]
            for label, value in self.constants.items()
        ]
        heads = [each.aim if each in front else f"{each.aim} (not on the front)" for each in shown]
        constants = Table(["constant", "today", *heads], rows, left=1)
        names = list(dict.fromkeys(name for each in shown for name in each.parameters))
        rows = [[name, *(_short(each.parameters[name]) for each in shown)] for name in names]
        parameters = Table(["parameter", *heads], rows, left=1)
        title = Heading(f"{self.theorem}, sharpened under its own step conditions")
        proved = f"Each is proved by the checker, with {shown[0].check.obligations} obligations."
        return Report(
            (title, constants, Heading("Parameters of the proofs"), parameters, Sentences([proved]))
        )


def _dominates(first: Sharpened, second: Sharpened) -> bool:
    pairs = [(first.constants[label], second.constants[label]) for label in first.constants]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _short(value: Rational) -> str:
    return f"{float(value):.4g}"


# The certificate with parameters


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

    def replace(self, expr: Expr, name: str) -> Expr:
        """Replace the coefficients of a number, product or sum; those that are 1 or -1 stay."""
        if expr.is_Rational:
            return self.parameter(name, expr) if expr not in (0, 1, -1) else expr
        if expr.is_Add:
            if all(abs(each.as_coeff_Mul()[0]) == 1 for each in expr.args):
                return expr
            parts = (each.as_coeff_Mul() for each in expr.args)
            return Add(*(self.parameter(name, value) * rest for value, rest in parts))
        if expr.is_Pow and expr.exp.is_Integer:
            return Pow(self.replace(expr.base, name), expr.exp)
        if expr.is_Mul:
            coefficient, rest = expr.as_coeff_Mul()
            factors = Mul.make_args(rest)
            new = [each if each.is_Symbol else self.replace(each, name) for each in factors]
            if coefficient != 1 and list(factors) == new:
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
            key: numbers.replace(sympify(value), f"{each.name}: {key}")
            for key, value in each.arguments.items()
            if key not in FIXED and isinstance(value, int | float | Expr) and not isinstance(value, bool)
        }
        conclusion = _conclude(each, this, given)
        if conclusion is None:
            del numbers.parameters[before:]
            given, conclusion = {}, each.lemma.conclude(this, **each.arguments)
        weight = each.weight
        if weight is not None:
            weight = numbers.replace(sympify(weight), f"{each.name}: weight")
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


class _Sample:
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

    def _levels(self, interval: Interval, many: bool = False) -> tuple[float, ...]:
        low = self._low(interval)
        if interval.upper is None:
            return (low, low + 1, low + 10, low + 300, _LARGE) if many else (low, low + 2, _LARGE)
        high = float(interval.upper)
        return tuple(np.linspace(low, high, 5)) if many else (low, high)

    def _low(self, interval: Interval) -> float:
        low = float(interval.lower)
        return low + _SMALL * (1.0 if interval.upper is None else float(interval.upper)) * interval.open

    def _draw(self, random: np.random.Generator, interval: Interval, power: int) -> float:
        low, share = self._low(interval), random.random() ** power
        if interval.upper is None:
            return low + share / (1 - share + 1 / _LARGE)
        return low + share * (float(interval.upper) - low)

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
        middle = {symbol: self._levels(each)[1] for symbol, each in self.box.items()}
        new = np.array([float(point.get(symbol, middle[symbol])) for symbol in self.symbols])
        if not self._holds(new) or any(np.allclose(new, old, rtol=1e-9, atol=0) for old in self.points):
            return False
        self.points.append(new)
        return True

    def arrays(self) -> list[Values]:
        return list(np.array(self.points).T)


def _shape(unknowns: Values, letters: Sequence[Values]) -> tuple[int, ...]:
    return np.broadcast_shapes(unknowns[0].shape, letters[0].shape)


class _HypothesisRows:
    """A hypothesis of a lemma in letters of its own."""

    def __init__(self, claimed: Inequality, unknowns: Sequence[Symbol]) -> None:
        self.sample = _Sample(claimed.box)
        self.function = lambdify([*self.sample.symbols, *unknowns], claimed.expr, "numpy")

    def values(self, unknowns: Values) -> Values:
        letters = self.sample.arrays()
        return np.broadcast_to(self.function(*letters, *unknowns), _shape(unknowns, letters))


class _ChartRows:
    """Weights, hypotheses and the comparison with the bound, on one chart."""

    def __init__(
        self,
        certificate: Certificate,
        steps: Sequence[_Step],
        constants: Mapping[str, Symbol],
        unknowns: Sequence[Symbol],
        chart: CoordinateChart,
    ) -> None:
        self.steps, self.certificate = steps, certificate
        theorem, rho = certificate.theorem, certificate.contraction
        start = first_line(certificate)
        goal = LinearForm() if rho is None else (1 - rho) * line_before(certificate)
        for term in theorem.terms:
            if is_initial(certificate, term.expr):
                continue
            value, rest = term.expr.as_coeff_Mul()
            scaled = constants_form(rest, theorem)
            goal = goal + constants.get(term.label, value) * (1 if rho is None else rho) * scaled
        self.expressions: list[Expr] = []
        self.start, self.goal = self._form(start), self._form(goal)
        self.forms = [self._form(each.conclusion.form) for each in steps]
        self.weights = [None if each.weight is None else self._place(each.weight) for each in steps]
        self.leaving = [self._place(each.leaving) for each in steps]
        self.hypotheses = [
            self._place(claimed.expr)
            for each in steps for claimed in each.conclusion.hypotheses if not claimed.box
        ]  # fmt: skip
        letters = {each.symbol: each.interval for each in chart.coordinates}
        quantities = set().union(*(each.free_symbols for each in self.expressions)) - set(unknowns)
        others = sorted(quantities - set(chart.values) - set(letters), key=str)
        box = {**letters, **{each: interval_of(each) for each in others if each not in (L, T)}}
        self.sample = _Sample(box, [each.subs(dict.fromkeys(others, 1)) for each in chart.constraints])
        ordered = sorted(quantities, key=str)
        ones = {each: Integer(1) for each in others if each not in box}
        places = [sympify(chart.values.get(each, each)).subs(ones) for each in ordered]
        self.quantities = lambdify(self.sample.symbols, places, "numpy")
        self.function = lambdify([*ordered, *unknowns], self.expressions, "numpy", cse=True)

    def _place(self, expr: Expr) -> int:
        self.expressions.append(sympify(expr))
        return len(self.expressions) - 1

    def _form(self, form: LinearForm) -> dict[Any, int]:
        return {atom: self._place(value) for atom, value in form.coefficients.items()}

    def values(self, unknowns: Values) -> Values:
        letters = self.sample.arrays()
        results = self.function(*self.quantities(*letters), *unknowns)
        values = list(results)
        rows = [values[k] for k in self.hypotheses]
        line = {atom: values[k] for atom, k in self.start.items()}
        for step, form, place, left in zip(self.steps, self.forms, self.weights, self.leaving, strict=True):
            if place is not None:
                weight = values[place]
            else:
                assert step.step.removes is not None
                weight = (values[left] - line[step.step.removes]) / values[form[step.step.removes]]
            if not step.conclusion.equality:
                rows.append(weight)
            for atom, k in form.items():
                line[atom] = line.get(atom, 0) + weight * values[k]
            if step.step.removes is not None and step.leaving == 0:
                del line[step.step.removes]
        for atom in dict.fromkeys([*self.goal, *line]):
            if not atom.signed:
                rest = values[self.goal[atom]] if atom in self.goal else 0
                rows.append(rest - line.get(atom, 0))
        shape = _shape(unknowns, letters)
        return np.concatenate([np.broadcast_to(each, shape) for each in rows], axis=-1)


class _Problem:
    """The constants of a certificate's terms, minimised under its obligations."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.steps, self.parameters = _with_parameters(certificate, round_of(certificate.theorem))
        self.constants = constants_of(certificate)
        symbols = {label: Symbol(f"constant_{k}") for k, label in enumerate(self.constants)}
        unknowns = [*(each.symbol for each in self.parameters), *symbols.values()]
        self.count = len(self.parameters)
        self.start = np.array([
            *(float(each.value) for each in self.parameters), *(float(v) for v in self.constants.values())
        ])  # fmt: skip
        own = {each.symbol for each in self.parameters}
        self.rows: list[_HypothesisRows | _ChartRows] = [
            _HypothesisRows(claimed, unknowns)
            for each in self.steps
            for claimed in each.conclusion.hypotheses
            if claimed.box and claimed.expr.free_symbols & own
        ]
        self.rows += [
            _ChartRows(certificate, self.steps, symbols, unknowns, chart) for chart in certificate.charts
        ]
        self.scale()

    def scale(self) -> None:
        """Fix the scale of each row from its terms at the certificate's own numbers.

        Rows that are negative there, where all of them hold, have lost their digits and are left out, and so
        are those that differ in real and in complex arithmetic.
        """
        values, slopes = self._raw(self.start)
        with np.errstate(all="ignore"):
            real = np.concatenate([each.values(self.start) for each in self.rows])
        size = np.maximum(np.abs(values), np.abs(slopes * self.start).max(axis=1))
        self.used = np.isfinite(size) & (np.abs(slopes).max(axis=1) > 0) & (values >= -_LOST * size)
        self.used &= np.abs(real - values) <= _LOST * size
        self.sizes = size[self.used]

    def _raw(self, point: Values) -> tuple[Values, Values]:
        with np.errstate(all="ignore"):
            moved = point[:, None, None] + _STEP * 1j * np.eye(len(point))[:, :, None]
            columns = np.concatenate([each.values(moved) for each in self.rows], axis=-1)
        return columns[0].real, columns.imag.T / _STEP

    def linear(self, point: Values) -> tuple[Values, Values]:
        """Return the constraints, which must be >= 0, and their derivatives."""
        values, slopes = self._raw(point)
        return values[self.used] / self.sizes, slopes[self.used] / self.sizes[:, None]

    def constraints(self, point: Values) -> Values:
        """Return the constraints, which must be >= 0."""
        with np.errstate(all="ignore"):
            values = np.concatenate([each.values(point) for each in self.rows])
        return np.asarray(values[self.used] / self.sizes)

    def add(self, result: ProofCheck) -> bool:
        """Add the counterexamples of a refused proof to the sample; return whether one is new."""
        points = [one.decision.point for step in result.failed for one in step.failed if one.decision.point]
        new = [each.sample.add(point) for each in self.rows for point in points]
        if any(new):
            self.scale()
        return any(new)


def _minimise(
    problem: _Problem, point: Values, costs: Values, free: Values, top: Values, margin: float, most: int
) -> Values:
    """Minimise costs times the unknowns that are free, by linear programmes in a trust region."""
    from scipy.optimize import linprog

    radius = 0.1
    values, slopes = problem.linear(point)
    scale = np.abs(point)

    def merit(at: Values, constraints: Values) -> float:
        return float(costs @ at) + _PENALTY * max(0.0, margin - float(np.min(constraints)))

    best = merit(point, values)
    for _ in range(most):
        near = values < 0.05 + 6 * radius
        matrix = np.hstack([-(slopes[near] * scale)[:, free], -np.ones((near.sum(), 1))])
        limits = [
            (max(-radius, 0.001 - at / s), min(radius, (up - at) / s) if up > at else 0.0)
            for at, up, s in zip(point[free], top[free], scale[free], strict=True)
        ]
        limits = [(min(low, 0.0), max(high, 0.0)) for low, high in limits]
        goal = np.append((costs * scale)[free], _PENALTY)
        solved = linprog(goal, matrix, values[near] - margin, bounds=[*limits, (0, None)], method="highs")
        if solved.x is None or solved.fun is None:
            break
        new = point.copy()
        new[free] += scale[free] * solved.x[:-1]
        trial = problem.constraints(new)
        reached = merit(new, trial)
        predicted = best - float(solved.fun) - float(costs @ point)
        if np.isfinite(reached) and reached < best - 1e-12:
            gained = best - reached
            point, best = new, reached
            values, slopes = problem.linear(point)
            radius = min(0.3, 1.5 * radius) if gained > 0.5 * predicted else radius
            if gained < 1e-7:
                break
        else:
            radius /= 4
            if radius < 1e-6:
                break
    return point


def _rounded(value: float, mode: str, digits: int = _DIGITS) -> Rational:
    """Return a number with some significant digits."""
    number = Decimal(repr(float(value)))
    if not number:
        return Rational(0)
    return Rational(str(number.quantize(Decimal(1).scaleb(number.adjusted() - digits + 1), rounding=mode)))


def _unit(value: Rational) -> Rational:
    return Rational(str(Decimal(1).scaleb(Decimal(repr(float(value))).adjusted() - _DIGITS + 1)))


def _round_parameters(
    problem: _Problem, point: Values, costs: Values, top: Values, margin: float, digits: int
) -> tuple[Values, list[Rational]]:
    """Round the parameters one after the other, and adapt those that are left.

    A number of the certificate is taken as it is where it fits.
    """
    free = np.ones(len(point), dtype=bool)
    chosen: dict[int, Rational] = {}
    order = [*range(1, problem.count), *range(min(1, problem.count))]
    for k in order:
        free[k] = False
        best: tuple[float, Values, Rational] | None = None
        own = problem.parameters[k].value
        values = [_rounded(point[k], mode, digits) for mode in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR)]
        for value in [*values, own] if abs(point[k] / float(own) - 1) < 0.01 else values:
            trial = point.copy()
            trial[k] = float(value)
            if problem.constraints(trial).min() < margin:
                trial = _minimise(problem, trial, costs, free, top, margin, 2)
            missing = max(0.0, margin - float(problem.constraints(trial).min()))
            if best is None or missing < best[0]:
                best = (missing, trial, value)
            if missing < 1e-9:
                break
        assert best is not None
        _, point, chosen[k] = best
    return _minimise(problem, point, costs, free, top, margin, 8), [chosen[k] for k in range(problem.count)]


def _round_constants(problem: _Problem, point: Values, top: Sequence[Rational | None]) -> list[Rational]:
    """Round the constants up, and take away units of the last digit while the constraints hold.

    A constant that no constraint limits from below ends at one unit of its first last digit.
    """
    result = []
    for k, limit in zip(range(problem.count, len(point)), top, strict=True):
        value = _rounded(point[k] * (1 - 1e-9), ROUND_CEILING)
        result.append(limit if limit is not None and value > limit else value)
    point = np.append(point[: problem.count], [float(each) for each in result])
    for k, value in enumerate(result):
        least = _unit(value)
        while value > least:
            less = _rounded(float(value) * (1 - 1e-9), ROUND_FLOOR)
            point[problem.count + k] = float(less)
            if problem.constraints(point).min() < -_EXACT:
                break
            value = less
        result[k] = value
        point[problem.count + k] = float(value)
    return result


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


def sharpen(
    certificate: Certificate, aims: Sequence[str] = (TOGETHER,), limits: Mapping[str, Any] | None = None
) -> Sharpening:
    """Search smaller constants for which the steps of a certificate prove its theorem.

    Parameters
    ----------
    certificate
        A proof; its step conditions stay.
    aims
        What to make small: labels of terms; ``together`` for the sum of all constants relative to today's; or
        ``all`` for each of these in turn.
    limits
        The most that constants may become, by label; today's where it is not given.

    Returns
    -------
    The constants and parameters for each aim, each proved by the checker; the certificate's own where no
    others are proved.

    Raises
    ------
    BoundkitError
        For an aim that is no term, and where no constants within the limits are proved.
    """
    if kind_of(certificate.theorem) == STEP:
        raise BoundkitError(
            f"the constants of {certificate.theorem.name} are not searched: its proof is about a {STEP}."
        )
    problem = _Problem(certificate)
    known = (TOGETHER, *problem.constants)
    aims = [each for aim in aims for each in (known if aim == ALL else (aim,))]
    for aim in aims:
        if aim not in known:
            raise unknown(f"aim for {certificate.theorem.name}", aim, [ALL, *known])
    for label in limits or {}:
        if label not in problem.constants:
            raise unknown(f"constant of {certificate.theorem.name}", label, problem.constants)
    top = {**problem.constants, **{label: Rational(str(v)) for label, v in (limits or {}).items()}}
    results = tuple(_sharpen(problem, aim, top) for aim in dict.fromkeys(aims))
    return Sharpening(certificate.theorem.name, problem.constants, results)


def _sharpen(problem: _Problem, aim: str, limits: Mapping[str, Rational]) -> Sharpened:
    labels = list(problem.constants)
    sizes = np.array([float(each) for each in problem.constants.values()])
    shares = np.array([1.0 if aim in (TOGETHER, label) else 0.01 for label in labels])
    costs = np.append(np.zeros(problem.count), shares / sizes)
    top = np.append(np.full(problem.count, np.inf), [float(limits[label]) for label in labels])
    free = np.ones(len(costs), dtype=bool)
    margin = _MARGIN
    point = problem.start
    for attempt in range(_ATTEMPTS):
        digits = _DIGITS + (attempt >= 5)
        point = _minimise(problem, np.minimum(point, top), costs, free, top, margin, _PROGRAMMES)
        if problem.constraints(point).min() < -_HOPELESS:
            break
        rounded, chosen = _round_parameters(problem, point, costs, top, margin, digits)
        constants = _round_constants(problem, rounded, [limits[label] for label in labels])
        if problem.constraints(np.array([*chosen, *constants], dtype=float)).min() < -_EXACT:
            margin = min(10 * margin, 1e-2)
            continue
        parameters = {each.name: value for each, value in zip(problem.parameters, chosen, strict=True)}
        found = dict(zip(labels, constants, strict=True))
        certificate = with_numbers(problem.certificate, parameters, found)
        result = check(certificate)
        if result.proved:
            return Sharpened(aim, found, parameters, certificate, result)
        if not problem.add(result):
            margin = min(10 * margin, 1e-3)
    own = {each.name: each.value for each in problem.parameters}
    result = check(problem.certificate)
    if not result.proved or any(limits[label] < value for label, value in problem.constants.items()):
        raise BoundkitError(f"no constants of {result.theorem} within the limits were proved ({aim}).")
    return Sharpened(aim, problem.constants, own, problem.certificate, result)
