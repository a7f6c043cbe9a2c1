"""Settings times settings: which runs they make, and what is refused."""

from typing import Any

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.sweeps.simulations import grid_points
from tests.cases import each


def a_run(**changes: Any) -> Run:
    problem = {"kind": "quadratic", "H": [1.0, 0.5], "e": [[0.0], [1.0]]}
    spec = {"problem": problem, "x0": [2.0], "rounds": 5, "eta": 0.1, "local_steps": 2, "noise": 1.0}
    return run_from_spec("fedavg", spec | changes)


def test_every_combination_is_a_run_the_last_axis_fastest() -> None:
    points = grid_points(a_run(), {"eta": [0.1, 0.2], "tau": [1, 4]})
    assert [p.settings for p in points] == [
        {"eta": 0.1, "local_steps": 1}, {"eta": 0.1, "local_steps": 4},
        {"eta": 0.2, "local_steps": 1}, {"eta": 0.2, "local_steps": 4},
    ]  # fmt: skip
    assert [(p.run.eta, p.run.tau) for p in points] == [(0.1, 1), (0.1, 4), (0.2, 1), (0.2, 4)]


def test_each_setting_lands_in_its_field() -> None:
    axes: dict[str, list[Any]] = {
        "eta_s": [2.0], "rounds": [7], "seed": [3], "noise": [0.0], "C": [0.5], "server_momentum": [0.9],
    }  # fmt: skip
    (only,) = grid_points(a_run(), axes)
    spec = only.run.to_json()
    assert {n: spec[n] for n in ("eta_s", "rounds", "seed", "noise")} == {
        "eta_s": 2.0, "rounds": 7, "seed": 3, "noise": 0.0
    }  # fmt: skip
    assert spec["participation"] == {"kind": "uniform", "C": 0.5}
    assert spec["options"] == {"server_momentum": 0.9}


@each(
    ("axes", "message"),
    [
        ({"etta": [1]}, "unknown setting 'etta'; did you mean 'eta'"),
        ({"problem": [1]}, "unknown setting 'problem'"),
        ({"tau": [1], "local_steps": [2]}, "local_steps is given twice"),
        ({"eta": [0.1, 0.2, 0.1]}, "eta has the value 0.1 twice"),
        ({"C": [0.5, 0.3]}, "at C = 0.3: "),
        ({"eta": [0.1, -1], "seed": [0]}, "at eta = -1, seed = 0: eta = -1 was given"),
        ({"eta": [*range(1, 1001)], "seed": [*range(101)]}, "make 101,000 runs"),
    ],
)
def test_mistakes_name_what_is_wrong(axes: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(BoundkitError, match=message):
        grid_points(a_run(), axes)
