"""Proofs end at their bounds; measured + slacks = bound; a wrong step is named, that one and no other."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sympy import Integer, Rational, Symbol

from boundkit.algebra import BoundkitError
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.notation import (
    B_drift,
    C,
    C_drift,
    L,
    T,
    beta,
    gap,
    kappa,
    m,
    sigma,
    sigma_g,
    tau,
)
from boundkit.algebra.quantity import Quantity
from boundkit.proofs import Ledger, Proof, as_record, default_run, ledger, proof_of
from boundkit.proofs import expectations as of
from boundkit.proofs.expectations import QUANTITIES
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run_file import run_from_spec
from boundkit.studies.demonstration_records import write_demonstration
from boundkit.theorems import theorem
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.proofs.runs import hollow, run_of, unlike

NOVA = "fednova_nonconvex_surrogate"
PARTIAL, SHARP = "fedavg_nonconvex_partial", "fedavg_nonconvex_partial_sharp"
UNEVEN: dict[str, Any] = {"local_steps": [1, 2, 3, 5]}
HALF: dict[str, Any] = {"present": 0.5}
SETTINGS: dict[str, dict[str, Any]] = {
    "fednova_nonconvex_surrogate": UNEVEN,
    "fedavg_nonconvex": {},
    "fedavg_nonconvex_partial": HALF,
    "fedavg_nonconvex_partial_sharp": HALF,
}


def adds_up(found: Ledger) -> None:
    slacks = sum(step.slack for step in found.steps if step.kind != "identity")
    assert found.measured + slacks == pytest.approx(found.bound, rel=1e-10)
    assert found.closes


@each("name", SETTINGS)
@each("problem", ["noise", "quiet", "not convex"])
def test_measured_and_slacks_are_the_bound_and_every_step_holds(name: str, problem: str) -> None:
    of_theorem = theorem(name)
    made: Problem = unlike(0.5 if problem == "noise" else 0.0)
    settings = SETTINGS[name]
    if problem == "not convex":
        made, settings = SmoothNonconvex.random(4, 2, seed=3), {**settings, "present": 1.0, "local_steps": 3}
    run = run_of(of_theorem, made, **settings)
    found = ledger(of_theorem, run)
    adds_up(found)
    assert found.holds
    assert not found.broken
    verdict = verify(of_theorem, run, slopes=False, replicas=1)
    assert verdict.measured is not None
    assert verdict.prediction is not None
    assert found.measured == verdict.measured.value
    assert found.bound == float(verdict.prediction.total)
    assert found.terms == pytest.approx({n: float(v) for n, v in verdict.prediction.terms.items()})


@each("name", SETTINGS)
def test_without_a_run_it_is_the_first_default_instance(name: str) -> None:
    _, run = default_run(theorem(name))
    found = ledger(theorem(name))
    assert json.loads(json.dumps(found.run)) == json.loads(json.dumps(run.to_json()))
    assert found.holds
    adds_up(found)
    factors = [step.factor for step in found.steps]
    assert all(factor is not None for factor in factors)
    assert np.prod(np.array(factors, dtype=float)) == pytest.approx(found.loose)
    assert sum(step.share for step in found.steps) == pytest.approx(1 - found.measured / found.bound)


class Wrong(NamedTuple):
    """A planted mistake: the step, what is said in its place, and a run on which it shows."""

    theorem: str
    step: str
    by: Any
    problem: Problem
    settings: Mapping[str, Any] = {}


FAST = {**HALF, "eta_s": 3.0}  # there both step-size conditions are met with equality
ON_A_LINE = Quadratic([1.0] * 4, [[0.0], [1.0], [2.0], [3.0]])
TWICE = Quadratic([[2.0, 1.0], [1.5, 2.0], [2.0, 2.0]], [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
NINE = {"local_steps": 9}
BENT = Quadratic([[1.0], [-0.99]] * 2, [[0.0], [10.0], [0.0], [-10.0]], noise=1.0)
WRONG = {
    "the 3 of Young dropped": Wrong(
        PARTIAL,
        "Young: three parts",
        of.sampled_error + of.sampled_gradient + of.gradient,
        hollow(),
        {"eta_s": 3.0},
    ),
    "m/(m - 1) forgotten in q": Wrong(
        PARTIAL, "sampling without replacement", (1 - C) / (C * m) * of.dissimilarity, unlike(), HALF
    ),
    "the chosen taken for all": Wrong(PARTIAL, "sampling without replacement", Integer(0), unlike(), HALF),
    "tau - 2 for tau - 1": Wrong(PARTIAL, "noise counted", (tau - 2) / 2, unlike(), HALF),
    "tau - 1 for tau": Wrong(
        PARTIAL,
        "gradients counted to the end",
        of.all_gradients * (tau - 1) / tau,
        unlike(),
        {**HALF, "local_steps": 2},
    ),
    "noise that is shared by all": Wrong(
        PARTIAL, "variance of the noise", sigma**2 / (m * tau), unlike(), HALF
    ),
    "as if s L were at most 1/48": Wrong(PARTIAL, "weight of the drift", Rational(9, 4), unlike(), FAST),
    "as if it were at most 1/48, once more": Wrong(
        PARTIAL, "weight of the gradient", Rational(-3, 4), unlike(), FAST
    ),
    "D forgotten": Wrong(PARTIAL, "2 for 1/(1 - D)", Integer(1), unlike(), HALF),
    "half of the dissimilarity": Wrong(
        PARTIAL, "dissimilarity of the sampled clients", sigma_g**2 / 2, ON_A_LINE, {**HALF, "x0": [9.0]}
    ),
    "half of the gap": Wrong(PARTIAL, "telescoping", gap / (2 * T), unlike(0.0), {**FAST, "rounds": 400}),
    "all of the direction taken": Wrong(NOVA, "direction dropped", Integer(-2), unlike(), UNEVEN),
    "a square of L lost": Wrong(NOVA, "smooth clients", L * of.displacement, TWICE, {}),
    "the noise of half the way": Wrong(NOVA, "noise counted to the end", B_drift / 4, unlike(), UNEVEN),
    "the busiest client is not so busy": Wrong(
        NOVA, "largest c_i: gradients", C_drift * of.initial_gradients / 10, unlike(), UNEVEN
    ),
    "kappa forgotten": Wrong(NOVA, "dissimilarity", beta**2 * of.gradient, unlike(), UNEVEN),
    "4/3 for 3/2": Wrong(NOVA, "drift: 3/2 for 1/(1 - D)", Rational(4, 3) * kappa**2, unlike(), NINE),
    "more set aside than D allows": Wrong(NOVA, "gradient set aside", -Rational(1, 4), unlike(), NINE),
    "Cauchy-Schwarz without its 2": Wrong(
        SHARP,
        "smooth clients, by steps",
        L**2 * (tau - 1) / (4 * tau) * of.displacement_by_step,
        ON_A_LINE,
        {**HALF, "local_steps": 2},
    ),
    "1 for 8/7": Wrong(SHARP, "variance of a client", sigma**2 / tau, BENT, {**HALF, "x0": [1.0]}),
    "1 for 10/9, and nothing for the errors": Wrong(
        SHARP, "Young: dissimilarity of the directions", of.dissimilarity, BENT, {**HALF, "x0": [1.0]}
    ),
}


@cache
def honest(name: str, run: str) -> bool:
    """Whether no step of the true proof is broken on the run; many mistakes share one."""
    return ledger(theorem(name), run_from_spec(theorem(name).algorithm, json.loads(run))).holds


@each("said", WRONG)
def test_a_wrong_step_is_named_and_no_other(said: str) -> None:
    wrong = WRONG[said]
    of_theorem = theorem(wrong.theorem)
    run = run_of(of_theorem, wrong.problem, **wrong.settings)
    assert honest(wrong.theorem, json.dumps(run.to_json()))
    found = ledger(of_theorem, run, proof_of(of_theorem).changed(wrong.step, by=wrong.by))
    assert [step.name for step in found.broken] == [wrong.step]
    assert not found.holds
    assert abs(found.residual) < 1e-10  # the slacks still add up, to where the wrong proof ends
    (entry,) = found.broken
    assert entry.worst is None or entry.worst > 1 or entry.kind == "weight"
    assert f"The step {wrong.step!r} is wrong on this run, first in round" in found.to_text()


@each(
    ("step", "by"),
    [
        ("sampling without replacement", of.dissimilarity / (C * m)),
        ("noise counted", tau / 2),
        ("drift: 5/8 counted as 1", 2 * sigma_g**2),
    ],
)
def test_a_weaker_step_is_true_and_ends_above_the_bound(step: str, by: Any) -> None:
    """q forgotten, tau for tau - 1: nothing is false, but it is not the theorem that is proved."""
    partial = theorem(PARTIAL)
    found = ledger(partial, run_of(partial, unlike(), **HALF), proof_of(partial).changed(step, by=by))
    assert not found.broken
    assert found.end > found.bound
    assert not found.closes
    assert not found.holds
    assert "The proof ends at" in found.to_text()


def test_the_published_walk_of_a_proximal_solver_is_named() -> None:
    """A mistake that nobody planted: weights at the end do not bound the way of a solver that forgets."""
    nova = theorem(NOVA)
    run = run_of(nova, unlike(), options={"mu": 8.0}, **UNEVEN)
    found = ledger(nova, run)
    assert [step.name for step in found.broken] == ["gradients counted to the end"]
    assert abs(found.residual) < 1e-10


def test_a_run_that_the_theorem_does_not_speak_of_is_refused() -> None:
    full, partial = theorem("fedavg_nonconvex"), theorem(PARTIAL)
    here = run_of(partial, unlike(), **HALF)
    with pytest.raises(BoundkitError, match=r"fedavg_nonconvex does not apply to this run: .*all clients"):
        ledger(full, here)
    with pytest.raises(BoundkitError, match="outside the condition"):
        ledger(partial, replace(here, eta=10 * here.eta))
    with pytest.raises(BoundkitError, match="the proof that was given is of fedavg_nonconvex_partial"):
        ledger(full, run_of(full, unlike()), proof_of(partial))


def test_of_a_small_quiet_step_the_4_is_one_measured_two_dropped_and_one_set_aside() -> None:
    """Alike clients, no noise, one small local step: no drift needs what is set aside for it."""
    full = theorem("fedavg_nonconvex")
    run = run_of(full, Quadratic([1.0] * 2, [[0.0], [0.0]]), local_steps=1, step=0.004, rounds=2000)
    found = ledger(full, run)
    assert found.loose == pytest.approx(4, rel=0.01)
    parts = {"direction dropped": 2, "gradient set aside": 1}
    for step in found.steps:
        assert step.slack / found.measured == pytest.approx(parts.get(step.name, 0), abs=0.01)


def test_what_it_says_of_itself(tmp_path: Path) -> None:
    partial = theorem(PARTIAL)
    found = ledger(partial, run_of(partial, unlike(), **HALF))
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["holds"]
    assert told["broken"] == []
    assert [step["name"] for step in told["steps"]] == [step.name for step in proof_of(partial).steps]
    assert told["steps"][1]["latex"].endswith(r"\le 0")
    assert set(told["letters"]) >= {"server_direction", "displacement", "decrease"}
    text = found.to_text()
    rows = sum(step.kind != "identity" for step in found.steps)
    assert len(text.splitlines()) == rows + 10  # title, setting, heads, both ends, and what is said
    assert "Every step holds, and measured + slacks = bound" in text
    assert "direction dropped: -2*mean_direction <= 0" in found.statements()
    kept = write_demonstration(as_record(found), tmp_path / "ledger.json")
    assert kept.values["bound"] == found.bound
    assert kept.columns["steps slack"] == [step.slack for step in found.steps]
    assert found.step("telescoping").cause == "initial gap"
    with pytest.raises(BoundkitError, match="telescoping"):
        found.step("telescope")
    html = found._repr_html_()
    assert html.count("<tr") == rows + 3


PROOFS = [pytest.param(proof_of(theorem(name)), id=name) for name in SETTINGS]


@each("proof", PROOFS)
def test_the_last_line_is_the_bound(proof: Proof) -> None:
    assert proof.missing == 0
    assert not set(QUANTITIES) & proof.end.free_symbols


@each("proof", PROOFS)
def test_both_sides_of_every_step_have_the_dimension_of_the_claim(proof: Proof) -> None:
    for step, line in zip(proof.steps, proof.lines, strict=False):
        used = {s for side in (*step.sides(line), *step.statement(line)) for s in side.free_symbols}
        units = {s: s.dimension for s in used if isinstance(s, Quantity)}
        assert set(units) == used
        left, right = (dimension_of(side, units) for side in step.sides(line))
        assert left == proof.start.dimension
        assert right in (left, None), step.name  # 0 has every dimension


@each("proof", PROOFS)
def test_every_step_has_a_name_of_its_own_a_cause_and_a_reason(proof: Proof) -> None:
    names = [step.name for step in proof.steps]
    assert len(set(names)) == len(names)
    assert {step.cause for step in proof.steps} == {term.cause for term in proof.theorem.terms}
    assert all(step.because and not step.because.endswith(".") for step in proof.steps)


@each("proof", PROOFS)
def test_every_step_finds_what_it_replaces(proof: Proof) -> None:
    for step, line in zip(proof.steps, proof.lines, strict=False):
        assert step.weight(line) != 0, step.name


def test_letters_have_names_of_their_own() -> None:
    assert len({letter.name for letter in QUANTITIES}) == len(QUANTITIES)
    assert all(isinstance(letter, Symbol) and letter.meaning for letter in QUANTITIES)
