"""What a run leaves behind: intervals, standard errors, JSON without NaN."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.vocabulary import LAST_SQUARED_DISTANCE, MEAN_SQUARED_GRADIENT
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.simulate import simulate
from boundkit.simulation.trajectory import Trajectory


def sampled(series: np.ndarray, random: bool = True) -> Trajectory:
    observed = {"gradient_norm_squared": np.asarray(series, dtype=float)}
    return Trajectory("fedavg", "step", np.zeros((series.shape[1], 1)), observed, random)


def test_the_interval_is_students_over_replicas_and_not_over_rounds() -> None:
    """Rounds of a replica are alike: counting them apart would shrink the interval tenfold."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    seen = sampled(np.repeat(values[:, None], 100, axis=1)).measure(MEAN_SQUARED_GRADIENT)
    error = values.std(ddof=1) / 5**0.5
    assert seen.value == 3
    assert seen.standard_error == pytest.approx(error)
    assert seen.high - seen.value == pytest.approx(4.604095 * error, rel=1e-6)  # t at 99.5 %, 4 degrees
    assert seen.value - seen.low == pytest.approx(seen.high - seen.value)


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        seen = sampled(rng.normal(1.0, 1.0, (8, 4))).measure(MEAN_SQUARED_GRADIENT)
        covered += seen.low <= 1.0 <= seen.high
    assert 0.983 < covered / 2000 < 0.997


def test_what_is_not_random_is_exact() -> None:
    trajectory = sampled(np.arange(5.0)[None], random=False)
    seen = trajectory.measure(MEAN_SQUARED_GRADIENT)
    assert (seen.low, seen.value, seen.high, seen.standard_error) == (1.5, 1.5, 1.5, 0)
    np.testing.assert_array_equal(trajectory.running(MEAN_SQUARED_GRADIENT)[0], [0, 0.5, 1, 1.5])
    assert trajectory.standard_error("gradient_norm_squared").tolist() == [0] * 5


def test_values_near_overflow_have_finite_means_and_errors() -> None:
    trajectory = sampled(np.array([[1e308, 1.0], [1.5e308, 2.0], [1.7e308, 3.0]]))
    told = trajectory.to_dict()
    json.dumps(told, allow_nan=False)
    assert told["gradient_norm_squared"] == pytest.approx([1.4e308, 2.0])
    assert told["standard_errors"]["gradient_norm_squared"][1] == pytest.approx(1 / 3**0.5)


def test_a_run_that_diverged_has_no_end() -> None:
    from dataclasses import replace

    seen = sampled(np.array([[3.0, 1.0], [3.0, 2.0]]))
    name = next(iter(seen.observed))
    assert seen.at_end(name).value == 1.5
    with pytest.raises(BoundkitError, match="diverged in round 2, so it has no final value"):
        replace(seen, outcome="diverged", diverged_at=2).at_end(name)


def test_one_replica_of_a_random_run_knows_nothing_of_its_error() -> None:
    seen = sampled(np.ones((1, 5))).measure(MEAN_SQUARED_GRADIENT)
    assert (seen.low, seen.high) == (-np.inf, np.inf)


def test_json_has_replicas_and_errors_only_for_random_runs() -> None:
    assert sampled(np.ones((1, 3)), random=False).to_dict()["replicas"] is None
    assert "standard_errors" not in sampled(np.ones((1, 3))).to_dict()
    assert sampled(np.ones((4, 3))).to_dict()["replicas"] == 4


def test_what_was_not_observed_is_named() -> None:
    with pytest.raises(BoundkitError, match="this problem has no distance squared to measure"):
        sampled(np.ones((2, 3))).measure(LAST_SQUARED_DISTANCE)


def test_options_of_the_algorithm_are_named_where_they_are_not_the_papers() -> None:
    problem, settings = Quadratic.random(2, 1), dict[str, Any](rounds=2, eta=0.1)
    assert simulate("fedavgm", problem, **settings).to_text().startswith("fedavgm: 2 rounds")
    for engine in ("step", "exact"):
        run = simulate("fedavgm", problem, engine=engine, options={"server_momentum": 0.5}, **settings)
        assert run.to_dict()["options"] == ["server_momentum = 0.5"]
        assert run.to_text().startswith("fedavgm (server_momentum = 0.5): 2 rounds")
    half = {"matrix": np.full((2, 2), 0.5)}
    assert "matrix = array" in simulate("gossip_sgd", problem, options=half, **settings).to_text()
    wide = replace(run, options=("matrix = " + str([[0.25] * 9] * 9),))
    assert "(matrix = [[0.25, 0.25, 0.25, 0.25, ...): 2 rounds" in wide.to_text()
