"""Exact moments of algorithms with memory: against the other exact engine, replicas, and long runs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import ExactEngine, ExactStateEngine, StepEngine, exact_engine
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.engines.exact_state_engine import Outcomes
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.representatives import aside

UNEVEN = [[1, 2, 3, 4, 2, 1]]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "FedVARP": ("fedvarp", {}),
    "FedVARP, unequal steps": ("fedvarp", {"local_steps": UNEVEN, "eta_s": 0.7}),
    "ClusterFedVARP": ("clusterfedvarp", {"options": {"clusters": [[0, 1], [2, 3], [4, 5]]}}),
    "SCAFFOLD II": ("scaffold", {"local_steps": UNEVEN}),
    "SCAFFOLD I": ("scaffold", {"options": {"variant": "I"}, "eta_s": 1.3}),
    "SCAFFOLD, noisy start": ("scaffold", {"options": {"initial_controls": "gradient"}}),
    "VRL-SGD": ("vrlsgd", {"local_steps": UNEVEN, "participation": None}),
}


def made(name: str, m: int = 6, d: int = 2, **settings: Any) -> Run:
    problem = Quadratic.random(m, d, seed=3, dense=True, noise=0.8, curvature=(0.3, 1.0))
    given = {
        "rounds": 12,
        "eta": 0.1,
        "local_steps": 3,
        "x0": np.full(d, 1.5),
        "participation": {"kind": "uniform", "C": 0.5},
        "seed": 7,
    }
    return make_run(name, problem, **(given | settings))


@each(("C", "d", "momentum"), [(1 / 6, 1, 0.0), (0.5, 3, 0.4), (1.0, 1, 0.4)])
def test_fedavg_has_the_moments_of_the_other_exact_engine(C: float, d: int, momentum: float) -> None:
    options = {"momentum": momentum, "server_momentum": momentum}
    run = made("fedavg", d=d, participation={"kind": "uniform", "C": C}, rounds=40, options=options)
    whole, exact = ExactStateEngine(run), ExactEngine(run)
    seen, expected = whole.trajectory(), exact.trajectory()
    np.testing.assert_allclose(seen.x, expected.x, rtol=1e-11, atol=1e-13)
    for name in expected.observed:
        np.testing.assert_allclose(seen.observed[name], expected.observed[name], rtol=1e-10)
    assert whole.stationary() == pytest.approx(exact.stationary(), rel=1e-10)


@each("case", aside(CASES, "FedVARP", "SCAFFOLD I", "SCAFFOLD, noisy start"))
def test_replicas_agree_with_the_moments(case: str) -> None:
    name, settings = CASES[case]
    run = made(name, **settings)
    exact, R = ExactStateEngine(run).trajectory(), 2000
    seen = StepEngine(run, R).trajectory()
    assert set(seen.observed) == set(exact.observed)
    for observable in seen.observed:
        error = seen.standard_error(observable)
        z = (seen.mean(observable)[1:] - exact.mean(observable)[1:]) / error[1:]
        assert 1e-3 < np.abs(z).max() < 4, observable
    centre = run.problem.centre
    spread = exact.mean("distance_squared") - ((exact.x - centre) ** 2).sum(1)
    sampled = seen.mean("distance_squared") - ((seen.x - centre) ** 2).sum(1)
    np.testing.assert_allclose(sampled[2:], spread[2:], rtol=0.15)


@each("case", aside(CASES, "FedVARP", "SCAFFOLD I", "SCAFFOLD, noisy start"))
def test_the_stationary_state_is_that_after_many_rounds(case: str) -> None:
    name, settings = CASES[case]
    engine = ExactStateEngine(made(name, **settings | {"rounds": 3000}))
    last = {n: series[0, -1] for n, series in engine.trajectory().observed.items()}
    assert engine.stationary() == pytest.approx(last, rel=1e-8)


@pytest.mark.parametrize(("m", "d", "C"), [(6, 1, 0.5), (8, 3, 0.5), (8, 1, 0.25)])
def test_every_way_to_move_a_covariance_is_the_same(m: int, d: int, C: float) -> None:
    """Written out as one matrix, and outcome by outcome."""
    engine = ExactStateEngine(
        made("scaffold", m=m, d=d, participation={"kind": "uniform", "C": C}, local_steps=1)
    )
    one = engine._round(0, {})
    rng = np.random.default_rng(0)
    root = rng.standard_normal((one.size, one.size))
    cov = root @ root.T
    expected = sum(p * A @ cov @ A.T for p, A in zip(one.probabilities, one.A, strict=True))
    np.testing.assert_allclose(one.propagate(cov), expected, rtol=1e-12)
    np.testing.assert_allclose(one.solve(cov), one._sum_by_rounds(cov), rtol=1e-9)


def test_what_is_conserved_keeps_its_spread() -> None:
    """A walk that is pulled towards a random place that stays there."""
    A = np.array([[[0.5, 0.5], [0.0, 1.0]]])
    one = Outcomes(np.ones(1), A, np.zeros((1, 2)), np.diag([0.75, 0.0]))
    start = np.diag([9.0, 4.0])
    expected = np.array([[5.0, 4.0], [4.0, 4.0]])  # 4 + 0.75/(1 - 1/4)
    np.testing.assert_allclose(one.limit_covariance(np.zeros(2), start), expected, rtol=1e-12)
    cov, mean = start, np.zeros(2)
    for _ in range(100):
        mean, cov = one.after(mean, cov)
    np.testing.assert_allclose(cov, expected, rtol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_what_grows_is_refused(noise: float) -> None:
    growing = Outcomes(np.full(2, 0.5), np.array([[[1.2]], [[0.2]]]), np.zeros((2, 1)), np.eye(1) * noise)
    assert growing.solve(np.eye(1))[0, 0] == pytest.approx(1 / (1 - 0.74))
    worse = replace(growing, A=np.array([[[1.6]], [[0.2]]]))  # the mean settles, the variance does not
    with pytest.raises(BoundkitError, match="do not converge"):
        worse.limit_covariance(np.zeros(1), np.zeros((1, 1)))
    walk = Outcomes(np.ones(1), np.ones((1, 1, 1)), np.zeros((1, 1)), np.eye(1) * noise)
    if noise:
        with pytest.raises(BoundkitError, match="conserved quantity"):
            walk.limit_covariance(np.zeros(1), np.zeros((1, 1)))
    else:
        assert walk.limit_covariance(np.zeros(1), np.eye(1)) == 1


def test_a_diverging_run_ends_at_the_first_overflow() -> None:
    run = made("scaffold", eta=3.0, rounds=2000)
    seen = ExactStateEngine(run).trajectory()
    assert seen.outcome == "diverged"
    assert seen.diverged_at == len(seen.x) < 2001
    assert all(np.isfinite(o).all() and o.shape == (1, len(seen.x)) for o in seen.observed.values())
    with pytest.raises(BoundkitError, match=r"do not converge|no limit"):
        ExactStateEngine(run).stationary()


def test_what_takes_too_long_is_known_before_it_is_begun() -> None:
    run = made("fedvarp", m=12, d=3, local_steps=200)
    assert exact_engine(replace(run, rounds=10**7)) is None
    with pytest.raises(TooManySubsets, match="multiplications"):
        ExactStateEngine(run, at_most=1e6)
