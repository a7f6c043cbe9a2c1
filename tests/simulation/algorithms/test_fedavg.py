"""FedAvg's aggregation weights."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import WeightInputs, algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import WithoutReplacement
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.cases import each

EXPECTED = {
    "unbiased": [0.75, 0.3],
    "weighted": [5 / 7, 2 / 7],
    "mean": [1 / 2, 1 / 2],
    "all": [1 / 3, 1 / 3],
    "sum": [0.5, 0.2],
    "known": [1 / 0.6, 1 / 2.4],
}


@each("aggregation", EXPECTED)
def test_weights_under_sampling(aggregation: str) -> None:
    p, clients, q = np.array([0.5, 0.3, 0.2]), [0, 2], [0.2, 0.4, 0.8]
    options = {"aggregation": aggregation} | ({"probabilities": q} if aggregation == "known" else {})
    uniform = WithoutReplacement(3, 2 / 3).distribution(0).first
    probabilities = (np.array(q) if aggregation == "known" else uniform)[clients]
    here = WeightInputs(p[clients], np.ones(2), np.ones(2, dtype=np.intp), 3, np.array([0.1]), probabilities)
    weights = algorithm("fedavg", options).weights(here)
    np.testing.assert_allclose(weights, EXPECTED[aggregation], rtol=1e-14)


def test_unbiased_aggregation_needs_probabilities() -> None:
    run = make_run("fedavg", Quadratic([1.0] * 2, [[0.0], [1.0]]), rounds=2, eta=0.1, schedule=[[0], [1]],
                   options={"aggregation": "unbiased"})  # fmt: skip
    with pytest.raises(BoundkitError, match="needs the inclusion probability of each client"):
        trajectory(run, "step")
