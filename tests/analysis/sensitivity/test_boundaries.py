"""Boundaries as formulas: against those by hand, and by the bound on both sides of them."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from sympy import Expr, Le, Rational, simplify, solve, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    L,
    T,
    beta,
    delay,
    eta,
    gap,
    kappa,
    m,
    sigma,
    sigma_g,
    step_time,
    tau,
    wall,
)
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.minimisation import minimum
from boundkit.analysis.sensitivity import Effect, Sensitivity, sensitivity
from boundkit.analysis.sensitivity.envelope import ETA_B
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


def test_the_best_fixed_step_of_minibatch_sgd_is_the_boundary_in_eta() -> None:
    effect = sensitivity(theorem("sgd_nonconvex"), "eta").effect("eta")
    assert simplify(edge_of(effect) - sqrt(2 * m * gap / (L * sigma**2 * T))) == 0


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


def test_more_local_steps_at_the_best_step() -> None:
    effect = asked(FULL, "tau").effect("tau", "best eta")
    inside = [r for r in effect.regions if "inside" in r.case]
    assert [r.effect for r in inside] == ["better", "worse", "better"]
    (eta_b,) = {expr for r in inside for letter, expr in r.lets if letter == ETA_B}
    # slope in tau times tau, less slope in eta times eta: what is left of both at the best eta
    left = 4 * eta * L * sigma**2 / m + eta**2 * L**2 * (6 * (tau - 2) * sigma**2 - 12 * tau * sigma_g**2)
    assert simplify(left.subs(eta, eta_b)) == 0
    total = sum(t.expr for t in theorem(FULL).terms)
    at_best = simplify((total.diff(tau) * tau - total.diff(eta) * eta) + left)
    assert at_best == 0


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


def test_beta_costs_step_size_and_no_term() -> None:
    answer = sensitivity(theorem("fedavg_nonconvex_beta_kappa"), ["beta", "kappa"])
    assert answer.effect("beta").word == "no effect"
    assert answer.effect("beta", "best eta").word == "worse"
    assert "fewer steps" in answer.effect("beta", "best eta").because
    assert answer.effect("kappa").word == answer.effect("kappa", "best eta").word == "worse"


def test_other_letters_may_be_put_in() -> None:
    put = {sigma: sigma * sqrt(beta), kappa: kappa / beta}
    answer = sensitivity(theorem("fedavg_nonconvex_beta_kappa"), "beta", under=put, tuned=False)
    assert answer.effect("beta").word == "depends"
    narrow = sensitivity(
        theorem("fedavg_nonconvex_beta_kappa"), "beta", under={kappa: kappa / beta, sigma: sigma},
        requires=(Le(beta, Rational(3)),), tuned=False,
    )  # fmt: skip
    assert narrow.effect("beta").word == "better"


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


def test_what_is_shown() -> None:
    answer = sensitivity(theorem("local_sgd_nonconvex"), "tau,m")
    text = answer.to_text()
    assert "↓ better" in text
    assert "tau, best eta:" in text
    assert "with eta_b = " in text
    clean = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert [e["name"] for e in clean["effects"]] == ["tau", "m"]
    tuned = clean["effects"][0]["readings"]["best eta"]
    assert {r["effect"] for r in tuned["regions"]} == {"better", "worse"}
    assert tuned["regions"][0]["with"].keys() == {"eta_max", "eta_b"}
    assert "<table>" in answer._repr_html_()


def test_what_only_numbers_decide_says_so() -> None:
    answer = asked("overlap_sgd_nonconvex_clock", "tau")
    effect = answer.effect("tau", "best eta")
    assert not effect.exact
    assert "over these ranges: " in effect.because
    assert "*: numerically" in answer.to_text()


def test_a_condition_too_long_to_be_multiplied_out_is_left_to_sampling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Multiplied out, a coefficient of some theorems of client availability takes hours."""
    name, of = "fedavg_nonconvex_partial", "tau"
    assert asked(name, of).effect(of, "best eta").regions
    monkeypatch.setattr("boundkit.analysis.sensitivity.envelope.LONGEST", 1)
    sampled = sensitivity(theorem(name), of).effect(of, "best eta")
    assert sampled.word == asked(name, of).effect(of, "best eta").word
    assert not sampled.exact
