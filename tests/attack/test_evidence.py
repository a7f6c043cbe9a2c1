"""Evidence of a run: ratios and shares, their limits, and pools."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import Theorem
from boundkit.algebra.notation import L, eta, tau
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.evidence import EvidencePool, NotApplicable, collect_evidence
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.verifier import verify

FULL = theorem("fedavg_nonconvex")


def run(rounds: int = 30, eta: float = 0.02, **settings: object) -> Run:
    heterogeneous = Quadratic([[1.0], [0.2]], [[1.0], [-1.0]], noise=0.3)
    return make_run("fedavg", heterogeneous, rounds=rounds, eta=eta, local_steps=4, x0=[3.0], **settings)


def scaled(statement: Theorem, factor: object) -> Theorem:
    terms = tuple(replace(term, expr=term.expr * factor) for term in statement.terms)
    return replace(statement, terms=terms, reductions=(), limits=())


def test_the_last_horizon_has_the_ratio_of_verify() -> None:
    evidence = collect_evidence(FULL, run())
    assert evidence.horizons[-1] == 30
    assert evidence.ratios(FULL)[-1] == pytest.approx(verify(FULL, run(), slopes=False).ratio, rel=1e-8)


def test_every_horizon_equals_a_shorter_run() -> None:
    long = collect_evidence(FULL, run(rounds=100))
    place = len(long.horizons) // 2
    short = collect_evidence(FULL, run(rounds=int(long.horizons[place])))
    assert long.measured[place] == pytest.approx(short.measured[-1], rel=1e-12)
    assert long.ratios(FULL)[place] <= short.ratios(FULL)[-1] * (
        1 + 1e-12
    )  # sigma_g of more rounds is no less


def test_shares_are_the_excess_over_the_other_terms() -> None:
    evidence, wrong = collect_evidence(FULL, run()), scaled(FULL, 1 / 100)
    terms = {label: float(evaluate(t.expr, evidence.values)[-1]) for label, t in FULL.bound.terms.items()}
    for label, value in terms.items():
        others = sum(terms.values()) - value
        assert evidence.shares(FULL, label)[-1] == pytest.approx(
            (evidence.low[-1] - evidence.zero - others) / value
        )
    for label in wrong.bound.terms:
        assert evidence.shares(wrong, label)[-1] > 1  # each term alone is too small
    assert evidence.ratios(wrong)[-1] > 1


def test_a_negative_bound_is_violated() -> None:
    evidence, absurd = collect_evidence(FULL, run(eta=0.08)), scaled(FULL, 1 - 10 * eta * L * tau)
    assert np.isposinf(evidence.ratios(absurd)).all()


def test_ratios_outside_the_condition_and_of_divergence() -> None:
    outside = collect_evidence(FULL, run(eta=0.9))
    assert np.isnan(outside.ratios(FULL)).all()
    free = replace(FULL, step_size=())
    alike = make_run("fedavg", Quadratic([[1.0]] * 2, [[1.0], [-1.0]]), rounds=2000, eta=30.0, x0=[3.0])
    diverged = collect_evidence(FULL, alike)
    assert diverged.diverged
    assert np.isposinf(diverged.ratios(free)).all()
    before = collect_evidence(FULL, run(rounds=2000, eta=30.0))  # no sigma_g holds for all its rounds
    assert not before.diverged
    assert 1 < before.horizons[-1] < 2000
    assert np.isfinite(before.ratios(free)).all()


def test_a_run_of_another_algorithm_is_not_applicable() -> None:
    with pytest.raises(NotApplicable, match="does not apply"):
        collect_evidence(theorem("fednova_nonconvex"), run())


def test_a_pool_concatenates_its_pieces() -> None:
    pieces = [collect_evidence(FULL, run(rounds=rounds)) for rounds in (1, 40)]
    pool = EvidencePool(pieces)
    every = np.concatenate([one.ratios(FULL) for one in pieces])
    np.testing.assert_array_equal(pool.ratios(FULL), every)
    ratio, worst = pool.worst(FULL)
    assert ratio == every.max()
    assert worst is pieces[int(np.argmax(every) >= len(pieces[0].low))]
    assert EvidencePool([]).worst(FULL) == (-np.inf, None)
