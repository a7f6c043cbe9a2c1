from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.training_log import LoggedRun
from boundkit.studies.forecast import Forecast, default_theorem, make_forecast
from boundkit.studies.forecast.fit import curves_of, first_passage, fit_best
from boundkit.studies.forecast.shape import shape_of
from boundkit.theorems import theorem

THEOREM = theorem("fedavg_nonconvex_partial")
SETTINGS = [(0.1, 2, 0.25), (0.05, 2, 0.5), (0.1, 6, 0.25)]


def true_loss(rounds: np.ndarray, eta: float, tau: float, C: float, noise: float = 2.0) -> np.ndarray:
    """1/2 + 1/(1 + u) + 2/(1 + u/5) and a floor of stochastic noise, u = eta tau t."""
    u = eta * tau * rounds
    gap = 1 / (1 + u) + 2 / (1 + u / 5)
    return np.asarray(0.5 + gap + (1 - gap / 3) * noise * eta / (20 * C))


def logged(rounds: int = 60, count: int = 3, wiggle: float = 0.01) -> list[LoggedRun]:
    random, t = np.random.default_rng(0), np.arange(rounds + 1.0)
    runs = []
    for k, (eta, tau, C) in enumerate(SETTINGS[:count]):
        values = true_loss(t, eta, tau, C) + wiggle * random.normal(size=t.shape)
        runs.append(LoggedRun(f"run {k}", t, values, {"m": 20.0, "C": C, "tau": float(tau), "eta": eta}))
    return runs


@pytest.fixture(scope="module")
def forecast() -> Forecast:
    return make_forecast(logged(), THEOREM, target=1.0, at=[{"C": 0.5, "tau": 4}], members=20)


def test_the_shape_of_a_theorem_in_the_settings_of_a_log() -> None:
    at = {"m": 20.0, "C": 0.25, "tau": 3.0, "eta": 0.1, "eta_s": 2.0}
    shape = shape_of(THEOREM)
    assert shape.progress_at(at) == pytest.approx(2 * 0.1 * 3)
    assert dict(zip(shape.terms, shape.terms_at(at), strict=True)) == pytest.approx({
        "stochastic noise": 0.2 / 5, "noise drift": 0.01 * 2, "client drift": 0.01 * 6,
        "partial participation": 0.2 * 3 * 0.75 / (0.25 * 19),
    })  # fmt: skip
    assert not shape.exponential
    contracting = shape_of(theorem("fedavg_pl"))
    assert contracting.exponential
    assert contracting.progress_at(at) == pytest.approx(0.3)
    assert shape_of(theorem("scaffold_nonconvex_partial_explicit")).left_out == ("start-up",)
    for name, said in {
        "fedavg_pl_sampling": "sampling_spread of fedavg_pl_sampling depends on participation",
        "fednova_nonconvex": "depends on participation or steps",
    }.items():
        with pytest.raises(BoundkitError, match=said):
            shape_of(theorem(name))


def test_exponentials_fit_a_theorem_that_contracts() -> None:
    shape, t = shape_of(theorem("fedavg_pl")), np.arange(41.0)
    runs = [replace(run, rounds=t, values=0.5 + 3 * np.exp(-run.settings["eta"] * run.settings["tau"] * t))
            for run in logged(40)]  # fmt: skip
    fit = fit_best(shape, runs, curves_of(shape)[0])
    later = np.array([60.0, 80.0])
    truth = 0.5 + 3 * np.exp(-0.2 * later)
    assert fit(runs[0].settings, later) == pytest.approx(truth, rel=1e-3)


def test_the_rest_of_the_runs_and_another_setting_are_forecast(forecast: Forecast) -> None:
    t = np.arange(3000.0)
    for each in (*forecast.logged, *forecast.others):
        truth = first_passage(t, true_loss(t, *(each.settings[n] for n in ("eta", "tau", "C"))), 1.0)
        if each.settings["tau"] == 6:
            assert each.reached == pytest.approx(truth, rel=0.05)
            continue
        assert each.rounds is not None
        assert each.rounds.low <= truth <= each.rounds.high
        assert each.rounds.value == pytest.approx(truth, rel=0.25)
        assert each.limit is not None
        assert each.limit.low < 0.6
    assert [each.settings["tau"] for each in forecast.others] == [4]
    assert {m.change for m in forecast.marginals()} == {"one more client a round", "tau = 3", "eta = 0.11"}
    assert next(m for m in forecast.marginals() if m.change == "tau = 3").rounds.high < 0


def test_terms_that_the_settings_do_not_tell_apart_are_called_so(forecast: Forecast) -> None:
    assert {t.verdict for t in forecast.terms()} == {"not told apart from the others by these settings"}
    same = [replace(run, settings={**run.settings, "tau": 1.0, "m": 1e9, "C": 1.0}) for run in logged()]
    few = make_forecast(same, THEOREM, members=10)
    assert few.varied == ("eta",)
    assert [t.separate for t in few.terms()] == [
        True,
        False,
        False,
        False,
    ]


def test_intervals_of_an_exponential_decay_are_said_to_be_too_narrow(forecast: Forecast) -> None:
    t = np.arange(41.0)
    run = LoggedRun("run", t, 3 * np.exp(-0.2 * t), {"tau": 2.0, "eta": 0.1})
    assert "these intervals are too narrow" in " ".join(
        make_forecast([run], THEOREM, target=1e-6, members=2).to_text().split()
    )
    assert not forecast.falls_exponentially


def test_answers_that_the_log_does_not_support_are_refused(forecast: Forecast) -> None:
    assert "m is 20 in every logged run" in forecast.at({"m": 40}).refusal
    assert "eta = 1 is more than 2 times beyond the logged values" in forecast.at({"eta": 1}).refusal
    assert "the log does not say eta_s" in forecast.at({"eta_s": 2}).refusal
    low = replace(forecast, target=0.01)
    assert all(each.rounds is None for each in low.logged)
    assert any("0.01 is not reached: loss tends to" in each.refusal for each in low.logged)
    assert low.to_text().startswith("No answer for loss 0.01: ")
    done = replace(forecast, target=1.5).logged[2]
    assert done.rounds is None
    assert done.reached == pytest.approx(first_passage(np.arange(61.0), logged()[2].values, 1.5))
    for values, said in (
        (np.linspace(1, 2, 61), "loss of run 0 rises from 1 to .*: it does not converge, .* smaller steps"),
        (np.linspace(1, 0.95, 61), "falls by less than 10 % in every run"),
        (np.linspace(1, -1, 61), "lies between -1 and 1, but a forecast needs values"),
    ):
        with pytest.raises(BoundkitError, match=said):
            make_forecast([replace(logged()[0], values=values)], THEOREM)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"rounds": np.nan}, "rounds must be a finite number above 0"),
        ({"seed": -1}, "the seed must be at least 0"),
        ({"target": np.inf}, "the target must be a finite number"),
    ]
    for arguments, said in wrong:
        with pytest.raises(BoundkitError, match=said):
            make_forecast(logged(), THEOREM, **arguments)
    two = [replace(run, algorithm=name) for run, name in zip(logged(), ("fedavg", "scaffold"), strict=False)]
    with pytest.raises(BoundkitError, match="runs of fedavg and scaffold"):
        make_forecast(two, THEOREM)
    with pytest.raises(BoundkitError, match=r"tau must be a whole number, but 6\.5"):
        make_forecast(logged(), THEOREM, at=[{"tau": 6.5}], members=1)
    with pytest.raises(BoundkitError, match="cosine is no loss"):
        make_forecast(logged(), THEOREM, quantity="cosine")
    with pytest.raises(BoundkitError, match="is given twice"):
        bk.forecast([Path("a.csv"), "a.csv"])
    with pytest.raises(BoundkitError, match="run 0 has tau and run 1 has not"):
        make_forecast([logged()[0], replace(logged()[1], settings={"m": 20, "C": 0.5, "eta": 0.1})], THEOREM)
    rising = [replace(logged()[0], values=np.linspace(0.1, 0.9, 61))]
    with pytest.raises(
        BoundkitError, match=r"accuracy of run 0 rises .* that falls: .* such as 1 - accuracy"
    ):
        make_forecast(rising, THEOREM, quantity="accuracy")
    assert default_theorem(two) == "scaffold_nonconvex_partial_explicit"


@pytest.mark.parametrize("again", ["round,loss\n", ""], ids=["another file", "the same file"])
@pytest.mark.parametrize("count", [61, 20])
def test_rounds_that_are_logged_twice_do_not_count_twice(tmp_path: Path, again: str, count: int) -> None:
    run = logged(count=1)[0]
    rows = [f"{int(t)},{value}\n" for t, value in zip(run.rounds, run.values, strict=True)]
    first, second = tmp_path / "log.csv", tmp_path / "copy.csv"
    first.write_text(f"round,loss\n{''.join(rows)}")
    with (second if again else first).open("a") as file:
        file.write(again + "".join(rows[:count]))
    with pytest.raises(BoundkitError, match=r"all rounds of (log.csv, run 2|copy.csv) are rounds of log.csv"):
        bk.forecast([first, *([second] if again else [])])


def test_a_round_counter_that_restarts_begins_another_run(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"{t},{1 / (1 + t / 9) + 0.001 * k}\n" for k in range(2) for t in range(20)]
    path.write_text(f"round,loss\n{''.join(rows)}")
    assert [run.name for run in bk.forecast([path]).runs] == ["log.csv, run 1", "log.csv, run 2"]


def test_a_single_answer_is_not_compared() -> None:
    forecast = make_forecast(logged(count=1), THEOREM, target=1.0, members=10)
    assert forecast.to_text().startswith("loss 1 takes ")
    assert "rounds, as logged." in " ".join(forecast.to_text().split("\n\n")[0].split())
    reached = replace(forecast, target=1.5).to_text()
    assert reached.startswith("loss 1.5 was reached after ")
    assert "fewest" not in forecast.to_text() + reached


def test_replicas_and_a_log_without_settings_are_forecast_as_one_run() -> None:
    runs = [
        replace(run, settings={}, values=logged()[0].values + 0.001 * k) for k, run in enumerate(logged())
    ]
    forecast = make_forecast(runs, THEOREM, target=1.0, members=10)
    assert forecast.others == ()
    (one,) = forecast.logged
    t = np.arange(3000.0)
    assert one.rounds is not None
    assert one.rounds.value == pytest.approx(first_passage(t, true_loss(t, *SETTINGS[0]), 1.0), rel=0.25)


def test_a_loss_of_zero_and_an_unlogged_setting_have_answers() -> None:
    run = replace(logged()[0], values=np.maximum(0, 1 - np.arange(61) / 10), settings={})
    forecast = make_forecast([run], THEOREM, at=[{"tau": 4}])
    assert " ".join(forecast.to_text().split("\n\n")[0].split()).endswith(", as logged.")
    assert "the log does not say tau" in forecast.others[0].refusal
