"""Local steps on mini-batches: the same whatever blocks they are taken in, in place or not."""

from typing import Any, ClassVar

import numpy as np
import pytest
import torch

import boundkit as bk
from boundkit.simulation.algorithms import Algorithm, Local, Round
from boundkit.simulation.algorithms.fedavg import FedAvg
from boundkit.simulation.arrays import is_torch_array, to_numpy
from boundkit.simulation.engines import local_steps, step_engine
from boundkit.simulation.engines.stochastic_gradients import Minibatches
from boundkit.simulation.trajectory import Trajectory
from tests.simulation.engines.networks import CASES, EQUAL, UNEQUAL, network

SETTINGS: dict[str, Any] = {
    "rounds": 3, "eta": 0.3, "replicas": 3, "participation": {"kind": "uniform", "C": 0.5}, "x0": {"seed": 1}
}  # fmt: skip


@pytest.fixture
def arrays_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all steps on arrays: the compiled function has neither blocks nor steps in place."""
    monkeypatch.setattr(local_steps, "_failed", True)


def run(name: str, options: dict[str, Any], order: str, steps: Any, **more: Any) -> Trajectory:
    return bk.simulate(name, network(order), local_steps=steps, options=options, **SETTINGS | more)


def agree(a: Trajectory, b: Trajectory) -> None:
    np.testing.assert_allclose(a.x, b.x, rtol=1e-12, atol=1e-14)
    for name, series in a.observed.items():
        np.testing.assert_allclose(series, b.observed[name], rtol=1e-12, atol=1e-14)


@pytest.mark.usefixtures("arrays_only")
@pytest.mark.parametrize(("order", "steps"), [("independent", EQUAL), ("shuffled", UNEQUAL)])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_blocks_change_nothing(
    name: str, options: dict[str, Any], steps: Any, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(name, options, order, steps)
    for pairs in (1, 4):
        monkeypatch.setattr(local_steps, "pairs_in_a_block", lambda d, itemsize, pairs=pairs: pairs)
        monkeypatch.setattr(local_steps, "_AHEAD", 1)
        agree(whole, run(name, options, order, steps))


@pytest.mark.usefixtures("arrays_only")
@pytest.mark.parametrize("steps", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("l2", [0.0, 0.1])
@pytest.mark.parametrize("name", ["fedavg", "fedvarp"])
def test_steps_in_place_are_the_steps_of_the_algorithm(
    name: str, l2: float, steps: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once() -> Trajectory:
        return bk.simulate(name, network("shuffled", l2=l2), local_steps=steps, **SETTINGS)

    in_place = once()
    for kind in (Algorithm, FedAvg):
        monkeypatch.setattr(kind, "plain_steps", False)
    agree(in_place, once())


@pytest.mark.usefixtures("arrays_only")
@pytest.mark.parametrize(
    ("order", "steps", "dtype"), [("independent", EQUAL, "float64"), ("shuffled", UNEQUAL, "float32")]
)
@pytest.mark.parametrize(("name", "options"), CASES)
def test_local_steps_of_numpy_and_torch_agree(
    name: str, options: dict[str, Any], dtype: str, order: str, steps: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All local steps of each round are taken once more by the other library."""
    take, compared = local_steps.take_local_steps, 0

    def by_both(algorithm: Algorithm, local: Local, around: Round, batches: Minibatches, _: bool) -> Local:
        nonlocal compared
        own = take(algorithm, local, around, batches)
        other = {n: to_numpy(v) if is_torch_array(v) else torch.as_tensor(v.copy()) for n, v in local.items()}
        for key, value in take(algorithm, other, around, batches).items():
            assert is_torch_array(value) != is_torch_array(own[key])
            size = 1e-12 if dtype == "float64" else 1e-5
            expected = to_numpy(own[key])
            np.testing.assert_allclose(to_numpy(value), expected, rtol=0, atol=size * abs(expected).max())
            compared += 1
        return own

    monkeypatch.setattr(step_engine, "take_local_steps", by_both)
    run(name, options, order, steps, dtype=dtype)
    assert compared >= SETTINGS["rounds"]


def test_algorithms_whose_steps_are_plain_or_linear() -> None:
    for name in ("fedavg", "minibatch_sgd", "mifa", "fedvarp", "fedexp", "fedawe", "fednova"):
        assert bk_algorithm(name).plain_steps, name
    for name, options in (("fedavg", {"momentum": 0.9}), ("fedprox", {"mu": 0.1}), ("fednova", {"mu": 0.1})):
        assert not bk_algorithm(name, **options).plain_steps, name
        assert bk_algorithm(name, **options).linear_steps, name
    assert bk_algorithm("vrlsgd").linear_steps
    assert not bk_algorithm("fedprox", mu=0.1, exact=True).linear_steps
    for name in ("celgc", "episode"):
        assert not bk_algorithm(name, gamma=0.1).linear_steps, name


def bk_algorithm(name: str, **options: Any) -> Algorithm:
    from boundkit.simulation.algorithms import algorithm

    return algorithm(name, options)


class Remembering(Algorithm):
    """Keeps what an engine may write over: the last model and the last gradient."""

    name = "remembering"
    reference = ""
    options: ClassVar[dict[str, Any]] = {}

    def local_start(self, state: Any, round: Any, oracle: Any) -> Any:
        y = super().local_start(state, round, oracle)["y"]
        return {"y": y, "last": y, "g": y * 0}

    def local_step(self, local: Any, gradient: torch.Tensor, eta: float) -> Any:
        y = local["y"] - eta * gradient + 0.5 * (local["y"] - local["last"]) - 0.1 * eta * local["g"]
        return {"y": y, "last": local["y"], "g": gradient}

    def server_step(self, state: Any, received: Any) -> Any:
        return {"x": state["x"] - received.aggregate}


@pytest.mark.parametrize("steps", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_an_algorithm_may_keep_what_it_was_given(steps: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from boundkit.simulation.engines import StepEngine
    from boundkit.simulation.run import make_run

    settings = {n: v for n, v in SETTINGS.items() if n != "replicas"}
    asked = replace(make_run("fedavg", network(), local_steps=steps, **settings), algorithm=Remembering())
    fast = StepEngine(asked, 3).trajectory()
    monkeypatch.setattr(StepEngine, "_observes_steps", True)  # every step of everybody, without blocks
    monkeypatch.setattr(
        "boundkit.simulation.engines.recorder.RoundRecorder.observe_local_step", lambda *_: None
    )
    agree(fast, StepEngine(asked, 3).trajectory())
