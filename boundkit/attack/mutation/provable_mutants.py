"""Mutants that are proved: their bounds follow from the steps of a certificate.

A certificate leads to a last line, which is often below the bound of its theorem. So a mutant may be above
that line although it is below the bound: with a smaller constant, another exponent, or without a term that
others contain. Certificates of other theorems on the same algorithm and claim are tried too, under the
mutant's own conditions. What decides are the obligations of the checker, by exact arithmetic and z3; what
these leave unknown is not proved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from sympy import Expr, Integer, Pow, Rational, Symbol, ceiling, expand, lambdify, simplify, sqrt
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import L, T, eta, eta_s, offset, tau
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.attack.mutation.mutant import Mutant, replace_at
from boundkit.attack.mutation.random_points import draw_points
from boundkit.attack.mutation.weaker_mutants import ROUNDING, is_whole, sign_proofs
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_numbers import Constraints, parameters_of
from boundkit.proofs.certificate_store import certified, current_record, proof_named, proofs_of
from boundkit.proofs.checker import CaseCheck, check, conclusion_of, round_quantity
from boundkit.proofs.corollaries import Corollary, check_derivation, check_proof
from boundkit.proofs.domain import CoordinateChart, interval_of
from boundkit.proofs.named_letters import named
from boundkit.proofs.proof_check import END, START, StepCheck
from boundkit.proofs.rounds import round_of
from boundkit.proofs.sharpening import adapted
from boundkit.theorems import catalogue

_POINTS, _BESIDE = 100, 0.02
"""Points at which constraints are compared with a condition, this much beside it."""
_LEAST = 0.8
"""A last line is hardly below the bound of its theorem by more than this factor."""


@dataclass(frozen=True)
class ProvedMutant:
    """The result for a mutant: the theorem whose certificate proves it, or the step that fails.

    ``sharpened``: whether the certificate proves it with other numbers.
    """

    proved: bool
    name: str
    failed: str = ""
    sharpened: bool = False


class CertificateUnderConditions:
    """The steps of a certificate under the conditions of a theorem, up to the last line."""

    def __init__(self, certificate: Certificate, theorem: Theorem) -> None:
        self.own = certificate.of(theorem)
        this = round_of(theorem)
        self.claim = round_quantity(theorem)
        conclusions = [conclusion_of(this, each) for each in self.own.steps]
        self.cases = [CaseCheck(self.own, this, conclusions, chart) for chart in self.own.charts]
        self.failed = "" if _is_checked(self.own) else self._first_failure()
        self.lines = [] if self.failed else [case.last_line() for case in self.cases]

    def _first_failure(self) -> str:
        """Return the first step that is not proved under the theorem's conditions; empty where all are."""
        for case in self.cases:
            covers = StepCheck(START, tuple(case.domain.check_chart()))
            if covers.status != "proved":
                return _failure(covers)
        steps = check(self.own).steps
        return next((_failure(each) for each in steps if each.name != END and each.status != "proved"), "")

    def failure(self, theorem: Theorem) -> str:
        """Return why the last line is not proved to be at most the bound of a theorem; empty where it is."""
        if self.failed:
            return self.failed
        terms = tuple(term for term in theorem.terms if term.expr != 0)
        own = self.own.of(replace(theorem, terms=terms, reductions=(), limits=()))
        for case, line in zip(self.cases, self.lines, strict=True):
            case.certificate, case.theorem = own, named(own.theorem, own.names)
            end = case.end(line, self.claim)
            if end.status != "proved":
                return _failure(end)
        return ""


def _is_checked(certificate: Certificate) -> bool:
    """Whether the result of a certificate of the catalogue is stored, with today's key."""
    name = certificate.theorem.name
    if name not in certified() or proof_named(name) != certificate:
        return False
    record = current_record(name)
    return record is not None and record["verdict"] == "proved"


def _failure(check: StepCheck) -> str:
    one = check.failed[0]
    at = ", ".join(f"{name} = {value}" for name, value in one.counterexample.items())
    return f"{check.name}: {one.text}" + (f" fails at {at}" if at else f" is {one.decision.status}")


@lru_cache(maxsize=64)
def _derivation(name: str, theorem: Theorem, number: int = 0) -> CertificateUnderConditions | None:
    proof = proofs_of(name)[number]
    try:
        return CertificateUnderConditions(proof, theorem) if isinstance(proof, Certificate) else None
    except (BoundkitError, KeyError):
        return None


@lru_cache(maxsize=64)
def _is_proved(name: str, number: int) -> bool:
    """Whether a derivation is proved, with its base; the first one of a theorem has a stored result."""
    return number == 0 or check_proof(proofs_of(name)[number]).proved


def prove_mutant(mutant: Mutant) -> ProvedMutant | None:
    """Decide whether a certificate of the catalogue proves a mutant; None where none is about its claim."""
    theorem, original = with_original_span(mutant) or with_original_decay(mutant), mutant.original
    bound = theorem if mutant.condition is None else original  # which holds within the base's conditions
    related = [
        name
        for name in _related(original)
        if name == original.name or _is_below(proof_named(name).theorem, bound, _LEAST)
    ]
    result = None
    for name in related:
        for number in range(len(proofs_of(name))):
            failed = _try(name, theorem, original, number)
            if failed == "":
                return ProvedMutant(True, name)
            if failed is not None and result is None:
                result = ProvedMutant(False, name, failed)
    for name in reversed(related):  # of another theorem first: its constants are smaller
        if any(_with_other_numbers(name, k, theorem, mutant) for k in range(len(proofs_of(name)))):
            return ProvedMutant(True, name, sharpened=True)
    return result


def with_original_decay(mutant: Mutant) -> Theorem:
    """Return the mutant, or a theorem below it that decays as the original, where it has another rate.

    A factor 1 - (1 - a)^n with 0 <= a <= b <= 1 is at least a/b times 1 - (1 - b)^n, which is concave in b
    and 0 at b = 0. With k n for n in the original, a = b, and both n and k whole, it is at least a, and 1/k
    times 1 - (1 - a)^(k n), so that it is at least the mean of 1/k and a times that. Else, where n is
    another number, the term is left out, as it is at least 0.
    """
    theorem, original, path = mutant.theorem, mutant.original, mutant.path
    if path is None or mutant.expr is None or mutant.part is None:
        return theorem
    power = original.bound.terms[mutant.label].expr
    for depth, place in enumerate(path):
        if isinstance(power, Pow) and not power.exp.is_number:
            changed = replace_at(power, path[depth:], mutant.part)
            break
        power = power.args[place]
    else:
        return theorem
    slower, faster = 1 - changed.as_base_exp()[0], 1 - power.base
    rest, signs = mutant.expr / (1 - changed), sign_proofs(original)
    if not isinstance(changed, Pow) or rest.has(changed):
        return theorem
    longer = [faster - slower] if changed.exp == power.exp else []
    if not is_whole(power.exp) or not is_whole(changed.exp):
        return theorem
    if any(signs.sign(each) <= 0 for each in (rest, slower, *longer, 1 - faster)):
        return theorem
    times = power.exp / changed.exp
    if longer:
        below = rest * (slower / faster) * (1 - power)
    elif slower == faster and is_whole(times):
        below = rest * (1 / times + slower) / 2 * (1 - power)
    else:
        below = Integer(0)
    terms = tuple(replace(t, expr=below) if t.label == mutant.label else t for t in theorem.terms)
    return replace(theorem, terms=terms, reductions=(), limits=())


def with_original_span(mutant: Mutant) -> Theorem | None:
    """Return a theorem below the mutant that falls as 1/(offset + tau T), where it falls in another way.

    Its term is that of the theorem over tau, where this is at most the mutant's; None where it is not.
    """
    theorem, original = mutant.theorem, mutant.original
    if mutant.expr is None or not original.assumes("decaying-step") or offset not in original.quantities:
        return None
    old = original.bound.terms[mutant.label].expr
    falls = [T not in simplify(each * (offset + tau * T)).free_symbols for each in (old, mutant.expr)]
    if falls != [True, False] or not sign_proofs(original).never_less(mutant.expr, old / tau):
        return None
    terms = tuple(replace(t, expr=old / tau) if t.label == mutant.label else t for t in theorem.terms)
    return replace(theorem, terms=terms, reductions=(), limits=())


def _with_other_numbers(name: str, number: int, theorem: Theorem, mutant: Mutant) -> bool:
    """Whether a certificate with other numbers proves a mutant, or the base of which it is a corollary."""
    proof, original = proofs_of(name)[number], mutant.original
    try:
        if isinstance(proof, Corollary):
            return name == original.name and (
                _from_sharper_base(proof, mutant)
                if mutant.condition is None
                else _from_longer_base(proof, theorem, mutant.times)
            )
        if mutant.condition is not None:
            condition, times = original.step_size[mutant.place], Integer(mutant.times)
            relaxed = None if theorem.rules else _relaxed(proof, theorem, condition, times)
            return relaxed is not None and _proves(relaxed)
        if theorem.rules or (name != original.name and not _is_below(proof.theorem, theorem, _LEAST)):
            return False
        derivation = _derivation(name, original, number)
        if derivation is None or derivation.failed:
            return False
        return _is_adapted(proof, theorem)
    except (BoundkitError, ValueError, TypeError, ZeroDivisionError):
        return False


def _proves(relaxed: Certificate) -> bool:
    """Whether a certificate under a relaxed condition proves its theorem, with its numbers or others."""
    if not parameters_of(relaxed):
        return check(relaxed).proved
    return adapted(Constraints(relaxed, proved=False)) is not None


def _relaxed(
    proof: Certificate, theorem: Theorem, condition: Relational, times: Rational
) -> Certificate | None:
    """Return a certificate whose charts end where a relaxed condition does; None where no chart ends there.

    What the condition limits grows with the step size: ends and constraints of the charts, and a bound h on
    the local steps. The checker decides whether the charts still cover the domain.
    """
    small, large = sides(condition)
    ratio = simplify(small / large)
    step_size = next((each for each in (eta_s, eta) if _degree(ratio, each)), None)
    if step_size is None:
        return None
    longer = times ** (1 / _degree(ratio, step_size))
    limited = [_Limited(each, ratio, step_size) for each in proof.charts]
    charts = tuple(each.longer(longer) for each in limited)
    if charts == proof.charts:
        return None
    most = [
        x.upper for chart in charts for x in chart.coordinates if x.definition == eta * L * tau and x.upper
    ]
    steps = []
    for each in proof.steps:
        h = each.arguments.get("h")
        if h is not None and any(one.limits(h - eta * L * (tau - 1)) for one in limited):
            each = replace(each, arguments={**each.arguments, "h": min([_above(h * longer), *most])})
        steps.append(each)
    return replace(proof, theorem=theorem, steps=tuple(steps), charts=charts)


def _degree(expr: Expr, step_size: Quantity) -> Expr:
    """Return the power of a step size in an expression; 0 where it is none above 0."""
    power = simplify(step_size * expr.diff(step_size) / expr)
    return power if power.is_Rational and power > 0 else Integer(0)


class _Limited:
    """What a condition ratio <= 1 on a step size limits on a chart, as random points beside it show."""

    def __init__(self, chart: CoordinateChart, ratio: Expr, step_size: Quantity) -> None:
        self.chart = chart
        self.scales = {
            x.symbol: simplify(step_size * x.definition.diff(step_size) / x.definition)
            for x in chart.coordinates
        }
        condition = ratio.subs(chart.values)
        self.letters: list[Symbol] = []
        self.inside, self.beyond = np.zeros((2, 0, 0))
        if condition == 0 or not all(each.is_Rational for each in self.scales.values()):
            return
        ends = {x.symbol: x.interval for x in chart.coordinates}
        ends |= {x: interval_of(x) for x in sorted(condition.free_symbols - set(ends), key=str)}
        self.letters = [*ends]
        share = np.random.default_rng(0).uniform(0.01, 0.99, (len(self.letters), _POINTS))
        points = np.array([
            float(each.lower) + v * (1 / (1 - v) if each.upper is None else float(each.upper - each.lower))
            for v, each in zip(share, ends.values(), strict=True)
        ])  # fmt: skip
        powers = np.array([float(self.scales.get(x, 0)) for x in self.letters])[:, None]
        length = lambdify(self.letters, condition)(*points) ** (-1 / float(_degree(ratio, step_size)))
        self.inside, self.beyond = (points * (side * length) ** powers for side in (1 - _BESIDE, 1 + _BESIDE))

    def limits(self, expr: Expr) -> bool:
        """Whether ``expr`` >= 0 wherever the condition holds, and not beyond it."""
        here = expr.subs(self.chart.values)
        if not self.letters or not here.free_symbols <= set(self.letters):
            return False
        at = lambdify(self.letters, here)
        return bool(np.all(at(*self.inside) >= 0) and np.any(at(*self.beyond) < 0))

    def longer(self, factor: Expr) -> CoordinateChart:
        """Return the chart for steps that are longer by a factor: what holds there holds for shorter ones."""
        shorter = {symbol: symbol / factor**scale for symbol, scale in self.scales.items()}
        coordinates = tuple(
            replace(x, upper=_above(x.upper * factor ** self.scales[x.symbol]))
            if x.upper is not None and self.scales[x.symbol] > 0 and self.limits(x.upper - x.symbol)
            else x
            for x in self.chart.coordinates
        )
        constraints = tuple(
            expand(each.subs(shorter, simultaneous=True)) if self.limits(each) else each
            for each in self.chart.constraints
        )
        return replace(self.chart, coordinates=coordinates, constraints=constraints)


def _above(value: Expr) -> Rational:
    """Return a value, or a rational number just above it."""
    return value if value.is_Rational else Rational(ceiling(1000 * value), 1000)


def _from_sharper_base(proof: Corollary, mutant: Mutant) -> bool:
    """Whether a smaller term of a corollary follows from that of its base, which other numbers may prove.

    The base's term is tried with the factor by which that of the corollary is smaller.
    """
    base, own = proof.base, mutant.original.bound.terms
    if not isinstance(base, Certificate) or mutant.label not in own or mutant.expr is None:
        return False
    factor = simplify(mutant.expr / own[mutant.label].expr)
    terms = tuple(
        replace(each, expr=each.expr * factor) if each.label == mutant.label else each
        for each in base.theorem.terms
    )
    sharper = base.of(replace(base.theorem, terms=terms, reductions=(), limits=()))
    derived = replace(proof, theorem=mutant.theorem, base=sharper)
    if any(each.status != "proved" for each in check_derivation(derived)):
        return False
    name = base.theorem.name
    if any(_try(name, sharper.theorem, base.theorem, k) == "" for k in range(len(proofs_of(name)))):
        return True
    return _is_adapted(base, sharper.theorem)


def _from_longer_base(proof: Corollary, theorem: Theorem, times: int) -> bool:
    """Whether a corollary under a relaxed condition follows from its base under one that is relaxed, too.

    A condition on the rounds is one on the step size, or on its square, which is relaxed by the root.
    """
    base = proof.base
    if not isinstance(base, Certificate):
        return False
    for place, condition in enumerate(base.theorem.step_size):
        for factor in (_above(sqrt(times)), Integer(times)):
            steps = list(base.theorem.step_size)
            small, large = sides(condition)
            steps[place] = small <= factor * large
            longer = replace(base.theorem, step_size=tuple(steps), reductions=(), limits=())
            under = base.of(longer)
            derived = replace(proof, theorem=theorem, base=under)
            if any(each.status != "proved" for each in check_derivation(derived)):
                continue
            relaxed = _relaxed(base, longer, condition, factor)  # None where no chart ends there
            if check(under).proved if relaxed is None else _proves(relaxed):
                return True
    return False


def _is_adapted(proof: Certificate, theorem: Theorem) -> bool:
    """Whether the steps of a certificate prove a theorem, with other numbers."""
    terms = tuple(term for term in theorem.terms if term.expr != 0)
    constraints = _constraints(proof)
    changed = constraints and constraints.of(replace(theorem, terms=terms, reductions=(), limits=()))
    return changed is not None and adapted(changed) is not None


@lru_cache(maxsize=64)
def _constraints(proof: Certificate) -> Constraints | None:
    """Return the constraints on the numbers of a certificate; None where it has none."""
    return Constraints(proof) if parameters_of(proof) else None


def follows_from(mutant: Mutant) -> str:
    """Return the name of another theorem of the catalogue from which a mutant follows; empty without one.

    That theorem may be proved in prose.
    """
    theorem = mutant.theorem
    for base in catalogue().values():
        if base.name == theorem.name or not _is_related(base, theorem) or not _is_below(base, theorem, 1):
            continue
        if _follows(theorem, base):
            return base.name
    return ""


def _follows(theorem: Theorem, base: Theorem) -> bool:
    """Whether the conditions imply those of the base, and no term is below that of the base."""
    own, other = ({t.label: t.expr for t in each.terms} for each in (theorem, base))
    conditions, needed = ({*each.step_size, *each.requires} for each in (theorem, base))
    if theorem.rules == base.rules and needed <= conditions and set(other) <= set(own):
        signs = sign_proofs(base)
        if all(signs.never_less(own[label], expr) for label, expr in other.items()):
            return True
    try:
        steps = check_derivation(Corollary(theorem, Certificate(base, (), ())))
    except (BoundkitError, ValueError, TypeError, ZeroDivisionError):
        return False
    return all(each.status == "proved" for each in steps)


def _try(name: str, theorem: Theorem, original: Theorem, number: int = 0) -> str | None:
    """Return what fails where a certificate is applied to a mutant; empty where nothing does."""
    proof = proofs_of(name)[number]
    try:
        if isinstance(proof, Corollary) or theorem.rules:
            if not _is_proved(name, number):
                return None
            if isinstance(proof, Corollary) and name == original.name:
                derived = replace(proof, theorem=theorem)
            else:
                derived = Corollary(theorem, proof)
            steps = check_derivation(derived)
            return next((_failure(each) for each in steps if each.status != "proved"), "")
        same = set(theorem.step_size) == set(original.step_size)
        derivation = _derivation(name, original if same else theorem, number)
        return None if derivation is None else derivation.failure(theorem)
    except (BoundkitError, ValueError, TypeError, ZeroDivisionError):
        return None


@lru_cache(maxsize=256)
def _related(theorem: Theorem) -> tuple[str, ...]:
    """Return the theorems with a certificate on the same algorithm and claim, this one first."""
    names = [name for name in certified() if _is_related(proof_named(name).theorem, theorem)]
    return tuple(sorted(names, key=lambda name: name != theorem.name))


def _is_related(base: Theorem, theorem: Theorem) -> bool:
    return (
        base.kind == theorem.kind == "upper"
        and base.algorithm == theorem.algorithm
        and base.claim == theorem.claim
        and all(theorem.assumes(each.name) for each in base.assumptions)
    )


def _is_below(base: Theorem, theorem: Theorem, least: float) -> bool:
    """Whether ``least`` times a bound is not above another one at random points, inside its conditions.

    The points only spare a proof that must fail.
    """
    points = {**draw_points(theorem)}
    with np.errstate(all="ignore"):
        for quantity, value in theorem.rules.items():
            points[quantity.name] = np.asarray(evaluate(value, points))
        if not {q.name for q in base.quantities} <= set(points):
            return False
        if not all(np.all(satisfied(c, points)) for c in (*base.step_size, *base.requires)):
            return False
        size = len(next(iter(points.values())))
        low, high = (
            np.sum([np.broadcast_to(evaluate(t.expr, points), (size,)) for t in each.terms], axis=0)
            for each in (base, theorem)
        )
    finite = np.isfinite(low) & np.isfinite(high)
    return bool(finite.any() and np.all(high[finite] >= (1 - ROUNDING) * least * low[finite]))
