"""Instances at the limits of relaxed conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra.notation import c_3, c_4
from boundkit.analysis.evaluate import satisfied
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.exact_instances.available_clients import measure_longest_available
from boundkit.attack.exact_instances.sampled_moments import measure_longest_steps
from boundkit.attack.measurement import measurement_of_evidence
from boundkit.attack.mutation import Mutant, generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.relaxed_conditions import measure_relaxed_condition
from boundkit.attack.mutation.weaker_mutants import check_weaker
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from tests.cases import each


def _relaxed(name: str, condition: str) -> Mutant:
    return next(
        one for one in generate_mutants(theorem(name)) if one.what.startswith(f"condition: {condition} for")
    )


@each(
    "name, condition",
    [
        ("fedavg_nonconvex_partial_sharp", "eta*eta_s <= 5/(12*L*tau)"),  # both steps at their limits
        ("fedavg_strongly_convex_partial_sharp", "eta <= 5/(4*L*tau)"),  # a small server step
        ("dp_fedavg_nonconvex", "eta*eta_s*tau <= 2/L"),  # a large server step
        ("fedavg_nonconvex_tuned", "T >= 2*m*tau/5"),  # the fewest rounds
        ("clipped_gd_relaxed_smooth", "clip <= 5/L1"),  # an option
        ("clipped_gd_relaxed_smooth", "eta <= 1/L0"),  # an exponential corner
        (  # a clip in proportion to the step
            "episode_relaxed_smooth_decrease",
            "tau*(L1*(clip + eta*sigma)*(rho_zeta + 1) + eta*(L0 + L1*zeta)) <= 5/6",
        ),
        ("fedavg_strongly_convex_decaying_uniform", "offset >= 4*L/(5*mu)"),  # the fastest direction
    ],
)
def test_a_run_at_the_limit_refutes_a_relaxed_condition(name: str, condition: str) -> None:
    relaxed = _relaxed(name, condition)
    original = relaxed.original
    found = Measurements(original, tuple(measure_relaxed_condition(relaxed)))
    assert found.above() is None
    killer = found.killer(relaxed)
    assert killer is not None
    ratio, piece, _ = killer
    run = run_from_spec(original.algorithm, piece.source["run"].to_json())
    again = Measurements(original, (measurement_of_evidence(collect_evidence(original, run)),))
    assert not again.inside.all()
    replayed = again.killer(relaxed)
    assert replayed is not None
    assert replayed[0] == pytest.approx(ratio)


def test_noise_above_the_target_refutes_a_relaxed_condition_on_it() -> None:
    relaxed = _relaxed("episode_relaxed_smooth_explicit", "4*eta*sigma^2*(L0 + L1*zeta) <= 10*m*target^2")
    found = Measurements(relaxed.original, (next(measure_relaxed_condition(relaxed)),))
    killer = found.killer(relaxed)
    assert killer is not None
    assert killer[0] == np.inf
    half = _relaxed("episode_relaxed_smooth_explicit", "4*eta*sigma^2*(L0 + L1*zeta) <= 2*m*target^2")
    assert not np.isfinite(Measurements(half.original, found.pieces).ratios(half)).any()


def test_runs_at_the_limit_of_a_relaxation_that_loose_constants_allow() -> None:
    """Of a condition that another one follows closely, all runs are beyond it, and none refutes it."""
    relaxed = _relaxed("fedavg_nonconvex", "L^2*eta^2*tau*(tau - 1) <= 1/6")
    found = Measurements(relaxed.original, tuple(measure_relaxed_condition(relaxed)))
    beyond = np.where(found.inside, np.nan, found.ratios(relaxed))
    assert len(set(found.piece[np.isfinite(beyond)])) >= 20
    assert 0.3 < np.nanmax(beyond) < 1


def test_a_condition_that_an_assumption_states_cannot_be_relaxed() -> None:
    name = "fedawe_nonconvex"
    relaxed = _relaxed(name, "eta_s >= 1/2")
    result = check_weaker(relaxed)
    assert result is not None
    assert result.proved
    others = tuple(a for a in relaxed.original.assumptions if a.name != "server-step-at-least-one")
    free = replace(relaxed.original, assumptions=others)
    assert check_weaker(replace(relaxed, original=free)) is None
    assert check_weaker(_relaxed(name, "eta <= availability/(100*L*beta*tau)")) is None


def test_a_condition_on_what_no_plan_has_is_measured_nowhere() -> None:
    relaxed = _relaxed("episode_relaxed_smooth_explicit", "clip >= eta*Max(7*sigma, 9*target/4)/2")
    assert not list(measure_relaxed_condition(relaxed))


@each(
    "name, condition",
    [
        ("fedpaq_nonconvex", "eta*eta_s <= 3/(5*L*tau)"),
        ("fedpaq_nonconvex", "L*comp_noise*eta*eta_s*tau <= 5*C*m/12"),  # as much compression, too
        ("mifa_nonconvex_random_availability",
         "eta*eta_s <= 2*availability/(L*tau*(2 - availability))"),
        ("fedavg_nonconvex_sampling_exact", "eta*eta_s <= 3/(5*L*tau)"),  # all clients
    ],
)  # fmt: skip
def test_exact_moments_at_the_longest_steps_refute_a_relaxed_condition(name: str, condition: str) -> None:
    relaxed = _relaxed(name, condition)
    original = relaxed.original.step_size[relaxed.place]
    found = Measurements(relaxed.original, tuple(measure_longest_steps(relaxed.theorem, original)))
    assert found.killer(relaxed) is not None
    beyond = [satisfied(each, found.values) for each in (original, *relaxed.theorem.step_size)]
    assert not np.any(beyond[0])
    assert all(np.all(each) for each in beyond[1:])
    longer = {**found.values, "eta": found.values["eta"] * (1 + 1e-6)}
    longer["eta_s"] = found.values["eta_s"] * (1 + 1e-6)
    assert not np.any(np.all([satisfied(each, longer) for each in relaxed.theorem.step_size], axis=0))


@each(
    "name, condition",
    [
        ("fedavg_nonconvex_all", "L*eta*eta_s*tau*(16 - 16*availability)/m <= 10"),
        ("fedau_nonconvex", "16*L*absence*eta*eta_s*pull*tau <= 10"),
    ],
)
def test_rare_clients_at_the_longest_steps_refute_a_relaxed_condition(name: str, condition: str) -> None:
    relaxed = _relaxed(name, condition)
    original = relaxed.original.step_size[relaxed.place]
    found = Measurements(relaxed.original, tuple(measure_longest_available(relaxed.theorem, original)))
    assert found.killer(relaxed) is not None
    assert not np.any(satisfied(original, found.values))
    assert all(np.all(satisfied(each, found.values)) for each in relaxed.theorem.step_size)


def test_a_condition_up_to_an_unspecified_constant_cannot_be_relaxed() -> None:
    name = "overlap_sgd_nonconvex_clock"
    relaxed = _relaxed(name, "L*c_4*eta*tau <= 10")
    result = check_weaker(relaxed)
    assert result is not None
    assert result.proved
    terms = tuple(replace(each, expr=each.expr.subs(c_3, c_4)) for each in relaxed.original.terms)
    assert check_weaker(replace(relaxed, original=replace(relaxed.original, terms=terms))) is None
    assert check_weaker(_relaxed("fedau_nonconvex_rate", "L*eta*eta_s*tau <= 1/2")) is None
