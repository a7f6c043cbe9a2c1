"""Mutants proved by certificates: true ones are, false ones never, and the step that fails is named."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np
import pytest
from sympy import Expr, Integer, Rational, Symbol, expand, sqrt

from boundkit.algebra.errors import DimensionError
from boundkit.algebra.notation import mixing, tau
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.selected_groups import measure_selected_groups
from boundkit.attack.mutation import Mutant, generate_mutants, provable_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.provable_mutants import (
    follows_from,
    prove_mutant,
    with_original_decay,
    with_original_span,
)
from boundkit.attack.mutation.random_points import draw_points
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_numbers import parameters_of, with_numbers
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.checker import check
from boundkit.theorems import theorem


@cache
def mutants_of(name: str) -> dict[str, Mutant]:
    return {each.what: each for each in generate_mutants(theorem(name))}


@pytest.mark.parametrize(
    "what",
    ["initial gap: 2 for 4", "client drift: 6/5 for 12", "client drift: tau - 1 for tau",
     "noise drift: (tau - 1)^2 for tau - 1"],
)  # fmt: skip
def test_what_the_last_line_of_the_proof_covers_is_proved(what: str) -> None:
    result = prove_mutant(mutants_of("fedavg_nonconvex")[what])
    assert result is not None
    assert (result.proved, result.name, result.sharpened) == (True, "fedavg_nonconvex", False)


@pytest.mark.parametrize("label", ["initial gap", "stochastic noise", "noise drift", "client drift"])
def test_a_term_left_out_is_refused_at_the_bound(label: str) -> None:
    result = prove_mutant(mutants_of("fedavg_nonconvex")[f"{label}: left out"])
    assert result is not None
    assert not result.proved
    assert result.failed.startswith("bound: ")


@pytest.mark.parametrize("name", ["sgd_nonconvex", "sgd_strongly_convex", "sgd_nonconvex_clock"])
def test_tight_theorems_have_no_smaller_constant(name: str) -> None:
    tried = [one for what, one in mutants_of(name).items() if " for 1" in what and one.kind == "constant"]
    assert tried
    for one in tried:
        result = prove_mutant(one)
        assert result is not None
        assert not result.proved, one.what


@pytest.mark.parametrize(
    ("factor", "proved"),
    [
        (1, True),
        pytest.param(Rational(1, 2) - sqrt(mixing), False, marks=pytest.mark.slow),
        pytest.param(Rational(1, 1000), False, marks=pytest.mark.slow),
        (-1, False),
    ],
)
def test_a_bound_claims_nothing_where_its_denominator_is_0(
    factor: Expr, proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the published certificate, whose last line decides it; other numbers are not searched."""
    monkeypatch.setattr(provable_mutants, "_related", lambda theorem: (theorem.name,))
    monkeypatch.setattr(provable_mutants, "_with_other_numbers", lambda *_: False)
    mutant = mutants_of("fedawe_nonconvex")["stale-model noise: 1/2 for 1 in 1 - sqrt(mixing)"]
    result = prove_mutant(replace(mutant, expr=factor * mutant.expr))
    assert result is not None
    assert result.proved is proved


@pytest.mark.parametrize(
    ("name", "condition", "proved"),
    [
        ("fedavg_nonconvex_tuned", "T >= 2*m*tau for T >= 4*m*tau", True),
        ("fedavg_nonconvex_tuned", "T >= 2*m*tau/5 for T >= 4*m*tau", False),
        ("fedavg_convex_partial_sharp", "eta*eta_s <= 5/(12*L*tau) for eta*eta_s <= 1/(24*L*tau)", True),
        ("fedavg_convex_partial_sharp", "eta <= 1/(4*L*tau) for eta <= 1/(8*L*tau)", True),
    ],
)
def test_longer_steps_are_proved_also_of_the_base_of_a_corollary(
    name: str, condition: str, proved: bool
) -> None:
    result = prove_mutant(mutants_of(name)[f"condition: {condition}"])
    assert result is not None
    assert result.proved is proved


def test_the_steps_of_another_theorem_have_its_other_numbers() -> None:
    longer = "condition: eta*eta_s <= 5/(12*L*tau) for eta*eta_s <= 1/(24*L*tau)"
    result = prove_mutant(mutants_of("fedavg_convex_partial")[longer])
    assert result is not None
    assert (result.proved, result.name) == (True, "fedavg_convex_partial")


LOOSE = "fedau_nonconvex"


@pytest.fixture
def loose(monkeypatch: pytest.MonkeyPatch) -> list[Mutant]:
    """Mutants of a theorem with constants three times too large, whose certificate has weights for these."""
    proof = certificate_of(LOOSE)
    more = {"noise drift": (Rational(5, 4), 3 + 1 / tau)}
    terms = tuple(replace(t, expr=prod((t.expr, *more.get(t.label, (3,))))) for t in proof.theorem.terms)
    larger = replace(proof.theorem, terms=terms, reductions=(), limits=())
    weights = {p.name: Rational(5, 2) * p.value for p in parameters_of(proof) if "weight" in p.name}
    certificate = with_numbers(proof.of(larger), weights, {})
    assert check(certificate).proved
    monkeypatch.setattr(provable_mutants, "proofs_of", lambda name: (certificate,))
    monkeypatch.setattr(provable_mutants, "_related", lambda theorem: (LOOSE,))
    return generate_mutants(larger)


@pytest.mark.parametrize(
    ("label", "true", "false"),
    [
        ("initial gap", 2, 10),
        ("stochastic noise", 2, 10),
        ("noise drift", 2, 10),
        ("noise drift", "3/2 for 3 in 3 + 1/tau", "3/10 for 3 in 3 + 1/tau"),
        ("noise drift", "3 + 1/tau left out", "noise drift: left out"),
    ],
)
def test_a_mutant_is_proved_with_other_numbers(
    loose: list[Mutant], label: str, true: int | str, false: int | str
) -> None:
    """A third of each term is true; what is at most a tenth of one is not proved."""

    def of(wanted: int | str) -> Mutant:
        own = [each for each in loose if each.label == label]
        return next(
            each for each in own if (wanted in each.what if isinstance(wanted, str) else each.times == wanted)
        )

    proved, refused = prove_mutant(of(true)), prove_mutant(of(false))
    assert proved is not None
    assert refused is not None
    assert (proved.proved, proved.sharpened) == (True, True)
    assert not refused.proved


def test_a_relaxed_condition_is_proved_with_other_numbers(loose: list[Mutant]) -> None:
    """With three times the constants a step may be longer; one ten times as long diverges."""
    own = {each.times: each for each in loose if each.what.startswith("condition: L*eta*tau <= ")}
    proved, refused = prove_mutant(own[2]), prove_mutant(own[10])
    assert proved is not None
    assert (proved.proved, proved.sharpened) == (True, True)
    assert refused is None or not refused.proved


@pytest.mark.parametrize(
    ("name", "what"),
    [("fedavg_nonconvex", "condition: L^2*eta^2*tau*(tau - 1) <= 1/6 for L^2*eta^2*tau*(tau - 1) <= 1/12"),
     ("fedavg_nonconvex", "condition: L^2*eta^2*tau*(tau - 1) <= 5/6 for L^2*eta^2*tau*(tau - 1) <= 1/12")],
)  # fmt: skip
def test_a_constraint_of_a_chart_moves_with_its_condition(name: str, what: str) -> None:
    result = prove_mutant(mutants_of(name)[what])
    assert result is not None
    assert (result.proved, result.sharpened) == (True, True)


def longer(proof: Certificate, mutant: Mutant) -> Certificate | None:
    """The certificate on the charts of a mutant whose condition is relaxed."""
    condition = mutant.original.step_size[mutant.place]
    return provable_mutants._relaxed(proof, mutant.theorem, condition, Integer(mutant.times))


def test_only_what_a_condition_limits_moves() -> None:
    """The end of c = eta L tau stays where it is another condition; the local steps grow up to that end."""
    proof, mutants = certificate_of("fedavg_nonconvex"), mutants_of("fedavg_nonconvex")
    condition = "L^2*eta^2*tau*(tau - 1) <= 5/6 for L^2*eta^2*tau*(tau - 1) <= 1/12"
    moved = longer(proof, mutants[f"condition: {condition}"])
    assert moved is not None
    one, more = moved.charts
    assert one == proof.charts[0]
    assert more.coordinates == proof.charts[1].coordinates
    c, n = Symbol("c"), Symbol("n")
    assert expand(more.constraints[0] - (2 + n - Rational(6, 5) * (1 + n) * c**2)) == 0
    assert {each.arguments["h"] for each in moved.steps if "h" in each.arguments} == {Rational(1, 2)}
    other = longer(proof, mutants["condition: eta <= 1/(L*tau) for eta <= 1/(2*L*tau)"])
    assert other is not None
    assert other.charts[1].constraints == proof.charts[1].constraints
    assert {chart.coordinates[0].upper for chart in other.charts} == {Integer(1)}
    assert other.steps == proof.steps


@pytest.mark.slow
def test_a_longer_step_is_proved_by_the_theorem_on_long_steps() -> None:
    wanted = "condition: eta <= 1/(4*L*tau) for eta <= 1/(8*L*tau)"
    result = prove_mutant(mutants_of("fedavg_nonconvex_partial")[wanted])
    assert result is not None
    assert (result.proved, result.name) == (True, "fedavg_nonconvex_partial_long_steps")


def test_a_condition_without_a_certificate_names_the_chart() -> None:
    result = prove_mutant(
        mutants_of("fedavg_nonconvex")["condition: eta <= 5/(L*tau) for eta <= 1/(2*L*tau)"]
    )
    assert result is not None
    assert not result.proved
    assert result.failed.startswith("start: ")


def test_a_mutant_follows_from_a_sharper_theorem() -> None:
    every = mutants_of("fedavg_convex")
    longer = "condition: eta <= 1/(2*L) for eta <= 1/(4*L)"
    assert follows_from(every[longer]) == "fedavg_convex_sharp"
    assert follows_from(every["initial gap: left out"]) == ""


@pytest.mark.slow
def test_another_decay_is_compared_with_that_of_the_theorem() -> None:
    """The comparison is never above the mutant; it proves some, and none that exact runs refute."""
    original = theorem("biased_selection_strongly_convex_fixed")
    points = draw_points(original, 500)
    runs = Measurements(original, tuple(measure_selected_groups(original)))
    proved, refuted = [], []
    for one in generate_mutants(original):
        if one.path is None or "in 3*rho_bar + 8" not in one.what:
            continue
        if one.label not in ("client drift", "selection bias"):
            continue
        below = with_original_decay(one)
        if below is one.theorem:
            continue
        low = evaluate(below.bound.terms[one.label].expr, points)
        assert np.all(low <= evaluate(one.expr, points) * (1 + 1e-9)), one.what
        result = prove_mutant(one)
        assert result is not None
        killed = runs.killer(one) is not None
        assert not (killed and result.proved), one.what
        proved += [one.what] * result.proved
        refuted += [one.what] * killed
    assert "client drift: 4 for 8 in 3*rho_bar + 8" in proved
    assert any(text.startswith("selection bias") for text in refuted)


FEDAVG = "fedavg_strongly_convex_decaying"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "what", "proved"),
    [
        (FEDAVG, "stochastic noise: tau^2 for tau in T*tau + offset", True),
        (FEDAVG + "_replacement", "partial participation: tau^2 for tau in T*tau + offset", True),
        (FEDAVG + "_replacement", "partial participation: tau for tau^2", True),
        (FEDAVG + "_replacement", "partial participation: 4/5 for 8", False),
        (FEDAVG, "client drift: tau^2 for tau in T*tau + offset", False),
    ],
)
def test_what_falls_faster_by_the_local_steps_is_compared_with_a_part(
    name: str, what: str, proved: bool
) -> None:
    result = prove_mutant(mutants_of(name)[what])
    assert result is not None
    assert result.proved is proved


def test_the_part_of_a_term_is_never_above_the_mutant() -> None:
    points, found = draw_points(theorem(FEDAVG), 500), []
    for one in mutants_of(FEDAVG).values():
        below = None
        with suppress(DimensionError):  # such mutants are refuted before
            below = with_original_span(one)
        if below is not None:
            assert one.expr is not None
            found.append(one.what)
            low = evaluate(below.bound.terms[one.label].expr, points)
            assert np.all(low <= evaluate(one.expr, points) * (1 + 1e-9)), one.what
    assert "stochastic noise: tau^2 for tau in T*tau + offset" in found
    assert not any(text.startswith("client drift: T^2") for text in found)


def test_a_decay_over_fewer_steps_is_compared_with_that_of_the_theorem() -> None:
    """The comparison is below the mutant, and not 0; what exact runs refute is not proved."""
    name = "biased_selection_strongly_convex_fixed"
    points = draw_points(theorem(name), 500)
    for label in ("client drift", "selection bias"):
        one = mutants_of(name)[f"{label}: tau left out in (1 - eta*mu*(3*rho_bar/8 + 1))^(T*tau)"]
        assert one.expr is not None
        low = evaluate(with_original_decay(one).bound.terms[label].expr, points)
        assert np.all(low <= evaluate(one.expr, points) * (1 + 1e-9))
        assert np.median(low) > 0
    result = prove_mutant(one)
    assert result is not None
    assert not result.proved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("biased_selection_strongly_convex_fixed", "heterogeneity: 12/5 for 24"),
        (
            "biased_selection_strongly_convex_fixed",
            "stochastic noise: tau left out in (1 - eta*mu*(3*rho_bar/8 + 1))^(T*tau)",
        ),
        (
            "biased_selection_strongly_convex_fixed",
            "client drift: tau left out in (1 - eta*mu*(3*rho_bar/8 + 1))^(T*tau)",
        ),
        ("biased_selection_strongly_convex_decaying", "heterogeneity: 4/5 for 8"),
    ],
)
def test_a_term_for_which_the_largest_gradient_pays_may_be_smaller(name: str, what: str) -> None:
    result = prove_mutant(mutants_of(name)[what])
    assert result is not None
    assert (result.proved, result.name) == (True, name)


def test_a_power_in_a_corollary_follows_from_that_of_its_base() -> None:
    label, mutants = "stale-model dissimilarity", mutants_of("fedawe_nonconvex_tuned")
    mutant = mutants[f"{label}: 1/(1 - sqrt(mixing)) for (1 - sqrt(mixing))^(-2)"]
    result = prove_mutant(mutant)
    assert result is not None
    assert result.proved
    assert result.sharpened
    assert mutant.expr is not None
    for wrong in (replace(mutant, expr=mutant.expr / 1000), mutants[f"{label}: left out"]):
        result = prove_mutant(wrong)
        assert result is not None
        assert not result.proved
