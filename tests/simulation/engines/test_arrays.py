"""Contract of the engines on arrays: on the same draws, numpy and torch compute the same runs to rounding."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import is_torch_array
from boundkit.simulation.engines import StepEngine, trajectory
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.algorithms.options import CASES as ALGORITHMS
from tests.simulation.engines.networks import network
from tests.simulation.participation.kinds import SPECS
from tests.simulation.problems.families import FAMILIES

pytest.importorskip("torch")

LIBRARIES = ("numpy", "torch")
CLIENTS: dict[str, Problem] = {
    "diagonal": Quadratic.random(4, 3, seed=1, noise=0.3),
    "dense": Quadratic.random(4, 3, seed=2, dense=True, noise=0.3),
}
CLOSE = {"float64": 1e-12, "float32": 2e-5}


def a_run(name: str, options: dict[str, Any], problem: Problem, **settings: Any) -> Run:
    given = {"rounds": 5, "eta": 0.05, "local_steps": 3, "seed": 3, "options": options} | settings
    return make_run(name, problem, **given)


def sampled_run(name: str, options: dict[str, Any], problem: Problem, **settings: Any) -> Run:
    steps: Any = [[1, 3, 4, 2], [4, 4, 4, 4]]
    if name in ("async_sgd", "ef21", "feddyn", "minibatch_sgd", "scaffnew", "dane") or "exact" in options:
        steps = 1
    elif name == "adacomm" and not options:
        steps = 3
    sampled = {"kind": "uniform", "C": 0.5}
    return a_run(name, options, problem, local_steps=steps, participation=sampled, **settings)


def agree(run: Run, engine: str = "step", dtype: str = "float64", draws: str = "streams") -> None:
    """The trajectories with numpy and with torch agree, relative to the largest number of each series."""
    array, tensor = (trajectory(run, engine, 3, dtype, draws=draws, arrays=name) for name in LIBRARIES)
    if not array.settings:
        return  # exact moments
    assert [array.settings["arrays"], tensor.settings["arrays"]] == [*LIBRARIES]
    assert (array.outcome, array.random) == (tensor.outcome, tensor.random)
    first, second = ({"x": t.x, **t.models, **t.observed} for t in (array, tensor))
    assert first.keys() == second.keys()
    size = max(1.0, *(np.abs(first[name]).max() for name in ("x", "loss")))
    for name, series in first.items():
        scale = max(np.abs(series).max(), size * np.finfo(float).eps * 100)
        expected = series / scale
        np.testing.assert_allclose(second[name] / scale, expected, rtol=0, atol=CLOSE[dtype], err_msg=name)


@each("name, options", ALGORITHMS)
def test_algorithms(name: str, options: dict[str, Any]) -> None:
    agree(sampled_run(name, options, CLIENTS["dense"]))


@each("problem", ["diagonal", "dense"])
@each("name, options", ALGORITHMS)
def test_collapsed_rounds(name: str, options: dict[str, Any], problem: str) -> None:
    run = sampled_run(name, options, CLIENTS[problem])
    if run.algorithm.affine and run.algorithm.stateless:
        agree(run, "collapsed")


@each("kind", SPECS)
def test_participation(kind: str) -> None:
    problem = Quadratic.random(6, 3, seed=1, dense=True, noise=0.3)
    for name, dtype in (("fedavg", "float32"), ("scaffold", "float64")):
        agree(a_run(name, {}, problem, participation=SPECS[kind], x0=np.ones(3)), dtype=dtype)


@each("family", FAMILIES)
def test_problems(family: str) -> None:
    problem = FAMILIES[family]()
    x0 = None if problem.kind == "network" else np.full(problem.d, 0.1)
    agree(a_run("scaffold", {}, problem, eta=0.01, x0=x0))


@each("order", ["independent", "shuffled"])
@each("dtype", CLOSE)
def test_mini_batches(order: str, dtype: str) -> None:
    problem = network(order, l2=0.1)
    for name, participation in (("fedavg", {"kind": "uniform", "C": 0.5}), ("fedvarp", {"kind": "full"})):
        run = a_run(name, {}, problem, participation=participation, x0={"seed": 1})
        agree(run, dtype=dtype)
        if order == "independent":
            agree(run, dtype=dtype, draws="counter")


@each("name, options", ALGORITHMS)
def test_states_have_the_library_and_the_precision_of_the_run(name: str, options: dict[str, Any]) -> None:
    run = sampled_run(name, options, CLIENTS["dense"], rounds=2)
    for library in LIBRARIES:
        for _, state in StepEngine(run, 2, "float32", arrays=library).states():
            for key, value in state.items():
                assert is_torch_array(value) == (library == "torch"), key
                assert key in run.algorithm.counters or value.dtype.itemsize == 4, key


def test_a_library_that_is_unknown_or_does_not_serve_the_device() -> None:
    run = a_run("fedavg", {}, CLIENTS["diagonal"])
    with pytest.raises(BoundkitError, match="numpy"):
        trajectory(run, "step", arrays="jax")
