"""What a run says against a bound: at the ends of what a ratio may be."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import Theorem
from boundkit.algebra.notation import L, eta, tau
from boundkit.attack.evidence import EvidencePool, NotApplicable, collect_evidence
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.verifier import verify

FULL = theorem("fedavg_nonconvex")


def run(rounds: int = 30, eta: float = 0.02, **settings: object) -> Run:
    unlike = Quadratic([[1.0], [0.2]], [[1.0], [-1.0]], noise=0.3)
    return make_run("fedavg", unlike, rounds=rounds, eta=eta, local_steps=4, x0=[3.0], **settings)


def scaled(statement: Theorem, factor: object) -> Theorem:
    terms = tuple(replace(term, expr=term.expr * factor) for term in statement.terms)
    return replace(statement, terms=terms, reductions=(), limits=())


def test_the_last_horizon_is_the_verdict_of_verify() -> None:
    seen = collect_evidence(FULL, run())
    assert seen.horizons[-1] == 30
    assert seen.ratios(FULL)[-1] == pytest.approx(verify(FULL, run(), slopes=False).ratio, rel=1e-8)


def test_every_horizon_is_that_of_a_shorter_run() -> None:
    whole = collect_evidence(FULL, run(rounds=100))
    place = len(whole.horizons) // 2
    short = collect_evidence(FULL, run(rounds=int(whole.horizons[place])))
    assert whole.measured[place] == pytest.approx(short.measured[-1], rel=1e-12)
    assert whole.ratios(FULL)[place] <= short.ratios(FULL)[-1] * (
        1 + 1e-12
    )  # sigma_g of more rounds is no less


def test_shares_of_all_terms_tell_the_same_excess() -> None:
    seen, wrong = collect_evidence(FULL, run()), scaled(FULL, 1 / 100)
    for label in wrong.bound.terms:
        assert seen.shares(wrong, label)[-1] > 1  # as the bound is exceeded, each term alone is too small
    assert seen.ratios(wrong)[-1] > 1


def test_a_bound_below_zero_is_violated_by_whatever_was_measured() -> None:
    seen, absurd = collect_evidence(FULL, run(eta=0.08)), scaled(FULL, 1 - 10 * eta * L * tau)
    assert np.isposinf(seen.ratios(absurd)).all()


def test_outside_the_condition_nothing_is_said_and_divergence_inside_is_a_violation() -> None:
    outside = collect_evidence(FULL, run(eta=0.9))
    assert np.isnan(outside.ratios(FULL)).all()
    blown = collect_evidence(FULL, run(rounds=2000, eta=30.0))
    assert blown.diverged
    free = replace(FULL, step_size=())
    assert np.isposinf(blown.ratios(free)).all()


def test_a_run_of_another_algorithm_is_silent() -> None:
    with pytest.raises(NotApplicable, match="does not apply"):
        collect_evidence(theorem("fednova_nonconvex"), run())


def test_a_pool_says_what_its_pieces_say() -> None:
    pieces = [collect_evidence(FULL, run(rounds=rounds)) for rounds in (1, 40)]
    pool = EvidencePool(pieces)
    every = np.concatenate([one.ratios(FULL) for one in pieces])
    np.testing.assert_array_equal(pool.ratios(FULL), every)
    ratio, worst = pool.worst(FULL)
    assert ratio == every.max()
    assert worst is pieces[int(np.argmax(every) >= len(pieces[0].low))]
    assert EvidencePool([]).worst(FULL) == (-np.inf, None)
