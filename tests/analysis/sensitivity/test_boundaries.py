"""Boundaries as formulas: against those by hand, and by the bound on both sides of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sympy import Expr, simplify, solve, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import L, T, delay, eta, gap, m, sigma, sigma_g, step_time, tau, wall
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.minimisation import minimum
from boundkit.analysis.sensitivity import Effect, Sensitivity, sensitivity
from boundkit.analysis.step_size import largest, limit_at
from boundkit.theorems import theorem
from tests.cases import each

FULL = "fedavg_nonconvex"
NOTES = "sqrt(m/(tau*T))/L"
TYPICAL = {
    "m": 20.0,
    "T": 1000.0,
    "tau": 10.0,
    "L": 1.0,
    "sigma": 1.0,
    "sigma_g": 1.0,
    "gap": 1.0,
    "eta": 0.01,
}


@cache
def asked(name: str, of: str) -> Sensitivity:
    return sensitivity(theorem(name), of)


def edge_of(effect: Effect) -> Expr:
    (edge,) = {r.where[-1].rhs for r in effect.regions}
    return edge


def test_more_local_steps_at_a_fixed_step() -> None:
    effect = asked(FULL, "tau").effect("tau")
    assert [r.effect for r in effect.regions] == ["better", "worse"]
    drifts = 6 * sigma**2 + 12 * (2 * tau - 1) * sigma_g**2
    assert simplify(edge_of(effect) - 4 * gap / (eta**3 * L**2 * tau**2 * drifts)) == 0


def test_the_best_number_of_local_steps_against_the_clock() -> None:
    effect = sensitivity(theorem("local_sgd_nonconvex_clock"), "tau").effect("tau")
    assert [r.effect for r in effect.regions] == ["better", "worse"]
    best = sqrt(2 * gap * delay / (eta**3 * L**2 * sigma**2 * wall))
    assert simplify(edge_of(effect) - best) == 0
    by_hand = 2 * gap / (eta * wall) * (step_time + delay / tau) + eta * L * sigma**2 / m
    by_hand += eta**2 * L**2 * sigma**2 * (tau - 1)
    assert simplify(sum(t.expr for t in theorem("local_sgd_nonconvex_clock").terms) - by_hand) == 0
    (root,) = (r for r in solve(by_hand.diff(tau), tau) if not r.could_extract_minus_sign())
    assert simplify(root - best) == 0


def test_more_clients_under_the_rule_of_the_notes() -> None:
    answer = sensitivity(theorem(FULL), "m,sigma_g", eta=NOTES)
    effect = answer.effect("m", "under the rules")
    assert [r.effect for r in effect.regions] == ["better", "worse"]
    drift = (tau - 1) / (tau * T) * (6 * sigma**2 + 12 * tau * sigma_g**2)
    share = 4 * (L * gap + sigma**2) / sqrt(tau * T)
    assert simplify(edge_of(effect) ** 3 - (share / (2 * drift)) ** 2) == 0  # m^(-3/2) share/2 = drift
    assert answer.effect("m").word == "better"
    assert answer.effect("sigma_g", "under the rules").word == "worse"


@each(
    ("name", "rule"),
    [(FULL, None), ("fedavg_nonconvex_beta_kappa", None), ("local_sgd_nonconvex_clock", None), (FULL, NOTES)],
)
def test_the_bound_turns_at_the_boundary(name: str, rule: str | None) -> None:
    statement = theorem(name)
    reading = "under the rules" if rule else "fixed steps"
    effect = sensitivity(statement, "tau", eta=rule, tuned=False).effect("tau", reading)
    relation = effect.regions[0].where[-1]
    values = {q.name: TYPICAL.get(q.name, float(q.typical)) for q in statement.quantities}
    if rule:
        values["eta"] = float("nan")
    edge = float(evaluate(relation.rhs, values))
    for factor in (0.9, 1.1):
        at = {**values, relation.lhs.name: edge * factor}
        steps = at["tau"] if relation.lhs == tau else 10.0
        low, high = _bound(statement, at, steps, rule), _bound(statement, at, steps + 1e-4, rule)
        below = factor < 1
        said = next(r.effect for r in effect.regions if (r.where[-1].rel_op in ("<=", "<")) == below)
        assert said == ("worse" if high > low else "better")


def _bound(statement: Theorem, values: dict[str, float], steps: float, rule: str | None) -> float:
    at = {**values, "tau": steps}
    if rule:
        at["eta"] = np.sqrt(at["m"] / (steps * at["T"])) / at["L"]
    return float(sum(float(evaluate(t.expr, at)) for t in statement.terms))


def test_the_tuned_bound_turns_at_its_boundary() -> None:
    statement = theorem(FULL)
    effect = asked(FULL, "tau").effect("tau", "best eta")
    region = next(r for r in effect.regions if "inside" in r.case and r.effect == "worse")
    values = {n: v for n, v in TYPICAL.items() if n not in ("eta", "T")}
    for letter, expr in region.lets:
        values[letter.name] = float(evaluate(expr, values))
    edge = float(evaluate(region.where[-1].rhs, values))
    floor = float(evaluate(region.within[0].rhs, values))
    assert floor < 0.9 * edge  # so that both sides are inside the condition
    changes = []
    for factor in (0.9, 1.1):
        at = {**values, "T": edge * factor}
        low, high = (_least(statement, {**at, "tau": steps}) for steps in (10.0, 10.0001))
        changes.append(high - low)
    assert changes[0] > 0 > changes[1]


def _least(statement: Theorem, at: dict[str, float]) -> float:
    best = minimum(statement.terms, eta, at, float(limit_at(largest(statement), at))).at
    return float(sum(float(evaluate(t.expr, {**at, "eta": best})) for t in statement.terms))


def test_what_theory_says_of_every_letter() -> None:
    answer = sensitivity(theorem("fedavg_nonconvex_partial"))
    tuned = {(r.name, r.fixed): r.effects["best eta"].word for r in answer.rows if "best eta" in r.effects}
    assert tuned == {
        ("m", ""): "better",
        ("m", "C*m"): "worse",  # more clients to stand for, and no more who come
        ("C", ""): "better",
        ("T", ""): "better",
        ("tau", ""): "depends",
        ("eta_s", ""): "better",
        ("L", ""): "worse",
        ("sigma", ""): "worse",
        ("sigma_g", ""): "worse",
        ("gap", ""): "worse",
    }
    assert all(r.effects["fixed steps"].exact for r in answer.rows)


def test_mistakes_are_sentences() -> None:
    with pytest.raises(BoundkitError, match=r"unknown quantity of sgd_nonconvex 'tua'"):
        sensitivity(theorem("sgd_nonconvex"), "tua")
    with pytest.raises(BoundkitError, match=r"fedavg_nonconvex_tuned has no term with eta, so there"):
        sensitivity(theorem("fedavg_nonconvex_tuned"), tuned=True)
    with pytest.raises(BoundkitError, match=r"drift_limit only grows with eta, so there is no best eta"):
        sensitivity(theorem("fedavg_strongly_convex_drift_limit"), "L", tuned=True)
    with pytest.raises(BoundkitError, match=r"1/T has dimension 1"):
        sensitivity(theorem("sgd_nonconvex"), eta="1/T")
    answer = sensitivity(theorem("sgd_nonconvex"), "m", tuned=False)
    with pytest.raises(BoundkitError, match=r"m has no answer for 'best eta'; it has 'fixed steps'"):
        answer.effect("m", "best eta")
    with pytest.raises(BoundkitError, match=r"unknown quantity of sgd_nonconvex 'T'"):
        answer.effect("T")
