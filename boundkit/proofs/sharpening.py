"""Sharper constants of a certificate: its numbers become parameters, its obligations constraints.

The Young parameters, the p, q and y of the local steps, the coefficients in explicit weights, and the
constants of the bound's terms are unknowns. The obligations, at sampled values of the quantities, are the
constraints under which the constants are minimised, by sequential linear programmes with a trust region. The
parameters are rounded to three digits, the constants up, and the checker proves the result; where it refuses,
its counterexample joins the sample. Sampling only proposes: what is returned is proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_numbers import Constraints, Values, with_numbers
from boundkit.proofs.checker import check
from boundkit.proofs.proof_check import ProofCheck
from boundkit.proofs.rounds import STEP, kind_of
from boundkit.proofs.scalar_inequalities import limited_effort
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table

TOGETHER, ALL = "together", "all"
"""Aims beside the labels of terms: the sum of all constants, each relative to today's; and all aims."""

_DIGITS = 3
_PROGRAMMES = 60
_ATTEMPTS = 9
_MARGIN = 1e-6
"""What constraints are kept above 0, relative to their terms, before numbers are rounded."""
_EXACT = 1e-12
_HOPELESS = 1e-3
"""Where a constraint misses this much after the search, no numbers are rounded."""
_LARGER = (1.003, 1.01, 1.03)
"""Factors of constants that the checker refuses, between sampled values of the quantities."""
_PENALTY = 100.0
_CENTRE = 0.02
"""The same where the bound is given."""
_EFFORT = 100_000
"""Units of work of the solver for one inequality of a proof with other numbers."""
_CHECKS = 3
"""Proofs of a given bound that the checker may refuse."""
_FAR = 0.24
"""Where the worst constraint misses this much to first order, other numbers are not searched."""


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
        if all(dict(each.constants) == dict(self.constants) for each in self.results):
            proved = "No smaller constants were proved; those of today are."
        return Report(
            (title, constants, Heading("Parameters of the proofs"), parameters, Sentences([proved]))
        )


def _dominates(first: Sharpened, second: Sharpened) -> bool:
    pairs = [(first.constants[label], second.constants[label]) for label in first.constants]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _short(value: Rational) -> str:
    return f"{float(value):.4g}"


def _minimise(
    problem: Constraints, point: Values, costs: Values, free: Values, top: Values, margin: float, most: int
) -> Values:
    """Minimise costs times the unknowns that are free, by linear programmes in a trust region."""
    from scipy.optimize import linprog

    radius = 0.1
    values, slopes = problem.linear(point)
    scale = np.abs(point)

    def merit(at: Values, constraints: Values) -> float:
        return float(costs @ at) + _PENALTY * max(0.0, margin - float(np.min(constraints)))

    best = merit(point, values)
    for left in range(most, 0, -1):
        near = values - radius * np.abs(slopes * scale)[:, free].sum(axis=1) < margin
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
        trial = problem.at(new)
        reached = merit(new, trial)
        predicted = best - float(solved.fun) - float(costs @ point)
        if np.isfinite(reached) and reached < best - 1e-12:
            gained = best - reached
            point, best = new, reached
            values, slopes = problem.linear(point)
            radius = min(0.3, 1.5 * radius) if gained > 0.5 * predicted else radius
            hopeless = radius == 0.3 and _PENALTY * float(np.min(values)) + left * gained < 0
            if gained < 1e-7 or (not costs.any() and hopeless):
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
    problem: Constraints, point: Values, costs: Values, top: Values, margin: float, digits: int
) -> tuple[Values, list[Rational]]:
    """Round the parameters one after the other, and adapt those that are left.

    A number of the certificate is taken as it is where it fits.
    """
    free = problem.free.copy()
    chosen: dict[int, Rational] = {}
    order = [*range(1, problem.count), *range(min(1, problem.count))]
    for k in order:
        free[k] = False
        best: tuple[float, Values, Rational] | None = None
        own = problem.own[k]
        values = [_rounded(point[k], mode, digits) for mode in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR)]
        for value in [*values, own] if abs(point[k] / float(own) - 1) < 0.01 else values:
            trial = point.copy()
            trial[k] = float(value)
            if problem.at(trial).min() < margin:
                trial = _minimise(problem, trial, costs, free, top, margin, 2)
            missing = max(0.0, margin - float(problem.at(trial).min()))
            if best is None or missing < best[0]:
                best = (missing, trial, value)
            if missing < 1e-9:
                break
        assert best is not None
        _, point, chosen[k] = best
    return _minimise(problem, point, costs, free, top, margin, 8), [chosen[k] for k in range(problem.count)]


def _round_constants(problem: Constraints, point: Values, top: Sequence[Rational | None]) -> list[Rational]:
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
            if problem.at(point).min() < -_EXACT:
                break
            value = less
        result[k] = value
        point[problem.count + k] = float(value)
    return result


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
    problem = Constraints(certificate, free=True)
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


def _sharpen(problem: Constraints, aim: str, limits: Mapping[str, Rational]) -> Sharpened:
    labels = list(problem.constants)
    sizes = np.array([float(each) for each in problem.constants.values()])
    shares = np.array([1.0 if aim in (TOGETHER, label) else 0.01 for label in labels])
    found = _search(problem, shares / sizes, [limits[label] for label in labels])
    if found is not None:
        parameters, constants, certificate, result = found
        return Sharpened(aim, dict(zip(labels, constants, strict=True)), parameters, certificate, result)
    own = {each.name: each.value for each in problem.parameters}
    result = check(problem.certificate)
    if not result.proved or any(limits[label] < value for label, value in problem.constants.items()):
        raise BoundkitError(f"no constants of {result.theorem} within the limits were proved ({aim}).")
    return Sharpened(aim, problem.constants, own, problem.certificate, result)


def _search(
    problem: Constraints, costs: Values, limits: Sequence[Rational]
) -> tuple[dict[str, Rational], list[Rational], Certificate, ProofCheck] | None:
    """Return parameters and constants of least costs, proved by the checker; None where none are found."""
    costs = np.append(np.zeros(problem.count), costs)
    top = np.append(np.full(problem.count, np.inf), [float(each) for each in limits])
    free = problem.free.copy()
    margin = _MARGIN
    point = problem.start
    for attempt in range(_ATTEMPTS):
        digits = _DIGITS + (attempt >= 5)
        point = _minimise(problem, np.minimum(point, top), costs, free, top, margin, _PROGRAMMES)
        if problem.at(point).min() < -_HOPELESS:
            break
        rounded, chosen = _round_parameters(problem, point, costs, top, margin, digits)
        constants = _round_constants(problem, rounded, limits)
        if problem.at(np.array([*chosen, *constants], dtype=float)).min() < -_EXACT:
            margin = min(10 * margin, 1e-2)
            continue
        parameters = problem.by_name(chosen)
        found = dict(zip(problem.constants, constants, strict=True))
        certificate = with_numbers(problem.certificate, parameters, found)
        result = check(certificate)
        if result.proved:
            return parameters, constants, certificate, result
        larger = _with_larger_constants(problem, parameters, constants, limits, result)
        if larger is not None:
            return parameters, *larger
        if not problem.add(result):
            margin = min(10 * margin, 1e-3)
    return None


def _with_larger_constants(
    problem: Constraints, parameters: Mapping[str, Rational], constants: Sequence[Rational],
    limits: Sequence[Rational], result: ProofCheck,
) -> tuple[list[Rational], Certificate, ProofCheck] | None:  # fmt: skip
    """Return constants a little larger with which the checker proves the bound, where it alone failed."""
    if result.status == "unknown" or any(each.status != "proved" for each in result.steps[:-1]):
        return None
    for more in _LARGER:
        found = [
            min(_rounded(float(value) * more, ROUND_CEILING), limit)
            for value, limit in zip(constants, limits, strict=True)
        ]
        certificate = with_numbers(
            problem.certificate, parameters, dict(zip(problem.constants, found, strict=True))
        )
        with limited_effort(_EFFORT):
            result = check(certificate)
        if result.proved:
            return found, certificate, result
        if result.status == "unknown":
            return None
    return None


def adapted(problem: Constraints) -> Certificate | None:
    """Return the certificate with other numbers, proved by the checker; None where none are found.

    Nothing is searched where no constraint fails, where no number matters to one that fails, and where a
    change of each by half is not nearly enough to first order.
    """
    values, slopes = problem.linear(problem.start)
    stuck = ~slopes[:, problem.free].any(axis=1)
    if values.min() >= -_MARGIN:
        certificate = problem.certificate
        return certificate if not problem.proved and check(certificate).proved else None
    if (values[stuck] < -_MARGIN).any():
        return None
    if _missed(problem, values, slopes) > _FAR:
        return None
    costs, top = np.zeros(problem.count), np.full(problem.count, np.inf)
    point, denser, checks = problem.start, problem.denser(), 0
    for _ in range(_ATTEMPTS):
        point = _minimise(problem, point, costs, problem.free, top, _CENTRE, _PROGRAMMES)
        chosen = _rounded_inside(problem, point)
        if chosen is None:
            return None
        if problem.learn(denser, np.array(chosen, dtype=float)):
            continue
        certificate = with_numbers(problem.certificate, problem.by_name(chosen), {})
        with limited_effort(_EFFORT):
            result = check(certificate)
        if result.proved:
            return certificate
        checks += 1
        if checks == _CHECKS or result.status == "unknown" or not problem.add(result):
            return None
    return None


def _rounded_inside(problem: Constraints, point: Values) -> list[Rational] | None:
    """Return parameters of few digits near a point with which the constraints hold; None where none do."""
    for digits in range(2, 7):
        chosen = [
            _rounded(at, ROUND_HALF_EVEN, digits) if free else own
            for at, own, free in zip(point, problem.own, problem.free, strict=True)
        ]
        if problem.at(np.array(chosen, dtype=float)).min() >= -_EXACT:
            return chosen
    return None


def _missed(problem: Constraints, values: Values, slopes: Values) -> float:
    """Return what the worst constraint misses where each parameter changes by half, to first order."""
    from scipy.optimize import linprog

    moves = slopes * np.abs(problem.start) * problem.free
    near = values < np.abs(moves).sum(axis=1) / 2
    matrix = np.hstack([-moves[near], -np.ones((near.sum(), 1))])
    bounds = [*[(-0.5, 0.5)] * problem.count, (0, None)]
    solved = linprog(
        np.append(np.zeros(problem.count), 1), matrix, values[near], bounds=bounds, method="highs"
    )
    return np.inf if solved.fun is None else float(solved.fun)
