"""Rows and verdicts of settings that are trained on the same draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations._training import (
    Task,
    TrainingResult,
    TrainingSetting,
    staged,
    train,
    tune,
)

TASK = Task({"kind": "iid", "num_partitions": 5}, "softmax", batch=20, l2=0.01)
STEPS: dict[str, Any] = {"eta": 0.1, "local_steps": 3}


def planted(**ends: list[float]) -> TrainingResult:
    """Settings of which nothing but these losses is known."""
    series = {label: {"loss": np.array([[9.0, v] for v in values])} for label, values in ends.items()}
    return TrainingResult(series, 1)


def test_an_interval_that_does_not_hold_1_is_a_verdict() -> None:
    found = planted(a=[1.0, 2.0, 4.0], b=[2.0, 4.2, 7.9])
    low = found.compare("a", "b", theory="lower: reason")
    assert low.found == "lower"
    assert low.value == pytest.approx((1 / 2 * 2 / 4.2 * 4 / 7.9) ** (1 / 3), rel=1e-12)
    logs = np.log([1 / 2, 2 / 4.2, 4 / 7.9])
    margin = 4.302652729911275 * logs.std(ddof=1) / 3**0.5  # Student t, 2 degrees of freedom, 97.5 %
    assert [low.low, low.high] == pytest.approx(
        np.exp([logs.mean() - margin, logs.mean() + margin]), rel=1e-9
    )
    assert found.compare("b", "a").found == "higher"
    assert low.theory == "lower: reason"


def test_unpaired_they_would_not_be_told_apart_and_noise_is_not() -> None:
    """Replicas differ by a factor of 4; what is the same in both drops out."""
    assert planted(a=[1.0, 2.0, 4.0], b=[1.1, 2.2, 4.41]).compare("a", "b").found == "lower"
    assert planted(a=[1.0, 2.0, 4.0], b=[2.0, 1.0, 4.1]).compare("a", "b").found == "not told apart"


def test_differences_are_for_what_may_be_0() -> None:
    found = planted(a=[0.0, 0.1, 0.0], b=[0.5, 0.6, 0.52])
    assert found.compare("a", "b", by="difference").value == pytest.approx(-0.5067, abs=1e-4)
    with pytest.raises(BoundkitError, match="loss is not above 0 everywhere; compare it by difference"):
        found.compare("a", "b")
    with pytest.raises(BoundkitError, match="unknown way to compare 'rati'; did you mean 'ratio'"):
        found.compare("a", "b", by="rati")
    with pytest.raises(BoundkitError, match="unknown setting 'c'"):
        found.compare("a", "c")
    with pytest.raises(BoundkitError, match="unknown observable 'los'; did you mean 'loss'"):
        found.compare("a", "b", "los")


def test_ends_are_means_over_the_last_observed_rounds_and_runs_can_be_ended_early() -> None:
    falling = TrainingResult(
        {"a": {"loss": np.array([[8.0, 4.0, 2.0, 1.0, 0.5], [8.0, 4.0, 2.0, 1.0, 1.5]])}}, 2
    )
    assert falling.each("a", "loss").tolist() == [0.75, 1.25]
    assert falling.until(0.5).each("a", "loss").tolist() == [2.0, 2.0]
    assert falling.until(0.01).each("a", "loss").tolist() == [4.0, 4.0]


def test_two_names_of_one_algorithm_meet_the_same_draws() -> None:
    who = {"participation": {"kind": "uniform", "C": 0.4}}
    settings = [
        TrainingSetting("a", "fedavg", STEPS | who),
        TrainingSetting("b", "fednova", STEPS | who),
        TrainingSetting("c", "fedavg", {**STEPS, **who, "local_steps": 6}),
    ]
    found = train(TASK, settings, rounds=6, replicas=3)
    assert found.compare("a", "b").value == pytest.approx(1, abs=1e-5)
    assert found.compare("c", "a").found == "lower"
    assert np.ptp(found.each("a", "loss")) > 1e-3  # replicas do not
    assert [row.setting for row in found.rows()] == ["a", "b", "c"]


def test_what_diverges_is_said_and_has_no_number() -> None:
    settings = [
        TrainingSetting("wild", "fedavg", {**STEPS, "eta": 1e38}),
        TrainingSetting("tame", "fedavg", STEPS),
    ]
    found = train(TASK, settings, rounds=4, replicas=2)
    assert found.row("wild").loss == float("inf")
    assert np.isfinite(found.row("tame").loss)
    verdict = found.compare("tame", "wild")
    assert verdict.found == "wild diverged"
    assert np.isnan(verdict.value)


def test_pairs_are_observed_at_the_mean_of_two_iterates() -> None:
    common = TrainingSetting("one", "fedavg", STEPS)
    two = TrainingSetting("two", "fedavg", STEPS, pairs=True)
    found = train(TASK, [common, two], rounds=5, replicas=1, looks=2, last=1)
    problem = TASK.problem(0)
    run = simulate("fedavg", problem, rounds=5, seed=0, x0={"seed": 0}, dtype="float32", **STEPS)
    for label, point in (("one", run.x[5]), ("two", (run.x[4] + run.x[5]) / 2)):
        seen = problem.observe(point[None])["loss"]
        assert found.each(label, "loss") == pytest.approx(seen, rel=1e-5)
        assert found.series[label]["loss"].shape == (1, 4)  # rounds 0, 2, 4 and 5


def test_the_best_step_of_a_grid_is_found_on_other_replicas() -> None:
    def make(eta: float) -> TrainingSetting:
        return TrainingSetting("x", "fedavg", {**STEPS, "eta": eta})

    setting, tuned = tune(TASK, "best", (1e-4, 0.3, 1e38), make, rounds=3, replicas=1)
    assert (setting.label, setting.settings["eta"]) == ("best", 0.3)
    assert (tuned.chosen, tuned.tried, tuned.edge) == (0.3, 3, False)
    judged = train(TASK, [setting], rounds=3, replicas=1)
    assert judged.each("best", "loss") != pytest.approx(tuned.loss, rel=1e-3)
    assert tune(TASK, "low", (1e-4, 1e-3), make, rounds=3, replicas=1)[1].edge
    with pytest.raises(BoundkitError, match="wild diverges at every step"):
        tune(TASK, "wild", (1e38, 2e38), make, rounds=3, replicas=1)


def test_stages_add_up_and_labels_are_unlike() -> None:
    told: list[tuple[int, int]] = []
    first, second = staged(lambda done, total: told.append((done, total)), [2, 3])
    assert first is not None
    assert second is not None
    first(2, 2)
    second(1, 3)
    assert told == [(2, 5), (3, 5)]
    assert staged(None, [1, 1]) == [None, None]
    with pytest.raises(BoundkitError, match="labels of their own"):
        train(TASK, [TrainingSetting("a", "fedavg", STEPS)] * 2, rounds=1, replicas=1)
