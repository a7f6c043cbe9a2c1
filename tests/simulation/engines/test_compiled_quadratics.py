"""The compiled local steps of runs on quadratics are those of arrays."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Local, Message, Round, State, algorithm
from boundkit.simulation.engines import StepEngine, local_steps
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from tests.cases import each
from tests.simulation.algorithms.options import CASES

compiled = pytest.importorskip(
    "boundkit.simulation.problems.compiled_quadratic", reason="needs numba, the extra fast"
)

M, D, R = 4, 19, 11
STEPS = {"axes": [5, 3, 1, 4], "hessians": 2, "diagonal": [5, 3, 1, 4]}
PARTICIPATION: dict[str, dict[str, Any]] = {
    "uniform": {"kind": "uniform", "C": 0.5},
    "ragged": {"kind": "bernoulli", "probabilities": [0.6, 0.3, 0.9, 0.5]},
}
PRECISIONS = ["float64", "float32"]


def served(case: tuple[str, dict[str, Any]]) -> bool:
    """Whether steps are linear, and none of them is observed."""
    rule = algorithm(*case)
    return rule.linear_steps and not rule.virtual


def run(name: str = "fedavg", kind: str = "axes", noise: Any = 0.5, **settings: Any) -> Run:
    """A run whose steps are in the clients' axes, or with a product for each, or by coordinate."""
    problem = Quadratic.random(M, D, dense=kind != "diagonal", noise=noise if noise != "bounded" else 0.5)
    problem = problem.with_bounded_noise() if noise == "bounded" else problem
    settings = {"rounds": 6, "eta": 0.1, "local_steps": STEPS[kind], **settings}
    for steps in (STEPS[kind], 3):
        with suppress(BoundkitError):  # some algorithms need equal numbers of steps, and one a single step
            return make_run(name, problem, **settings | {"local_steps": steps})
    return make_run(name, problem, **settings | {"local_steps": 1})


def trajectory(asked: Run, dtype: str, monkeypatch: pytest.MonkeyPatch, chunk: int = R) -> Trajectory:
    """The run with all local steps taken by the compiled function."""
    taken = 0
    take = compiled.take_local_steps

    def counted(*args: Any, **more: Any) -> Any:
        nonlocal taken
        taken += 1
        return take(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(local_steps, "_LOADING", 0)
        patch.setattr(compiled, "take_local_steps", counted)
        found = StepEngine(asked, R, dtype, chunk=chunk).trajectory()
    assert taken
    return found


def agree(found: Trajectory, expected: Trajectory, dtype: str) -> None:
    assert found.observed.keys() == expected.observed.keys()
    assert_near(found.x, expected.x, dtype, "x")
    for name, values in expected.observed.items():
        assert_near(found.observed[name], values, dtype, name)


def assert_near(found: Any, expected: Any, dtype: str, name: str) -> None:
    bound = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * abs(expected).max(), err_msg=name)


@pytest.mark.slow
@each("dtype", PRECISIONS)
@each("case", filter(served, CASES), ids=str)
@each("kind", list(STEPS))
def test_algorithms(
    case: tuple[str, dict[str, Any]], kind: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The local states of a first round, and in float64 whole runs: some servers divide by small numbers."""
    name, options = case
    asked = run(name, kind, options=options, participation=PARTICIPATION["uniform"], rounds=3)
    message, states = asked.algorithm.message, list[Local]()

    def recorded(state: State, local: Local, round: Round) -> Message:
        states.append(local)
        return message(state, local, round)

    monkeypatch.setattr(asked.algorithm, "message", recorded)
    expected = StepEngine(asked, R, dtype, compiled=False).trajectory()
    found = trajectory(asked, dtype, monkeypatch)
    before, after = states[0], states[len(states) // 2]
    assert before.keys() == after.keys()
    for vector, values in before.items():
        assert_near(after[vector], values, dtype, vector)
    if dtype == "float64":
        agree(found, expected, dtype)


@pytest.mark.slow
@each("dtype", PRECISIONS)
@each("noise", [0.0, 0.5, "bounded"])
@each("participation", list(PARTICIPATION))
@each("kind", list(STEPS))
def test_noise_and_participation(
    noise: Any, participation: str, kind: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a step size that decreases, and in blocks of steps: as many as fit, one, and without noise two."""
    asked = run("fednova", kind, noise, options={"momentum": 0.5}, participation=PARTICIPATION[participation])
    expected = StepEngine(asked, R, dtype, compiled=False).trajectory()
    agree(trajectory(asked, dtype, monkeypatch), expected, dtype)
    monkeypatch.setattr("boundkit.simulation.engines.stochastic_gradients._BYTES", 1)
    monkeypatch.setattr(compiled, "_NUMBERS", 2 * R * M * D)
    agree(trajectory(asked, dtype, monkeypatch), expected, dtype)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit by bit, and the arrays' numbers up to rounding."""
    asked = run("scaffold", participation=PARTICIPATION["uniform"])
    whole, parts = (trajectory(asked, "float64", monkeypatch, chunk) for chunk in (R, 4))
    agree(whole, StepEngine(asked, R, compiled=False).trajectory(), "float64")
    for name, values in whole.observed.items():
        np.testing.assert_array_equal(parts.observed[name], values)


@pytest.mark.slow
def test_runs_that_diverge_end_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = run(eta=1e50)
    expected = StepEngine(asked, R, compiled=False).trajectory()
    found = trajectory(asked, "float64", monkeypatch)
    assert found.outcome == expected.outcome == "diverged"
    assert found.diverged_at == expected.diverged_at


@each("settings", [{"kind": "diagonal"}, {}, {"name": "local_sgd"}, {"name": "local_adaptive"}])
def test_other_steps_and_short_runs_are_left_to_arrays(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short runs, steps that are observed, and steps that are not linear; also vectors of many numbers."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the compiled function was called")

    monkeypatch.setattr(compiled, "take_local_steps", refuse)
    if settings:
        monkeypatch.setattr(local_steps, "_LOADING", 0)
    if "kind" in settings:
        monkeypatch.setattr(compiled, "LARGEST", D - 1)
    assert StepEngine(run(**settings), R).trajectory().outcome == "done"


def test_a_failure_is_reported_once_and_draws_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("no compiler\nand more")

    asked = run()
    expected = StepEngine(asked, R, compiled=False).trajectory()
    monkeypatch.setattr(local_steps, "_LOADING", 0)
    monkeypatch.setattr(local_steps, "_failed", False)
    monkeypatch.setattr(compiled, "_take_steps", fails)
    with pytest.warns(UserWarning, match="^local steps are not compiled, because numba fails here: no comp"):
        found = StepEngine(asked, R).trajectory()
    np.testing.assert_array_equal(found.x, expected.x)


@pytest.mark.slow
def test_an_interrupt_between_blocks_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = run()
    engine = StepEngine(asked, R)
    expected = trajectory(asked, "float64", monkeypatch)
    monkeypatch.setattr(local_steps, "_LOADING", 0)

    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.trajectory(interrupt)
    np.testing.assert_array_equal(engine.trajectory().x, expected.x)


def test_an_exception_of_the_caller_is_no_failure_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_steps, "_failed", False)
    stopped = ValueError("a report of progress stops the run")

    def take(module: Any) -> None:
        raise stopped

    with pytest.raises(ValueError, match="stops the run"):
        local_steps.by_compiled_function(local_steps.QUADRATICS, take, [stopped])
    assert not local_steps._failed
    with pytest.warns(UserWarning, match="numba fails here"):
        assert local_steps.by_compiled_function(local_steps.QUADRATICS, take) is None
