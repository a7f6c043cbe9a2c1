"""Three engines, one law: means and variances within their stated errors, at fixed seeds."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import CollapsedEngine, ExactEngine, StepEngine, trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.hessians import hessian

SAMPLED = {"step": StepEngine, "collapsed": CollapsedEngine}
CASES: dict[str, dict[str, Any]] = {
    "diagonal": {"curvature": "diagonal"},
    "momentum at both ends": {"curvature": "dense", "options": {"momentum": 0.5, "server_momentum": 0.4}},
    "unbiased, server step": {"curvature": "mixed", "options": {"aggregation": "unbiased"}, "eta_s": 1.6},
}


def noisy(curvature: str, **settings: Any) -> Run:
    rng = np.random.default_rng(11)
    m, d = 6, 3
    problem = Quadratic(
        [hessian(rng, d, curvature, i) for i in range(m)], rng.normal(size=(m, d)),
        rng.dirichlet(np.full(m, 3.0)),
        noise=1.5,
    )  # fmt: skip
    given = {
        "rounds": 12,
        "eta": 0.1,
        "local_steps": [[1, 2, 3, 4, 5, 6], [3] * 6],
        "x0": np.ones(d),
        "seed": 5,
    }
    return make_run("fedavg", problem, participation={"kind": "uniform", "C": 0.5}, **(given | settings))


@each("engine", SAMPLED)
@each("case", CASES)
def test_sampled_engines_agree_with_the_exact_moments(case: str, engine: str) -> None:
    run = noisy(**CASES[case])
    exact, R = ExactEngine(run).trajectory(), 2000
    seen = SAMPLED[engine](run, replicas=R).trajectory()
    for name in seen.observed:
        error = seen.standard_error(name)
        assert error[0] == pytest.approx(0, abs=1e-12)
        z = (seen.mean(name)[1:] - exact.mean(name)[1:]) / error[1:]
        assert np.abs(z).max() < 4, name
        assert np.abs(z).max() > 1e-3, name  # an error that covers everything would prove nothing
    # E ||x - x*||^2 - ||E x - x*||^2 is the variance: it must be right, and not only the mean
    assert isinstance(run.problem, Quadratic)
    centre = run.problem.centre
    spread = exact.mean("distance_squared") - ((exact.x - centre) ** 2).sum(1)
    sampled = seen.mean("distance_squared") - ((seen.x - centre) ** 2).sum(1) * R / (R - 1) + spread / (R - 1)
    assert spread[-1] > 0.05
    np.testing.assert_allclose(sampled[1:], spread[1:], rtol=0.12)
    mean_error = np.sqrt(spread / R)
    assert (np.linalg.norm(seen.x - exact.x, axis=1)[1:] < 4 * mean_error[1:]).all()


@pytest.mark.parametrize("engine", SAMPLED)
def test_single_precision_is_near_double(engine: str) -> None:
    run = noisy("dense", schedule=[[0, 1], [2, 3, 4], [5], []], rounds=60)
    run.problem.noise = 0.0
    double = SAMPLED[engine](run).trajectory()
    single = SAMPLED[engine](run, dtype="float32").trajectory()
    np.testing.assert_allclose(single.x, double.x, atol=3e-6 * np.abs(double.x).max())
    assert np.abs(single.x - double.x).max() > 0  # it is another precision


@each(
    ("engine", "tau", "dense", "dtype"),
    [
        ("step", 1, False, "float32"),
        ("step", 4, True, "float64"),
        ("collapsed", 4, True, "float32"),
        ("exact", 1, True, "float64"),
    ],
)
def test_divergence_is_named_and_cut(engine: str, tau: int, dense: bool, dtype: str) -> None:
    problem = Quadratic.random(
        3, 4, seed=1, dense=dense, curvature=(1.0, 3.0), noise=0.0 if engine == "exact" else 0.1
    )
    run = make_run("fedavg", problem, rounds=3000, eta=1.5, local_steps=tau, x0=np.ones(4))
    seen = trajectory(run, engine, replicas=7, dtype=dtype)
    assert seen.outcome == "diverged"
    assert seen.diverged_at == len(seen.x)
    assert 3 < len(seen.x) < 3001
    assert np.isfinite(seen.x).all()
    for series in seen.observed.values():
        assert series.shape[1] == len(seen.x)
        assert np.isfinite(series).all()
    told = seen.to_dict()
    assert told["outcome"] == "diverged"
    assert told["rounds"] == len(seen.x) - 1


@each(
    ("given", "words"),
    [
        ({"engine": "exakt"}, "unknown engine 'exakt'; did you mean 'exact'"),
        ({"replicas": 0}, "replicas must be a whole number, at least 1"),
        ({"engine": "step", "dtype": "float16"}, "dtype must be float32 or float64, but it is 'float16'"),
        ({"engine": "step", "device": "tpu"}, "device must be cpu, cuda or auto"),
    ],
)
def test_engines_refuse_what_they_cannot(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words):
        trajectory(noisy("dense"), **given)


@pytest.mark.gpu
@each("engine", SAMPLED)
@each("curvature", ["diagonal", "dense"])
def test_cpu_and_cuda_agree_on_a_deterministic_schedule(curvature: str, engine: str) -> None:
    run = noisy(curvature, schedule=[[0, 1], [2, 3, 4], [5], []], rounds=50)
    cpu = SAMPLED[engine](run, replicas=3, device="cpu").trajectory()
    cuda = SAMPLED[engine](run, replicas=3, device="cuda").trajectory()
    np.testing.assert_allclose(cuda.x, cpu.x, rtol=1e-10, atol=1e-12)
    for name in cpu.observed:
        np.testing.assert_allclose(cuda.observed[name], cpu.observed[name], rtol=1e-9, atol=1e-12)
