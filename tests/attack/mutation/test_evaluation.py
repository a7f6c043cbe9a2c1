"""Known mutants of three theorems, with their outcomes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from sympy import Mul, Pow

from boundkit.algebra.notation import L, eta, m, sigma, tau
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.mutation import (
    Mutant,
    MutantResult,
    Mutation,
    Mutations,
    evaluation,
    generate_mutants,
    mutate,
)
from boundkit.attack.mutation.evaluation import decide_on_runs, decide_symbolically, measure_instances
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant_search import _longer
from boundkit.attack.mutation.reasons import explain_outcome, find_domination
from boundkit.attack.mutation.report import from_dict
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import catalogue, theorem
from boundkit.verification.verifier import verify
from tests.cases import each

WANTED = {
    "sgd_nonconvex": {
        "initial gap: left out": ("killed", "verification"),
        "stochastic noise: left out": ("killed", "verification"),
        "initial gap: gap^2 for gap": ("killed", "dimension"),
        "stochastic noise: sigma for sigma^2": ("killed", "dimension"),
        "initial gap: T^(-2) for 1/T": ("killed", "verification"),
        "stochastic noise: m^(-2) for 1/m": ("killed", "verification"),
        "initial gap: 1/T left out": ("weaker", ""),
        "stochastic noise: 1/m left out": ("weaker", ""),
        "initial gap: 1 for 2": ("killed", "verification"),
        "stochastic noise: 1/10 for 1": ("killed", "verification"),
    },
    "fedavg_nonconvex": {
        "client drift: left out": ("killed", "verification"),
        "noise drift: left out": ("killed", "verification"),
        "client drift: tau left out": ("killed", "verification"),
        "client drift: tau for tau - 1": ("weaker", ""),
        "client drift: tau - 1 for tau": ("proved", ""),
        "noise drift: tau - 1 left out": ("killed", "limit"),
        "client drift: sigma for sigma_g": ("killed", "limit"),
        "stochastic noise: m^(-2) for 1/m": ("killed", "reduction"),
        "client drift: eta for eta^2": ("killed", "dimension"),
        "client drift: 6/5 for 12": ("proved", ""),
        "initial gap: 2 for 4": ("proved", ""),
        "initial gap: 2/5 for 4": ("killed", "verification"),
        "noise drift: (tau - 1)^2 for tau - 1": ("weaker", ""),
    },
    "fedavg_strongly_convex_drift_limit": {
        "client drift: left out": ("killed", "verification"),
        "client drift: 1/2 for 1": ("killed", "verification"),
        "client drift: tau left out": ("killed", "verification"),
        "client drift: drift_star^2 for drift_star": ("killed", "dimension"),
        "client drift: tau^2 for tau": ("weaker", ""),
        "client drift: tau^2 for tau in (1 - eta*mu)^tau": ("killed", "verification"),
    },
}  # fmt: skip


@lru_cache
def report_of(name: str) -> Mutation:
    return mutate(theorem(name), catalogue(), evaluations=int(name == "sgd_nonconvex"))


@lru_cache
def measurements_of(name: str) -> Measurements:
    return Measurements(theorem(name), tuple(measure_instances(theorem(name), 0, None)))


@each(
    "name",
    ["sgd_nonconvex", "fedavg_nonconvex",
     pytest.param("fedavg_strongly_convex_drift_limit", marks=[pytest.mark.slow])],
)  # fmt: skip
def test_known_mutants(name: str) -> None:
    """The mistakes of the last theorem are of kinds that the others show as well."""
    results = {one.what: one for one in report_of(name).results}
    for what, (outcome, by) in WANTED[name].items():
        result = results[what]
        assert result.outcome == outcome, (what, result.reason)
        assert not by or result.by == by, (what, result.reason)


def test_a_mutant_that_a_run_kills_is_violated_by_that_run() -> None:
    checked = 0
    for one, mutant in zip(
        report_of("sgd_nonconvex").results, generate_mutants(theorem("sgd_nonconvex")), strict=True
    ):
        if one.outcome == "killed" and one.instance is not None and "run" in one.instance:
            run = run_from_spec("minibatch_sgd", one.instance["run"])
            verdict = verify(mutant.theorem, run, slopes=False)
            assert verdict.answer == "violated", (one.what, verdict.reason)
            assert one.ratio is None or verdict.ratio == pytest.approx(one.ratio, rel=1e-6)
            checked += 1
    assert checked >= 4


def test_an_equivalent_expression_is_never_killed() -> None:
    drift = theorem("fedavg_nonconvex").bound.terms["client drift"].expr
    same = drift / (tau * (tau - 1)) * (tau**2 - tau)
    noise = Mul(L, eta, sigma, Pow(sigma, 1), Pow(m, -1))
    for name, label, expr in (
        ("fedavg_nonconvex", "client drift", same),
        ("sgd_nonconvex", "stochastic noise", noise),
    ):
        mutant = Mutant(theorem(name), "exponent", "the same", label, expr)
        only = decide_symbolically(mutant, catalogue())
        assert only is not None
        assert only.outcome == "weaker"
    assert measurements_of("sgd_nonconvex").killer(mutant) is None
    assert decide_on_runs(mutant, measurements_of("sgd_nonconvex"), {}).outcome != "killed"


def test_a_relaxed_condition_is_refuted_by_divergence() -> None:
    by_mistake = {one.what: one for one in report_of("sgd_nonconvex").results}
    far = by_mistake["condition: eta <= 10/L for eta <= 1/L"]
    assert (far.outcome, far.by) == ("killed", "falsifier")
    mutant = next(one for one in generate_mutants(theorem("sgd_nonconvex")) if one.what == far.what)
    assert far.instance is not None
    run = run_from_spec("minibatch_sgd", far.instance["run"])
    assert verify(mutant.theorem, run, slopes=False).answer == "violated"


def _by_hand(measured: float) -> Measurement:
    """Values at which the bound of sgd_nonconvex is 2e-6, and what is measured there."""
    values = {"gap": 1.0, "T": 1e9, "eta": 1e-3, "L": 1.0, "sigma": 0.0, "m": 1.0}
    seen = np.array([measured])
    return Measurement({n: np.array([v]) for n, v in values.items()}, seen, seen, 0.0, {"said": "by hand"})


def test_a_violated_theorem_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "measure_instances", lambda *given: [])
    monkeypatch.setattr(evaluation, "_test_proofs", lambda result, every: {})
    original = theorem("sgd_nonconvex")
    fine = mutate(original, evaluations=1, measurements=[_by_hand(1.9e-6)])
    assert fine.above is None
    found = mutate(original, evaluations=1, measurements=[_by_hand(3e-6)])
    assert found.above is not None
    assert found.above["ratio"] == pytest.approx(1.5)
    assert not found
    for told in (found.to_text(), Mutations((found,)).to_text(), Mutations((found,)).report().to_markdown()):
        assert "the theorem itself is violated: measured/bound is 1.5 (by hand)" in told
    assert from_dict(found.to_dict()) == found


def test_a_term_that_others_exceed_everywhere_is_hidden() -> None:
    above = find_domination(theorem("fedvarp_nonconvex_tuned"), "noise drift")
    assert above.hidden
    assert above.by == "stochastic noise"
    assert above.part < 0.05
    assert not find_domination(theorem("fedavg_nonconvex"), "noise drift").hidden


def test_horizons_of_a_loose_run_do_not_count_as_slack() -> None:
    """Half of the noise was needed for one client; that a run of 100 is far below its bound says nothing."""
    original = theorem("sgd_nonconvex")
    false = next(one for one in generate_mutants(original) if one.what == "stochastic noise: m^(-2) for 1/m")
    base = {"gap": 1e-6, "T": 1e6, "eta": 0.1, "L": 1.0, "sigma": 1.0}

    def run(clients: float, part: float, count: int) -> Measurement:
        values = {n: np.full(count, v) for n, v in {**base, "m": clients}.items()}
        seen = np.full(count, part * (2e-11 + 0.1 / clients))
        return Measurement(values, seen, seen, 0.0, {"said": "by hand"})

    outcome, _ = explain_outcome(false, Measurements(original, (run(1.0, 0.5, 1), run(100.0, 1e-4, 24))))
    assert outcome == "survived"


def test_a_report_is_restored_from_its_dict() -> None:
    found = report_of("sgd_nonconvex")
    again = from_dict(found.to_dict())
    assert again.to_dict() == found.to_dict()
    assert isinstance(again.results[0], MutantResult)
    whole = Mutations((found,))
    assert "mistake" in whole.to_text()
    assert whole.report().to_markdown().startswith("| theorem")
    stands = replace(found.results[0], outcome="survived", by="", reason="no test")
    open_one = replace(found, results=(stands,))
    assert not open_one
    assert "no test" in open_one.to_text()
    assert not Mutations((found, open_one))
    assert "no test" in Mutations((open_one,)).report().to_markdown()


@pytest.mark.slow
def test_an_equal_theorem_of_another_algorithm_is_measured() -> None:
    """FedNova has no run with other weights; FedAvg with unequal work, which is the same bound, has."""
    found = measurements_of("fednova_nonconvex")
    assert found.values["chi2"].max() > 1
    assert found.values["beta"].max() > 1
    borrowed = [each for each in found.pieces if "unequal_steps" in each.source.get("said", "")]
    other = Measurements(found.theorem, tuple(borrowed))
    every = {one.what: one for one in generate_mutants(theorem("fednova_nonconvex"))}
    for what in ("left out", "chi2^2 for chi2", "1 for 2", "sigma for kappa"):
        assert other.killer(every[f"objective inconsistency: {what}"]) is not None
    assert found.above() is None


def test_many_homogeneous_clients_refute_a_longer_server_step() -> None:
    original = theorem("fedvarp_nonconvex")
    relaxed = next(
        m for m in generate_mutants(original) if m.what.startswith("condition: eta*eta_s <= 5/(2*L*tau)")
    )
    piece = measurement_of_evidence(collect_evidence(original, next(_longer(relaxed)), FastEngineOptions()))
    killer = Measurements(original, (piece,)).killer(relaxed)
    assert killer is not None
    assert killer[0] > 1e6
