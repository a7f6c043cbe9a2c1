"""A billion local steps on quadratics: by powers of one step's map, in no more memory than one step takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis import memory
from boundkit.simulation.engines import StepEngine, step_engine, trajectory
from boundkit.simulation.objective import objective
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each

BILLION = 10**9
H, E = np.array([1.0, 2.0]), np.array([0.0, 3.0])
LINE = Quadratic(H.tolist(), E[:, None])


def run(name: str = "fedavg", problem: Quadratic = LINE, **settings: Any) -> Run:
    usual = {"rounds": 4, "eta": 1e-9, "local_steps": BILLION, "x0": np.ones(problem.d)}
    return make_run(name, problem, **usual | settings)


def by_hand(kept: np.ndarray, rounds: int) -> np.ndarray:
    """FedAvg's x_t on the line, each client keeping that part of its distance to its minimiser in a round."""
    x = [1.0]
    for _ in range(rounds):
        x.append(float(np.mean(E + kept * (x[-1] - E))))
    return np.array(x)


def dense(m: int = 3, d: int = 4, noise: float = 0.0) -> Quadratic:
    return Quadratic.random(m, d, seed=5, curvature=(0.5, 2.0), dense=True, noise=noise)


@pytest.mark.parametrize("engine", ["exact", "collapsed", "step"])
def test_a_billion_steps_have_the_closed_form(engine: str) -> None:
    """(1 - eta h)^tau = exp(tau log1p(-eta h)), to the last digits: 1 - 1e-9 alone has lost eight of them."""
    seen = trajectory(run(), engine)
    expected = by_hand(np.exp(BILLION * np.log1p(-1e-9 * H)), 4)
    np.testing.assert_allclose(seen.x[:, 0], expected, rtol=1e-13)


def test_noise_over_a_billion_steps_has_the_closed_form() -> None:
    """One client: the variance added in a round is eta^2 sigma^2 (1 - r^(2 tau))/(1 - r^2), r = 1 - eta h."""
    alone = Quadratic([2.0], [[3.0]], noise=1e4)
    seen = trajectory(run(problem=alone, rounds=1), "exact")
    log = np.log1p(-2e-9)
    mean = 3 + np.exp(BILLION * log) * (1 - 3)
    variance = 1e-10 * np.expm1(2 * BILLION * log) / np.expm1(2 * log)
    np.testing.assert_allclose(seen.x[1, 0], mean, rtol=1e-13)
    np.testing.assert_allclose(
        seen.observed["distance_squared"][0, 1], (mean - 3) ** 2 + variance, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fedavg", {}),
        ("fedavg", {"momentum": 0.5}),
        ("fedprox", {"mu": 0.3}),
        ("fednova", {"momentum": 0.4, "mu": 0.2}),
        ("scaffold", {}),
        ("vrlsgd", {}),
        ("mifa", {"wait": False}),
    ],
)
@pytest.mark.parametrize("problem", [LINE, dense()], ids=["line", "dense"])
def test_powers_are_the_steps_one_by_one(
    name: str, options: dict[str, Any], problem: Quadratic, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [40, 57, 31][: problem.m] if name in ("fedavg", "fednova") else 40
    settings: dict[str, Any] = {"eta": 0.02, "local_steps": steps, "options": options}
    if name != "vrlsgd":
        settings["participation"] = {"kind": "uniform", "C": 2 / 3} if problem.m == 3 else "full"
    asked = run(name, problem, **settings)
    one_by_one = StepEngine(asked, 3).trajectory()
    monkeypatch.setattr(step_engine, "_MANY", 10)
    engine = StepEngine(asked, 3)
    at_once = engine.trajectory()
    assert engine._maps  # the maps were asked for
    np.testing.assert_allclose(at_once.x, one_by_one.x, rtol=1e-11, atol=1e-13)


@each("name", ["fedavg", "fednova", "fedprox", "scaffold"])
def test_the_objective_of_a_billion_steps(name: str) -> None:
    found = objective(run(name))
    weights = -np.expm1(BILLION * np.log1p(-1e-9 * H))
    expected = 2.0 if name == "scaffold" else weights @ E / weights.sum()
    assert found.limit.points[0, 0] == pytest.approx(expected, rel=1e-9)
    assert found.surrogate_weights is not None
    np.testing.assert_allclose(found.surrogate_weights, np.array([0.5, 0.5]), rtol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"eta": {"first": 1e-9, "offset": 5.0}},
        {"algorithm": "fednova", "options": {"decay": 0.9}},
    ],
    ids=["falling eta", "decay"],
)
def test_step_sizes_that_differ_are_refused_where_they_would_not_fit(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**34)
    settings = dict(settings)
    name = settings.pop("algorithm", "fedavg")
    with pytest.raises(BoundkitError, match=r"the list of 1,000,000,000 step sizes .*needs about 37\.3 GiB"):
        trajectory(run(name, **settings), "exact")


def test_noise_of_many_local_steps_is_refused_by_the_engine_that_probes_it() -> None:
    asked = run("scaffold", problem=Quadratic(H.tolist(), E[:, None], noise=1.0))
    with pytest.raises(BoundkitError, match="a round draws 2000000000 numbers; up to 50000 are probed"):
        trajectory(asked, "exact")
