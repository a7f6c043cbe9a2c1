"""FedAvg in three engines against a fourth, independent one."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ALGORITHMS, WeightInputs, algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import Uniform
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.simulation.run_file import run_from_spec
from tests.simulation import specs
from tests.simulation.oracle import fedavg


@pytest.mark.parametrize("engine", ["step", "collapsed", "exact"])
@pytest.mark.parametrize("curvature", specs.CURVATURES)
@pytest.mark.parametrize("aggregation", specs.AGGREGATIONS)
def test_every_round_agrees_with_an_independent_implementation(
    aggregation: str, curvature: str, engine: str
) -> None:
    for seed in range(4):
        spec = specs.spec(seed, curvature, aggregation)
        expected = fedavg(spec)
        x = trajectory(run_from_spec("fedavg", spec), engine).x
        np.testing.assert_allclose(x, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("engine", ["step", "collapsed", "exact"])
def test_a_round_without_clients_leaves_model_and_momentum(engine: str) -> None:
    spec = specs.spec(1, "dense")
    spec["options"] = {"server_momentum": 0.5}
    spec["schedule"], spec["rounds"] = [[0], [], [], [1]], 4
    x = trajectory(run_from_spec("fedavg", spec), engine).x
    assert np.array_equal(x[1], x[2])
    assert np.array_equal(x[2], x[3])
    spec["schedule"], spec["rounds"] = [[0], [1]], 2
    np.testing.assert_allclose(trajectory(run_from_spec("fedavg", spec), engine).x[-1], x[-1], atol=1e-12)


@pytest.mark.parametrize("engine", ["step", "collapsed", "exact"])
def test_clients_without_weight_that_come_alone_let_momentum_roll_on(engine: str) -> None:
    spec = specs.spec(1, "scalar")
    m = len(spec["problem"]["e"])
    spec["problem"]["p"] = [1.0] + [0.0] * (m - 1)
    spec["options"] = {"server_momentum": 0.5}
    spec["schedule"], spec["rounds"] = [[0], [1]], 2
    x = trajectory(run_from_spec("fedavg", spec), engine).x
    np.testing.assert_allclose(x[2] - x[1], 0.5 * (x[1] - x[0]), atol=1e-12)


def test_minibatch_sgd_is_fedavg_with_one_step() -> None:
    spec = specs.spec(2, "dense")
    spec["local_steps"], spec["options"] = 1, {}
    one = trajectory(run_from_spec("minibatch_sgd", spec), "step").x
    np.testing.assert_array_equal(one, trajectory(run_from_spec("fedavg", spec), "step").x)


def test_minibatch_sgd_refuses_more() -> None:
    spec = specs.spec(2) | {"local_steps": 3, "options": {}}
    with pytest.raises(BoundkitError, match="local_steps must be 1, but it is 3"):
        run_from_spec("minibatch_sgd", spec)


@pytest.mark.parametrize("name", [n for n, a in ALGORITHMS.items() if a.options])
def test_options_are_checked_by_name(name: str) -> None:
    option = next(iter(ALGORITHMS[name].options))
    with pytest.raises(BoundkitError, match=f"unknown option of {name} '{option}x'.*'{option}'"):
        algorithm(name, {option + "x": 1})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_default_option_is_no_deviation(name: str) -> None:
    assert algorithm(name, ALGORITHMS[name].options).changed_options() == []


def test_another_option_is_one() -> None:
    assert algorithm("fedavg", {"server_momentum": 0.25}).changed_options() == ["server_momentum = 0.25"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"momentum": 1.0}, "momentum of fedavg must be a number from 0 up to, not including, 1"),
        ({"momentum": -0.1}, "momentum of fedavg"),
        ({"momentum": True}, "momentum of fedavg .* it is True"),
        ({"server_momentum": "a lot"}, "server_momentum of fedavg"),
        ({"server_momentum": float("nan")}, "server_momentum of fedavg"),
        ({"aggregation": "weigthed"}, "unknown aggregation 'weigthed'; did you mean 'weighted'"),
        ({"aggregation": ["mean"]}, "unknown aggregation"),
        ({"aggregation": "known"}, "probabilities"),
        ({"probabilities": [0.5, 0.5]}, "needs the option probabilities, and no other"),
    ],
)
def test_values_of_options_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words):
        algorithm("fedavg", options)


@pytest.mark.parametrize("q", [[0.5], [0.5, 0.0, 1.0], [0.5, 1.5, 1.0], [True, 0.5, 0.5], "abc", {"a": 1}])
def test_known_probabilities_must_be_one_a_client(q: Any) -> None:
    options = {"aggregation": "known", "probabilities": q}
    with pytest.raises(BoundkitError, match="probabilities of fedavg must be 3 numbers"):
        make_run("fedavg", Quadratic([1.0] * 3, np.zeros((3, 1))), rounds=1, eta=0.1, options=options)


def test_unbiased_aggregation_needs_probabilities() -> None:
    spec = specs.spec(0) | {"options": {"aggregation": "unbiased"}}
    with pytest.raises(BoundkitError, match="needs the inclusion probability of each client"):
        trajectory(run_from_spec("fedavg", spec), "step")


@pytest.mark.parametrize("aggregation", ["unbiased", "weighted", "mean", "all", "known"])
def test_weights_under_sampling_are_what_the_table_says(aggregation: str) -> None:
    p = np.array([0.5, 0.3, 0.2])
    fedavg_ = algorithm("fedavg", {"aggregation": aggregation} | (
        {"probabilities": [0.2, 0.4, 0.8]} if aggregation == "known" else {}))  # fmt: skip
    came = [0, 2]
    q = np.array([0.2, 0.8]) if aggregation == "known" else Uniform(3, 2 / 3).distribution(0).first[came]
    expected = {
        "unbiased": [0.75, 0.3],
        "weighted": [5 / 7, 2 / 7],
        "mean": [1 / 2, 1 / 2],
        "all": [1 / 3, 1 / 3],
        "known": [1 / 0.6, 1 / 2.4],
    }
    here = WeightInputs(p[came], np.ones(2), np.ones(2, dtype=np.intp), 3, np.array([0.1]), q)
    np.testing.assert_allclose(fedavg_.weights(here), expected[aggregation], rtol=1e-14)
