"""Intermittent availability: FedAvg, FedAU, FedAWE and MIFA."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import S

from boundkit.algebra.notation import staleness_mean
from boundkit.simulation.participation.normalised_weights import mixing_rate_equal
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.checks.order_level import order_checks, sweeps_of
from boundkit.verification.constants import compute_constants
from boundkit.verification.dissimilarity import dissimilarity_everywhere
from boundkit.verification.families import context_of
from boundkit.verification.families.staleness import ages_of_updates
from boundkit.verification.verifier import verify
from tests.simulation.algorithms.rounds import line
from tests.verification.planted_errors import with_term, without


def bernoulli(q: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "bernoulli", "probabilities": q, **more}


def test_a_missing_staleness_factor_violates_mifa() -> None:
    """The term at 1/T without its 1 + staleness_mean."""
    mifa = theorem("mifa_strongly_convex")
    wrong = mifa.bound.terms["stochastic noise"].expr.subs(staleness_mean, S.Zero)
    planted = without(with_term(mifa, "stochastic noise", wrong), "staleness", "initial gap")
    sweeps = sweeps_of(mifa)
    (check,) = order_checks(planted, replace(sweeps, values={"staleness": sweeps.values["staleness"]}))
    assert check.outcome == "violated"


def run_of(algorithm: str = "fedavg", **settings: Any) -> Run:
    given = {"rounds": 3, "eta": 0.01, "participation": bernoulli([0.9, 0.3])}
    return make_run(algorithm, line(0.0, 1.0), **(given | settings))


DRAWN = {"kind": "uniform", "C": 0.5}
MARKOV = {"kind": "markov", "probabilities": 0.5}
SINE, CUT = bernoulli(0.5, dynamics="sine"), bernoulli(0.1, dynamics="interleaved_sine")
AT_ONCE = {"wait": False}
ALL, MEAN = {"aggregation": "all"}, {"aggregation": "mean"}
BROKEN: list[tuple[str, Run, str]] = [
    ("fedavg_nonconvex_all", run_of(options=MEAN), "divides by all clients"),
    ("fedavg_nonconvex_all", run_of(options=ALL, participation=DRAWN), "uniform participation"),
    ("fedavg_nonconvex_all", run_of(options=ALL, participation=None, schedule=[[0], [0, 1]]), "a schedule"),
    ("fedavg_nonconvex_all", run_of(options=ALL, participation=SINE), "from round to round"),
    ("fedavg_nonconvex_all", run_of(options=ALL, participation=bernoulli([0.5, 0.0])), "never participates"),
    ("fedavg_active_bias", run_of(options=ALL), "averages the participating clients equally"),
    ("fedavg_nonconvex_known_availability", run_of(options=ALL), "divides by the inclusion probability"),
    ("fedavg_nonconvex_known_availability",
     run_of(options={"aggregation": "known", "probabilities": [0.9, 0.4]}), "differs from them"),
    ("fedau_nonconvex", run_of("fedau"), "give the option weights"),
    ("fedau_cutoff_bias", run_of("fedau"), "no cutoff"),
    ("fedau_cutoff_bias", run_of("fedau", options={"weights": [1, 2]}), "are fixed"),
    ("fedawe_nonconvex", run_of("fedawe", participation=CUT), "one of the run is 0"),
    ("fedawe_nonconvex", run_of("fedawe", participation=MARKOV), "independently"),
    ("fedawe_nonconvex", run_of("fedawe", eta_s=0.5), "eta_s of at least 1"),
    ("mifa_nonconvex", run_of("mifa"), "under random participation"),
    ("mifa_nonconvex", run_of("mifa", participation=None, schedule=[[0]]), "never participates"),
    ("mifa_nonconvex", run_of("mifa", participation=None, schedule=[[0], [1]], options=AT_ONCE),
     "its first round"),
]  # fmt: skip


def test_violated_assumptions_are_named() -> None:
    for name, run, reason in BROKEN:
        verdict = verify(theorem(name), run, slopes=False)
        assert verdict.answer == "not applicable", reason
        assert reason in verdict.reason


def constants_of(name: str, run: Run) -> dict[str, float]:
    return {n: c.value for n, c in compute_constants(run, theorem(name)).items()}


def test_weights_and_inclusion_probabilities_by_hand() -> None:
    """q = (0.9, 0.3), omega = (1, 2): w is in proportion to (0.9, 0.6)."""
    run = run_of("fedau", options={"weights": [1.0, 2.0]})
    values = constants_of("fedau_nonconvex", run)
    assert values["pull"] == pytest.approx(1.5 / 2)
    assert values["share_noise"] == pytest.approx(0.6**2 / 0.9 + 0.4**2 / 0.3)
    assert values["absence"] == pytest.approx(0.4 * 0.7 / 0.3)
    w = {"fedavg_all_bias": (0.75, 0.25), "fedavg_active_bias": (0.765 / 0.93, 0.165 / 0.93)}
    for name, (a, b) in w.items():
        run = run_of(options=ALL if name == "fedavg_all_bias" else MEAN)
        assert constants_of(name, run)["chi2"] == pytest.approx((0.5 - a) ** 2 / a + (0.5 - b) ** 2 / b)
        x = b  # minima at 0 and 1: gradients x and x - 1 at the surrogate's minimum
        assert constants_of(name, run)["kappa"] ** 2 == pytest.approx(a * x**2 + b * (1 - x) ** 2)


def test_the_cutoff_has_its_own_chi2() -> None:
    run = run_of("fedau", options={"cutoff": 3})
    w = 1 - (1 - np.array([0.9, 0.3])) ** 3
    w /= w.sum()
    assert constants_of("fedau_cutoff_bias", run)["chi2"] == pytest.approx(float(((0.5 - w) ** 2 / w).sum()))


def test_changing_probabilities_have_a_least_and_a_largest() -> None:
    run = run_of("fedawe", participation=bernoulli([0.9, 0.3], dynamics="staircase", period=4))
    values = constants_of("fedawe_nonconvex", run)
    assert values["availability"] == pytest.approx(0.4 * 0.3)
    assert values["availability_max"] == pytest.approx(0.9)
    assert values["mixing"] == pytest.approx(1 - 0.4**2 * 0.27)  # two clients: 1 - q_1 q_2, the largest
    even = run_of("fedawe", participation=bernoulli(0.5))
    assert constants_of("fedawe_nonconvex", even)["mixing"] == pytest.approx(mixing_rate_equal(2, 0.5))
    full = run_of("fedawe", participation="full")
    assert constants_of("fedawe_nonconvex", full)["mixing"] == 0


def test_beta_and_kappa_hold_at_every_point() -> None:
    problem = Quadratic.random(4, 3, seed=1, dense=True, spread=2.0)
    beta, kappa = (c.value for c in dissimilarity_everywhere(problem, np.zeros(3)))
    rng, worst = np.random.default_rng(0), 0.0
    for size in (0.1, 1.0, 10.0, 1e3):
        x = problem.centre + size * rng.standard_normal((2000, 3))
        squares = (problem.client_gradients(x) ** 2).sum(axis=2).mean(axis=1)
        bound = beta**2 * problem.observe(x)["gradient_norm_squared"] + kappa**2
        worst = max(worst, float((squares / bound).max()))
    assert 0.9 < worst <= 1 + 1e-12


def test_ages_of_stored_updates() -> None:
    """Three clients in cyclic order: after the third round all have sent an update."""
    mifa = theorem("mifa_nonconvex")
    run = make_run("mifa", line(0.0, 1.0, 2.0), rounds=7, eta=0.1, schedule=[[0], [1], [2]])
    rows = ages_of_updates(context_of(mifa, run))
    np.testing.assert_array_equal(rows, [[0, 1, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1]])
    run = make_run(
        "mifa", line(0.0, 1.0), rounds=3, eta=0.1, schedule=[[0, 1], [0], [0]], options={"wait": False}
    )
    assert context_of(mifa, run).constant("staleness").value == 2
    assert context_of(mifa, run).constant("staleness_mean").value == pytest.approx(3 / 6)


def test_rounds_before_all_clients_participated_are_not_counted() -> None:
    run = make_run("mifa", line(0.0, 1.0, 2.0), rounds=7, eta=0.1, schedule=[[0], [1], [2]], x0=[9.0])
    verdict = verify(theorem("mifa_nonconvex"), run, slopes=False)
    assert verdict.answer == "holds"
    assert verdict.prediction is not None
    assert verdict.prediction.parameters.values["T"] == 4


def test_the_surrogate_objective_is_measured() -> None:
    """Wrong weights: the gap and the gradient are those of sum_i w_i F_i, not of the mean loss."""
    run = run_of("fedau", options={"weights": [1.0, 2.0]}, x0=[3.0])
    verdict = verify(theorem("fedau_nonconvex"), run, slopes=False)
    assert verdict.constants["gap"].value == pytest.approx(0.5 * (3 - 0.4) ** 2)
    assert verdict.prediction is not None
