"""FedProx: by gradient steps and exactly."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.simulation.algorithms.uneven import assert_each_runs_as_alone, problem

ENGINES = ["step", "collapsed", "exact"]
SETTING: dict[str, Any] = {"rounds": 8, "eta": 0.1, "x0": [3.0, -1.0]}


def run(options: dict[str, Any], engine: str = "step", steps: Any = 1, **more: Any) -> Any:
    return simulate(
        "fedprox", problem(), engine=engine, local_steps=steps, options=options, **SETTING | more
    ).x


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_pull_it_is_fedavg(engine: str) -> None:
    steps = [2, 5, 1, 3]
    options = {"momentum": 0.5, "server_momentum": 0.25, "aggregation": "mean"}
    fedavg = simulate("fedavg", problem(), local_steps=steps, options=options, **SETTING).x
    np.testing.assert_allclose(run(options | {"mu": 0.0}, engine, steps), fedavg, atol=1e-12)


@pytest.mark.parametrize("momentum", [0.0, 0.6])
def test_the_engines_agree(momentum: float) -> None:
    options = {"mu": 1.5, "momentum": momentum, "server_momentum": 0.3}
    one = run(options, "step", [[2, 5, 1, 3], [1, 2, 2, 4]])
    for engine in ("collapsed", "exact"):
        np.testing.assert_allclose(run(options, engine, [[2, 5, 1, 3], [1, 2, 2, 4]]), one, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_exact_minimiser_is_what_many_steps_tend_to(engine: str) -> None:
    exact = run({"mu": 0.8, "exact": True}, engine)
    np.testing.assert_allclose(run({"mu": 0.8}, "step", 400), exact, atol=1e-12)


def test_inexact_minimisers_leave_that_share_of_the_gradient() -> None:
    mu, gamma = 0.8, 0.3
    alone = Quadratic([[[1.0, 0.25], [0.25, 0.75]]], [[1.0, -2.0]])
    x, y = simulate("fedprox", alone, rounds=1, eta=0.1, x0=[3.0, 1.0],
                    options={"mu": mu, "exact": True, "gamma": gamma}).x  # fmt: skip
    H, e = alone.H[0], alone.e[0]
    at_start, left = H @ (x - e), H @ (y - e) + mu * (y - x)
    np.testing.assert_allclose(np.linalg.norm(left), gamma * np.linalg.norm(at_start), rtol=1e-12)


def test_a_last_round_by_hand() -> None:
    line = Quadratic([2.0], [[1.0]])
    x = simulate("fedprox", line, rounds=1, eta=0.1, local_steps=2, x0=[3.0],
                 options={"mu": 1.0, "momentum": 0.5}).x  # fmt: skip
    first = 3 - 0.1 * 4  # v = 4, no pull yet
    second = first - 0.1 * (0.5 * 4 + 2 * (first - 1) + (first - 3))
    np.testing.assert_allclose(x[1], second, rtol=1e-14)


@pytest.mark.parametrize("options", [{"mu": 0.5}, {"mu": 0.5, "momentum": 0.5, "server_momentum": 0.5}])
def test_replicas_do_not_mind_each_other(options: dict[str, Any]) -> None:
    assert_each_runs_as_alone("fedprox", **options)


def test_what_its_theorems_have_letters_for_is_no_deviation() -> None:
    assert algorithm("fedprox", {"mu": 2.0, "exact": True, "gamma": 0.5}).changed_options() == []
    assert algorithm("fedprox", {"momentum": 0.5}).changed_options() == ["momentum = 0.5"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mu": -1}, "mu of fedprox must be a number from 0"),
        ({"mu": float("inf")}, "mu of fedprox"),
        ({"exact": True}, "need mu above 0"),
        ({"exact": True, "mu": 1, "momentum": 0.5}, "take no momentum"),
        ({"exact": 1, "mu": 1}, "exact of fedprox must be true or false"),
        ({"gamma": 0.5, "mu": 1}, "it needs exact"),
        ({"gamma": 1.5, "mu": 1, "exact": True}, "gamma of fedprox must be a number from 0 up to 1"),
        ({"momentum": 1.0}, "momentum of fedprox"),
    ],
)
def test_values_of_options_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words):
        algorithm("fedprox", options)


def test_exact_minimisers_take_no_steps() -> None:
    with pytest.raises(BoundkitError, match="local_steps must be 1, but it is 4"):
        make_run("fedprox", problem(), rounds=1, eta=0.1, local_steps=[1, 4, 1, 1],
                 options={"mu": 1.0, "exact": True})  # fmt: skip


def test_a_pull_too_weak_for_a_minimum_is_refused() -> None:
    bent = Quadratic([-1.0, 3.0], [[0.0], [1.0]])
    with pytest.raises(BoundkitError, match="too small for a proximal minimum"):
        simulate("fedprox", bent, rounds=1, eta=0.1, options={"mu": 0.5, "exact": True})
