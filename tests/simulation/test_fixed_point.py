"""Limits of the mean against closed forms that the engines do not know."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point, period_from
from boundkit.simulation.objective import objective
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.surrogate import surrogate_weights
from tests.cases import each
from tests.representatives import aside
from tests.simulation.hessians import CURVATURES, hessian, matrices

Array = NDArray[np.float64]


def notes(**settings: Any) -> Run:
    """F_1 = (x - 1)^2 and F_2 = 2 (x - 5)^2, equally weighted."""
    return make_run("fedavg", Quadratic([2.0, 4.0], [[1.0], [5.0]]), rounds=1, **settings)


@each("eta", [0.2, 0.1, 1e-3, 1e-6])
@each("tau", [2, 3, 10, 100, 10_000])
def test_the_example_of_the_lecture_notes_beyond(tau: int, eta: float) -> None:
    r1, r2 = 1 - (1 - 2 * eta) ** tau, 1 - (1 - 4 * eta) ** tau
    limit = fixed_point(notes(eta=eta, local_steps=tau))
    assert limit.points[0, 0] == pytest.approx((r1 + 5 * r2) / (r1 + r2), abs=1e-10)
    assert limit.residual < 1e-12


def closed_form(problem: Quadratic, tau: NDArray[np.int64], eta: float, weights: Array) -> Array:
    """(sum w_i K_i)^-1 sum w_i K_i e_i with K_i = I - (I - eta H_i)^tau_i."""
    d = problem.d
    K = [
        np.eye(d) - np.linalg.matrix_power(np.eye(d) - eta * h, int(t))
        for h, t in zip(matrices(list(problem.H), d), tau, strict=True)
    ]
    left = sum(w * k for w, k in zip(weights, K, strict=True))
    right = sum(w * k @ c for w, k, c in zip(weights, K, problem.e, strict=True))
    return np.asarray(np.linalg.solve(left, right))


def unlike(seed: int, curvature: str, m: int = 5, d: int = 3) -> tuple[Quadratic, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    H = [hessian(rng, d, curvature, i) for i in range(m)]
    return Quadratic(H, rng.normal(size=(m, d)), rng.dirichlet(np.ones(m))), rng.integers(1, 25, m)


@each("curvature", CURVATURES)
@each("seed", aside(range(2), 1))
def test_full_participation_converges_to_the_closed_form(seed: int, curvature: str) -> None:
    problem, tau = unlike(seed, curvature)
    run = make_run("fedavg", problem, rounds=1, eta=0.3, eta_s=0.7, local_steps=tau.tolist())
    limit = fixed_point(run)
    np.testing.assert_allclose(limit.points[0], closed_form(problem, tau, 0.3, problem.p), atol=1e-10)


@each(
    ("aggregation", "weighs"),
    [
        ("weighted", lambda p, q: p),
        ("mean", lambda p, q: np.ones_like(p)),
        ("all", lambda p, q: np.ones_like(p)),
        ("sum", lambda p, q: p),
        ("unbiased", lambda p, q: p),
        ("known", lambda p, q: 1 / q),
    ],
)
def test_the_weights_of_the_limit_are_those_of_the_aggregation(aggregation: str, weighs: Any) -> None:
    """One client a round, except for the default, whose limit needs everybody."""
    problem, tau = unlike(1, "dense")
    q = np.array([0.2, 0.3, 0.4, 0.5, 0.6])
    options: dict[str, Any] = {"aggregation": aggregation}
    if aggregation == "known":
        options["probabilities"] = q.tolist()
    who: Any = "full" if aggregation == "weighted" else {"kind": "uniform", "C": 0.2}
    run = make_run(
        "fedavg", problem, rounds=1, eta=0.1, local_steps=tau.tolist(), participation=who, options=options
    )
    expected = closed_form(problem, tau, 0.1, weighs(problem.p, q))
    np.testing.assert_allclose(fixed_point(run).points[0], expected, atol=1e-10)
    mass = weighs(problem.p, q) * tau
    weights = surrogate_weights(run)
    assert weights is not None
    np.testing.assert_allclose(weights, mass / mass.sum(), rtol=1e-12)


@each("options", [{}, {"momentum": 0.6}, {"server_momentum": 0.5}])
def test_small_steps_approach_the_surrogate_optimum_like_eta(options: dict[str, Any]) -> None:
    problem, tau = unlike(2, "dense")
    errors = []
    for eta in (1e-3, 1e-4, 1e-5):
        answer = objective("fedavg", problem, eta=eta, local_steps=tau.tolist(), options=options)
        assert answer.surrogate_optimum is not None
        errors.append(np.linalg.norm(answer.limit.points[0] - answer.surrogate_optimum))
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 10, rtol=0.2)
    weights = objective("fedavg", problem, eta=1e-3, local_steps=tau.tolist()).surrogate_weights
    assert weights is not None
    np.testing.assert_allclose(weights, problem.p * tau / (problem.p @ tau), rtol=1e-12)


def test_a_schedule_leads_to_a_cycle_through_which_a_run_goes() -> None:
    problem, _ = unlike(3, "dense")
    run = make_run("fedavg", problem, rounds=600, eta=0.2, local_steps=3, schedule=[[0, 1], [2], [], [3, 4]])
    limit = fixed_point(run)
    assert limit.points.shape == (4, 3)
    assert not limit.is_point
    np.testing.assert_allclose(trajectory(run, "step").x[-4:], np.roll(limit.points, -1, axis=0), atol=1e-9)
    np.testing.assert_allclose(limit.points[2], limit.points[3], atol=1e-12)  # nobody came
    answer = objective(run).to_dict()
    assert "fixed_point" not in answer
    np.testing.assert_array_equal(answer["cycle"], limit.points)
    mean = limit.points.mean(axis=0)
    assert answer["distance_to_optimum"] == pytest.approx(np.linalg.norm(mean - problem.optimum))


def test_renormalised_sampling_is_averaged_over_all_subsets() -> None:
    """Two of three clients: E w_i by hand, then the closed form with those weights."""
    problem, tau = unlike(4, "dense", m=3)
    p = problem.p
    w = np.array([
        (p[i] / (p[i] + p[j]) + p[i] / (p[i] + p[k])) / 3 for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
    ])  # fmt: skip
    who = {"kind": "uniform", "C": 2 / 3}
    answer = objective("fedavg", problem, eta=0.1, local_steps=tau.tolist(), participation=who)
    np.testing.assert_allclose(answer.limit.points[0], closed_form(problem, tau, 0.1, w), atol=1e-10)
    assert answer.interval is None
    assert answer.to_dict()["exact"] is True


def test_sampled_expectations_cover_the_exact_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five problems with 99 % intervals: two misses have probability 0.001."""
    covered = 0
    for seed in range(5):
        problem, tau = unlike(seed, "scalar")
        given: dict[str, Any] = {"eta": 0.1, "local_steps": tau.tolist(), "seed": seed,
                                 "participation": {"kind": "uniform", "C": 0.4}}  # fmt: skip
        exact = objective("fedavg", problem, **given)
        with monkeypatch.context() as patch:
            patch.setattr("boundkit.simulation.engines.aggregation_weights.ENUMERATION_LIMIT", 2)
            sampled = objective("fedavg", problem, **given)
        assert sampled.to_dict()["exact"] is False
        assert sampled.interval is not None
        low, high = sampled.interval
        assert 0 < high - low < 0.2 * exact.distance_to_optimum
        covered += low <= exact.distance_to_optimum <= high
        assert sampled.surrogate_weights is not None
        assert exact.surrogate_weights is not None
        np.testing.assert_allclose(sampled.surrogate_weights, exact.surrogate_weights, atol=2e-3)
        assert sampled.distance_to_optimum != exact.distance_to_optimum
    assert covered >= 4


def test_an_unstable_limit_is_named() -> None:
    answer = objective(notes(eta=0.9))
    assert not answer.limit.stable
    assert answer.to_dict()["stable"] is False
    assert "diverges" in answer.to_text()


@each(
    ("settings", "words"),
    [
        ({"schedule": [[]]}, "leave a direction unchanged"),
        (
            {"schedule": [[0]], "problem": Quadratic([[1.0, 0.0], [1.0, 1.0]], np.zeros((2, 2)))},
            "leave a direction",
        ),
        ({"problem": Quadratic([1.0, -1.0], np.zeros((2, 1)))}, "no unique minimum"),
        ({"problem": SmoothNonconvex([[1.0], [-1.0]])}, "needs a quadratic problem, not smooth_nonconvex"),
    ],
)
def test_runs_without_a_limit_are_refused(settings: dict[str, Any], words: str) -> None:
    problem = settings.pop("problem", Quadratic([1.0, 1.0], [[0.0], [1.0]]))
    with pytest.raises(BoundkitError, match=words):
        objective("fedavg", problem, eta=0.1, local_steps=1, **settings)


@each("algorithm", ["fedavg", "scaffold", "mifa"])
def test_rounds_that_overflow_diverge(algorithm: str) -> None:
    run = make_run(algorithm, Quadratic([2.0, 4.0], [[1.0], [5.0]]), rounds=2, eta=1e50, local_steps=10)
    with pytest.raises(BoundkitError, match="diverges"):
        objective(run)
    assert trajectory(run, "auto").diverged_at == 1


def test_the_surrogate_weights_of_stateful_algorithms_are_extrapolated_limits() -> None:
    """SCAFFOLD minimises sum p_i F_i; VRL-SGD, with its own divisor, sum p_i tau_i F_i."""
    p, tau = np.array([0.5, 0.3, 0.2]), np.array([1, 4, 2])
    problem = Quadratic([1.0, 2.0, 0.5], np.eye(3), p)
    for name, expected in (("scaffold", p), ("vrlsgd", p * tau / (p @ tau))):
        weights = surrogate_weights(make_run(name, problem, rounds=1, eta=0.1, local_steps=tau.tolist()))
        assert weights is not None
        np.testing.assert_allclose(weights, expected, atol=1e-8)


@each("algorithm", ["fedavg", "fedawe"])
def test_a_period_from_the_limit_returns_to_it(algorithm: str) -> None:
    problem, _ = unlike(3, "dense")
    run = make_run(algorithm, problem, rounds=3, eta=0.1, local_steps=3, schedule=[[0, 1], [1, 2], [0, 3, 4]])
    limit = fixed_point(run)
    assert not limit.is_point
    np.testing.assert_allclose(period_from(run, limit), limit.points[0], atol=1e-10)


def test_cycles_of_steps_and_schedule_have_a_common_period() -> None:
    problem, _ = unlike(3, "scalar")
    run = make_run(
        "fedavg", problem, rounds=2, eta=0.1, local_steps=[[1] * 5, [2] * 5, [3] * 5], schedule=[[0], [1, 2]]
    )
    assert run.period == 6
    assert fixed_point(run).points.shape == (6, 3)


def test_at_the_largest_step_the_mean_does_not_converge_despite_rounding() -> None:
    """The factor is 1 - 2: the eigenvalues of turned Hessians miss its size by roundings of either sign."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        Q = np.linalg.qr(rng.standard_normal((4, 4)))[0]
        H = Q @ np.diag([1.0, 0.7, 0.5, 0.2]) @ Q.T
        problem = Quadratic([(H + H.T) / 2] * 2, rng.standard_normal((2, 4)))
        limit = objective("fedavg", problem, eta=2.0, local_steps=1).limit
        assert limit.spectral_radius == pytest.approx(1, rel=1e-12)
        assert not limit.stable
        assert objective("fedavg", problem, eta=2 * (1 - 1e-6), local_steps=1).limit.stable


def test_a_run_that_hardly_moves_is_refused_after_the_first_of_four_lengths() -> None:
    flat = Quadratic([1e-9, 2e-9], [[1.0], [5.0]])
    run = make_run("fedadam", flat, rounds=4, eta=1e-12, local_steps=1, eta_s=1e-12)
    with pytest.raises(BoundkitError, match=r"after 100[0-9] rounds from two starts"):
        objective(run)
