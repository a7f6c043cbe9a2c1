"""A planted wrong theorem for every check, which the check must reject."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from sympy import Expr, Float, Rational, Symbol, exp, log, sqrt

from boundkit.algebra import Limit, Quantity, Reduction, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import POSITIVE, at_least, at_most
from boundkit.algebra.notation import A_noise, L, T, c_1, eta, gap, m, p_i, sigma, sigma_g, tau, tau_i
from boundkit.algebra.sums import ClientSum
from boundkit.algebra.vocabulary import BOUNDED_NOISE, SMOOTH
from boundkit.analysis.check import CHECKS, check
from tests.analysis.check.planting import DRIFT, GOOD, KNOWN, NOISE, START, build, other, tampered
from tests.cases import each


def with_term(expr: Any, **rest: Any) -> Theorem:
    term = replace(DRIFT, expr=expr, **rest)
    return build(terms=(START, NOISE, term), reductions=(), limits=())


def with_reduction(**changed: Any) -> Theorem:
    good = {"to": "other", "when": {tau: 1}, "factors": {"initial gap": 2}}
    return build(reductions=(Reduction(**{**good, **changed}),))


def with_limit(**changed: Any) -> Theorem:
    return build(limits=(Limit(**{"when": {tau: 1}, "removes": ("client drift",), **changed}),))


def with_source(**changed: Any) -> Theorem:
    return build(source=replace(GOOD["source"], **changed))


TEMPERATURE = Quantity("L", "L", "another thing", POSITIVE, ONE, 1)
WRONG_UNIT = (START, replace(NOISE, expr=eta * L * sigma / m), DRIFT)
NO_GAP = (replace(START, expr=4 * (L * eta) ** 2 * sigma**2), replace(NOISE, expr=NOISE.expr / T), DRIFT)
GROWING = (replace(START, expr=gap * T / (eta * tau)), NOISE, DRIFT)
CLASHING = build(
    terms=(START, replace(NOISE, expr=TEMPERATURE * sigma**2 / m)), step_size=(), reductions=(), limits=()
)


class OddSum(ClientSum):
    """A sum that does not count homogeneous clients."""

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        return inside


def derived(definition: Expr) -> Theorem:
    noise = replace(NOISE, expr=NOISE.expr * A_noise)
    return build(terms=(START, noise, DRIFT), definitions={A_noise: definition}, reductions=())


PLANTED: dict[str, list[tuple[Theorem, str]]] = {
    "name": [(build(name="other"), "another theorem is called 'other'")],
    "dimensions": [
        (tampered(terms=WRONG_UNIT), r"'stochastic noise'.* has dimension \[F\]/\[x\]"),
        (tampered(terms=(START, replace(NOISE, expr=sigma**2 + 1))), "adds unlike things"),
        (tampered(step_size=(at_most(eta, L),)), "compares"),
    ],
    "scale": [
        (tampered(terms=WRONG_UNIT), r"'stochastic noise' changes by 0\.\d+ times as much"),
        (tampered(step_size=(at_most(eta, L),)), "eta <= L allows other values"),
    ],
    "letters": [
        (CLASHING, "'L' is 'another thing'.* take another keyword"),
        (with_source(renamed={"K": Symbol("k") * tau}), "'K' is mapped to .*, and k is no quantity"),
    ],
    "fractions": [(with_term(Float(0.5) * sigma_g**2 * (tau - 1)), "holds 0.5; write it as a Rational")],
    "reasons": [
        (with_term(DRIFT.expr, because="derived"), "is too short: 'derived'"),
        (with_term(DRIFT.expr, because="8 = 4 (1 + 2): twice a step"), "says 8 = 4 .1 . 2., which is 12"),
        (with_term(5 * sigma_g**2 * (tau - 1), because="3 = 1 (3): as above"), "says 3, the formula has 5"),
    ],
    "constants": [(with_term(3 * sigma_g**2 * (tau - 1), provenance="order"), "known up to a constant only")],
    "assumptions": [
        (build(assumptions=(SMOOTH, SMOOTH)), "'smooth' is stated twice"),
        (build(assumptions=()), "no assumption"),
        (build(assumptions=(SMOOTH, BOUNDED_NOISE)), "sigma_g is in the bound, but no assumption"),
    ],
    "source": [
        (with_source(arxiv="2013.1"), "'2013.1' is no arXiv id"),
        (with_source(arxiv="2020.12345x"), "no arXiv id"),
        (with_source(arxiv="0000.00000"), "no arXiv id"),
        (with_source(arxiv=""), "neither an arXiv id nor a venue"),
        (with_source(authors=()), "no authors"),
        (with_source(title="", where=""), "no title and where"),
        (with_source(year=20), "year is 20"),
    ],
    "conditions": [
        (build(step_size=(at_most(eta, 1 / L), at_least(eta, 2 / L))), "no values were found"),
        (build(requires=(at_least(tau, 3), at_most(tau, 2))), "no values were found"),
    ],
    "largest step": [
        (
            build(step_size=(at_most(exp(eta * L) + log(1 + eta * L) * tau, 4 * tau),)),
            "cannot be solved for eta",
        )
    ],
    "agreement": [
        (with_term((sqrt(tau**2 + Rational(1, 10**8)) - tau) * sigma_g**2), "sympy and numpy differ"),
        (with_term(sigma_g**2 * exp(1000 * tau)), "has no value"),
    ],
    "signs": [(with_term((1 - tau) * sigma_g**2 / tau), "'client drift'.* is negative")],
    "corners": [(with_term(tau * sigma_g**2 / (tau - 1)), "has no value at tau = 1")],
    "horizon": [
        (build(terms=NO_GAP, reductions=(), limits=()), "never decreases"),
        (build(terms=GROWING, reductions=(), limits=()), "grows with T"),
    ],
    "definitions": [
        (derived(OddSum(p_i * tau_i) / tau), "A_noise is 1 summed over homogeneous clients, 0.333333"),
    ],
    "limits": [
        (with_limit(removes=()), "not exactly nothing vanishes"),
        (with_limit(removes=("client drift", "initial gap")), "not exactly client drift, initial gap"),
        (with_limit(holds=False, because="so"), "but is stated not to"),
        (with_limit(when={sigma: 0}, holds=False), "state the reason"),
    ],
    "reductions": [
        (with_reduction(to="othr"), "unknown theorem 'othr'; did you mean 'other'"),
        (with_reduction(factors={"initial gap": 3}), "does not become other; left over: initial gap"),
        (with_reduction(factors={"initial gap": 3}), "2 times the initial gap would be right, not 3"),
        (with_reduction(when={}), "left over"),
        (with_reduction(holds=False, because="so"), "but is stated not to"),
        (with_reduction(holds=False, factors={}), "state the reason"),
    ],
}

CASES = [
    pytest.param(name, theorem, message, id=f"{name}-{i}")
    for name, cases in PLANTED.items()
    for i, (theorem, message) in enumerate(cases)
]


@each(("name", "theorem", "message"), CASES)
def test_a_planted_mistake_is_caught_by_its_check(name: str, theorem: Theorem, message: str) -> None:
    report = check(theorem, KNOWN)
    result = report.named(name)
    assert result.outcome == "fail", report.to_text()
    assert re.search(message, result.why), result.why
    assert not report


def test_every_check_has_a_planted_mistake() -> None:
    assert set(PLANTED) == set(CHECKS)


@each("theorem", [build(), other(), derived(ClientSum(p_i * tau_i) / tau)])
def test_a_good_theorem_passes(theorem: Theorem) -> None:
    report = check(theorem, KNOWN)
    assert report, report.to_text()


def test_checks_apply_where_there_is_something_to_check() -> None:
    skipped = {f.check for f in check(build(), KNOWN).checks if f.outcome == "not applicable"}
    assert skipped == {"constants", "definitions"}
    open_constant = with_term(c_1 * sigma_g**2 * (tau - 1), provenance="order")
    assert check(open_constant, KNOWN).named("constants").outcome == "pass"
    assert check(derived(ClientSum(p_i * tau_i) / tau), KNOWN).named("definitions").outcome == "pass"


def test_infeasible_conditions_skip_the_numerical_checks() -> None:
    report = check(build(step_size=(at_most(eta, 1 / L), at_least(eta, 2 / L))), KNOWN)
    assert [f.check for f in report.failures] == ["conditions"]
    assert report.named("agreement").outcome == "not applicable"
    assert report.named("limits").outcome == "pass"
