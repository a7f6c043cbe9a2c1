"""Decreasing step sizes, fixed points, local SGD, delays and run times."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import T
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import LogCosh, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from boundkit.theorems import theorem
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.context import EvaluationContext, TrajectoryNeeded
from boundkit.verification.families import context_of
from boundkit.verification.families.decaying_steps import _noise_growth, gradient_bound
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.verification.planted_errors import scaled, times, without

KINDS = ("", "_one_step", "_replacement", "_uniform")
DECREASING = [f"fedavg_strongly_convex_decaying{kind}" for kind in KINDS]
FIXED_POINT = ["fedavg_strongly_convex_average_drift", "fedavg_strongly_convex_drift_limit"]
PAIR = Quadratic([1.0, 0.5], [[1.0], [-1.0]])


def verdict_of(name: str, run: Run) -> Verdict:
    return verify(theorem(name), run, slopes=False)


def context_for(name: str, run: Run, seen: Trajectory | None = None) -> EvaluationContext:
    return context_of(theorem(name), run, seen)


def test_a_smaller_or_missing_term_is_a_violation() -> None:
    for name, label, factor in (
        ("fedavg_strongly_convex_decaying", "initial gap", 0.9),
        ("fedavg_strongly_convex_average_drift", "client drift", 0.99),
        ("fedavg_convex_sharp", "initial gap", 0.4),
        ("async_sgd_nonconvex_clock", "initial gap", 0.4),
    ):
        assert verify(times(theorem(name), label, factor), quick=True).answer == "violated", name
    for name, label in (
        ("fedavg_strongly_convex_decaying_uniform", "initial gap"),
        ("adacomm_nonconvex", "initial gap"),
        ("sgd_nonconvex_clock", "stochastic noise"),
    ):
        assert verify(without(theorem(name), label), quick=True).answer == "violated", name


def test_a_rate_that_decreases_too_fast_is_a_violation() -> None:
    rate = theorem("fedavg_strongly_convex_partial_rate")
    verdict = verify(scaled(rate, T ** Rational(-1, 2)), quick=True)
    assert verdict.answer == "violated"
    assert "slope of the bound in T" in verdict.reason


def fedavg(problem: Any = PAIR, **settings: Any) -> Run:
    return make_run("fedavg", problem, **({"rounds": 5, "eta": 0.1, "local_steps": 2} | settings))


NOT_APPLICABLE: list[tuple[str, Run, str]] = [
    (DECREASING[0], fedavg(), "needs a decreasing step size"),
    (DECREASING[0], fedavg(eta={"first": 0.2, "offset": 40}), "eta = 2/(mu (offset + t)) in local step t"),
    (DECREASING[0], fedavg(eta={"first": 0.4, "offset": 10}), "outside the condition"),
    (DECREASING[2], fedavg(eta={"first": 0.1, "offset": 40}), "drawn with replacement"),
    (DECREASING[1],
     fedavg(Quadratic([1.0] * 2, [[1.0], [-1.0]], noise=1.0), local_steps=1,
            eta={"first": 0.5, "offset": 4}, participation={"kind": "with_replacement", "count": 2}),
     "sends one noisy gradient twice"),
    (FIXED_POINT[0], fedavg(Quadratic([1.0, 0.5], [[1.0], [-1.0]], noise=1.0)), "needs exact gradients"),
    ("async_sgd_nonconvex",
     make_run("async_sgd", Quadratic([1.0] * 2, np.zeros((2, 1))), rounds=5, eta=0.1),
     "one client a round"),
    ("async_sgd_nonconvex_clock",
     make_run("async_sgd", Quadratic([1.0] * 2, np.zeros((2, 1))), rounds=1, eta=0.1, schedule=[[0]]),
     "starts with a gradient of each of 2 clients"),
    ("local_sgd_nonconvex", make_run("local_sgd", PAIR, rounds=5, eta=0.1), "homogeneous clients"),
]  # fmt: skip


def test_violated_assumptions_are_named() -> None:
    for name, run, reason in NOT_APPLICABLE:
        verdict = verdict_of(name, run)
        assert verdict.answer == "not applicable", reason
        assert reason in verdict.reason


def test_gradients_are_bounded_along_the_run_and_within_rounds() -> None:
    """One client, F = x^2/2: x_t halves in each round of two steps, and noise adds (eta sigma)^2 to x."""
    one = Quadratic([1.0], [[0.0]], noise=0.3)
    run = fedavg(one, eta=1 - 0.5**0.5, x0=[4.0])
    G = context_for(DECREASING[0], run, trajectory(run, "exact")).constant("G")
    assert G.trust == "local"
    assert G.value**2 == pytest.approx(16 + (run.eta * 0.3) ** 2 + 0.3**2)
    with pytest.raises(TrajectoryNeeded):
        context_for(DECREASING[0], run).constant("G")


def test_noise_within_rounds_of_a_constant_step_size_is_that_of_the_recursion() -> None:
    problem = Quadratic([[1.0, 0.5], [0.3, 2.0]], [[0.0, 0.0]] * 2, [0.8, 0.2], noise=0.7)
    once, twice = np.full((1, 6), 0.2), np.full((2, 6), 0.2)
    for worst in (True, False):
        expected = _noise_growth(problem, twice, worst)
        np.testing.assert_allclose(_noise_growth(problem, once, worst), expected[:1], rtol=1e-12)
    assert _noise_growth(problem, once, True) > 1.5 * _noise_growth(problem, once, False)


def test_gradients_of_dissimilar_clients_are_bounded_in_the_weighted_mean() -> None:
    run = fedavg(Quadratic([1.0, 1.0], [[0.0], [4.0]], [0.75, 0.25]), x0=[0.0])
    G = context_for(DECREASING[0], run, trajectory(run, "exact")).constant("G")
    assert G.value**2 == pytest.approx(0.25 * 16)


def test_the_gradient_bound_is_the_largest_of_all_local_steps() -> None:
    """Every local step of a run with log-cosh losses, by hand."""
    problem = LogCosh([1.0, 0.5], [[1.0], [-2.0]], noise=0.0)
    run = fedavg(problem, eta=0.5, local_steps=5, x0=[3.0])
    G = gradient_bound(context_for(DECREASING[0], run, trajectory(run))).value
    x, seen = np.array([3.0]), []
    for _ in range(run.rounds):
        y = np.tile(x, (2, 1))
        for _ in range(5):
            g = problem.h * np.tanh(y - problem.e)
            seen.append(float((g**2).sum(axis=1) @ problem.p))
            y = y - 0.5 * g
        x = problem.p @ y
    assert max(seen) == pytest.approx(G**2)
    bent = fedavg(SmoothNonconvex([[1.0], [-1.0]]))
    asked = context_for(DECREASING[0], bent, trajectory(bent))
    with pytest.raises(BoundkitError, match="negative curvature"):
        gradient_bound(asked)


def test_heterogeneity_gap_and_noise_of_the_mean_by_hand() -> None:
    run = fedavg(Quadratic([1.0, 1.0], [[0.0], [4.0]], [0.75, 0.25], noise=2.0))
    assert context_for(DECREASING[0], run).constant("Gamma").value == pytest.approx((0.75 * 1 + 0.25 * 9) / 2)
    expected = 2 * (0.75**2 + 0.25**2) ** 0.5
    assert context_for(DECREASING[0], run).constant("sigma_mean").value == pytest.approx(expected)


def test_the_drift_at_the_optimum_by_its_formula() -> None:
    run = fedavg(eta=0.3, local_steps=7)
    x, H, e = PAIR.centre, PAIR.H[:, 0], PAIR.e[:, 0]
    moved = abs(float(PAIR.p @ ((1 - (1 - 0.3 * H) ** 7) * (x - e))))
    assert context_for(FIXED_POINT[0], run).constant("drift_star").value == pytest.approx(moved / (0.3 * 7))
    assert context_for(FIXED_POINT[0], fedavg(local_steps=1)).constant("drift_star").value == 0


def test_the_limit_of_losses_that_are_not_quadratic() -> None:
    problem = LogCosh([1.0, 0.4], [[1.0], [-1.0]])
    run = fedavg(problem, eta=0.5, local_steps=6, rounds=3)
    found = measure_claim(context_for(FIXED_POINT[1], run, trajectory(run))).value
    x = 0.0
    for _ in range(2000):
        y = np.full(2, x)
        for _ in range(6):
            y = y - 0.5 * problem.h[:, 0] * np.tanh(y - problem.e[:, 0])
        x = float(problem.p @ y)
    assert found == pytest.approx(abs(x - problem.centre[0]), rel=1e-9)


def test_the_virtual_loss_counts_from_the_first_step_to_the_last() -> None:
    run = add_observables(
        theorem("fedavg_convex"), fedavg(Quadratic([1.0] * 2, [[0.0]] * 2), eta=0.25, x0=[1.0])
    )
    expected = np.mean([0.5 * 0.75 ** (2 * k) for k in range(1, 11)])
    for engine in ("exact", "step"):
        found = measure_claim(context_for("fedavg_convex", run, trajectory(run, engine))).value
        assert found == pytest.approx(float(expected), rel=1e-12)


def test_uniform_dissimilarity_is_that_of_the_worst_client_along_its_steps() -> None:
    statement = theorem("fedavg_convex")
    shared = add_observables(statement, fedavg(Quadratic([1.0] * 3, [[0.0], [0.0], [3.0]])))
    assert context_of(statement, shared).constant("sigma_g").value == pytest.approx(2)
    unlike = add_observables(statement, fedavg(eta=0.25, local_steps=3, x0=[2.0]))
    found = context_of(statement, unlike, trajectory(unlike)).constant("sigma_g").value
    y, x, apart = np.zeros(2), 2.0, []
    for _ in range(unlike.rounds):
        y = np.full(2, x)
        for _ in range(3):
            all_of_them = PAIR.H[:, 0] * (y[:, None] - PAIR.e[:, 0])
            apart.append(np.abs(np.diagonal(all_of_them) - all_of_them.mean(axis=1)).max())
            y = y - 0.25 * np.diagonal(all_of_them)
        x = float(y.mean())
    assert found == pytest.approx(max(apart))


def test_numbers_of_local_steps_of_adacomm() -> None:
    alike = Quadratic([1.0] * 2, np.zeros((2, 1)))
    run = make_run("adacomm", alike, rounds=4, eta=0.1, local_steps=6, x0=[1.0], options={"period": 1})
    seen = trajectory(run, "step")
    steps = seen.observed["local_steps"][0, :4]
    assert steps[0] == 6 > steps[-1]
    about = context_for("adacomm_nonconvex", run, seen)
    assert about.constant("tau_mean").value == pytest.approx(steps.mean())
    assert about.constant("tau_felt").value == pytest.approx((steps**2).sum() / steps.sum())
    assert about.constant("tau_max").value == 6
    k = np.arange(int(steps.sum()))
    assert measure_claim(about).value == pytest.approx(float((0.9 ** (2 * k)).mean()))


@each(("delays", "rounds", "oldest"), [(3, 10, 3), (3, 2, 1), ([0, 5, 2], 10, 5), ([[1, 4]], 10, 4)])
def test_staleness_by_hand(delays: Any, rounds: int, oldest: int) -> None:
    alike = Quadratic([1.0] * 2, np.zeros((2, 1)))
    run = make_run(
        "async_sgd", alike, rounds=rounds, eta=0.1, options={"delays": delays}, schedule=[[0], [1]]
    )
    assert context_for("async_sgd_nonconvex", run).constant("staleness").value == oldest


@each(
    ("name", "wall"),
    [
        ("sgd_nonconvex_clock", 6 * (3 * 1 + 10)),
        ("overlap_sgd_nonconvex_clock", 6 * 10),
        ("async_sgd_nonconvex_clock", 6 * 11 / 2),
    ],
)
def test_run_times_by_hand(name: str, wall: float) -> None:
    run = make_run("fedavg", PAIR, rounds=6, eta=0.1, local_steps=3)
    assert context_for(name, run).constant("wall").value == wall


def test_the_weighted_average_of_iterates_by_hand() -> None:
    statement = theorem("fedavg_strongly_convex_partial_rate")
    run = add_observables(statement, fedavg(Quadratic([1.0] * 2, [[0.0]] * 2), local_steps=1, x0=[1.0]))
    kept = 1 - 0.1 / 2
    x, s = 0.9 ** np.arange(5), kept ** (1.0 - np.arange(5))
    found = measure_claim(context_of(statement, run, trajectory(run, "step"))).value
    assert found == pytest.approx(float((s @ x / s.sum()) ** 2 / 2))
    long = replace(run, eta=3.0, iterate_ratio=None)
    with pytest.raises(BoundkitError, match="below 2"):
        add_observables(statement, long)
