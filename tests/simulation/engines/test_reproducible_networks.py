"""The same seed gives the same run of a network, however replicas are shared out."""

from typing import Any

import numpy as np
import torch

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from tests.cases import each
from tests.simulation.engines.networks import EQUAL, UNEQUAL, network

REPLICAS = 5


def a_run(name: str, options: dict[str, Any], order: str = "independent", steps: Any = EQUAL) -> Run:
    return make_run(
        name, network(order), rounds=3, eta=0.3, local_steps=steps, options=options, x0={"seed": 1},
        participation={"kind": "uniform", "C": 0.5}, seed=3,
    )  # fmt: skip


def once(run: Run, chunk: int = 2, jobs: int = 1) -> Trajectory:
    return StepEngine(run, REPLICAS, chunk=chunk, jobs=jobs).trajectory()


def equal(a: Trajectory, b: Trajectory) -> None:
    assert a.settings == b.settings
    np.testing.assert_array_equal(a.x, b.x)
    assert a.path is not None
    assert b.path is not None
    np.testing.assert_array_equal(a.path, b.path)
    assert set(a.observed) == set(b.observed)
    for name, series in a.observed.items():
        np.testing.assert_array_equal(series, b.observed[name])


@each(
    ("name", "options", "order", "steps"),
    [("fedavg", {}, "independent", EQUAL), ("scaffold", {}, "shuffled", UNEQUAL)],
)
def test_three_processes_give_the_same_bits_as_one(
    name: str, options: dict[str, Any], order: str, steps: Any
) -> None:
    run = a_run(name, options, order, steps)
    equal(once(run), once(run, jobs=3))


def test_the_number_of_processes_does_not_decide_the_chunk() -> None:
    run = a_run("fedavg", {})
    assert {StepEngine(run, 40, jobs=jobs).chunk for jobs in (1, 2, 3)} == {14}  # three chunks of like size


def test_threads_are_as_many_as_before() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        seen: list[int] = []
        run = a_run("fedavg", {})
        StepEngine(run, 1).trajectory(progress=lambda done, total: seen.append(torch.get_num_threads()))
        assert set(seen) == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
