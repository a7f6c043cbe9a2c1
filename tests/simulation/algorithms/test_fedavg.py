"""FedAvg in three engines against a fourth, independent one."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import WeightInputs, algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import WithoutReplacement
from boundkit.simulation.run_file import run_from_spec
from tests.cases import each
from tests.simulation import specs
from tests.simulation.oracle import fedavg


@each("curvature", specs.CURVATURES)
@each("aggregation", specs.AGGREGATIONS)
def test_every_round_agrees_with_an_independent_implementation(aggregation: str, curvature: str) -> None:
    for seed in range(4):
        spec = specs.spec(seed, curvature, aggregation)
        run, expected = run_from_spec("fedavg", spec), fedavg(spec)
        for engine in ("step", "collapsed", "exact"):
            x = trajectory(run, engine).x
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


def test_unbiased_aggregation_needs_probabilities() -> None:
    spec = specs.spec(0) | {"options": {"aggregation": "unbiased"}}
    with pytest.raises(BoundkitError, match="needs the inclusion probability of each client"):
        trajectory(run_from_spec("fedavg", spec), "step")


@each("aggregation", ["unbiased", "weighted", "mean", "all", "sum", "known"])
def test_weights_under_sampling_are_what_the_table_says(aggregation: str) -> None:
    p = np.array([0.5, 0.3, 0.2])
    fedavg_ = algorithm("fedavg", {"aggregation": aggregation} | (
        {"probabilities": [0.2, 0.4, 0.8]} if aggregation == "known" else {}))  # fmt: skip
    came = [0, 2]
    q = (
        np.array([0.2, 0.8])
        if aggregation == "known"
        else WithoutReplacement(3, 2 / 3).distribution(0).first[came]
    )
    expected = {
        "unbiased": [0.75, 0.3],
        "weighted": [5 / 7, 2 / 7],
        "mean": [1 / 2, 1 / 2],
        "all": [1 / 3, 1 / 3],
        "sum": [0.5, 0.2],
        "known": [1 / 0.6, 1 / 2.4],
    }
    here = WeightInputs(p[came], np.ones(2), np.ones(2, dtype=np.intp), 3, np.array([0.1]), q)
    np.testing.assert_allclose(fedavg_.weights(here), expected[aggregation], rtol=1e-14)
