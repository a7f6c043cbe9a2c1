"""boundkit objective --skew, and what simulate and objective say of the same run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command

LINE = {
    "problem": {"kind": "quadratic", "H": [1, 1, 1], "e": [[-1.0], [0.2], [2.0]]},
    "x0": [1.0],
    "rounds": 300,
    "eta": 0.01,
    "local_steps": 1,
    "participation": {"kind": "power_of_choice", "count": 1, "d": 2},
}
PLANE = {"kind": "quadratic", "H": [1, 2], "e": [[0, 1], [2, 0]]}
BENT = {"kind": "logcosh", "h": [1, 1], "e": [[0], [1]]}
ALL = {"kind": "power_of_choice", "count": 1, "d": 3}


def written(path: Path, **changes: Any) -> str:
    (path / "run.json").write_text(json.dumps(LINE | changes))
    return str(path / "run.json")


def test_the_three_clients_of_the_page(boundkit: Command, tmp_path: Path) -> None:
    found = boundkit("objective", "--skew", "fedavg", written(tmp_path), "--json").json
    assert found["Gamma"] == pytest.approx(0.76)
    assert found["rho_bar"] == found["reached"] == pytest.approx(0.12044, abs=1e-5)
    assert found["rho_tilde"] == pytest.approx(1.18 / 0.76)
    assert (found["rho_same"], found["exact"], found["trust"]) == (1, True, "exact")
    published, sharp = found["bias"]
    bar, tilde = found["rho_bar"], found["rho_tilde"]
    assert published["rho_bar"] == pytest.approx(8 / 3 * 0.76 * (tilde / bar - 1))
    assert sharp["rho_bar"] == pytest.approx(0.76 * (tilde - bar) / (1 + 3 * bar / 4))
    assert sharp["rho_same"] == pytest.approx(0.76 * (tilde - 1) / (1 + 3 / 4))
    assert found["limit"]["model"] == pytest.approx([0.5])
    assert found["limit"]["loss_gap"] == pytest.approx(0.005)
    assert found["limit"]["weights"] == pytest.approx([0.5, 0, 0.5])
    assert found["optimum"] == pytest.approx([0.4])
    assert (found["along"], found["no_limit"], found["no_bias"], found["note"]) == (None,) * 4


@pytest.mark.parametrize(
    "who", [{"kind": "full"}, {"kind": "uniform", "C": 1 / 3}, {"kind": "with_replacement", "count": 2}]
)
def test_who_is_chosen_whatever_the_losses_is_not_skewed(
    boundkit: Command, tmp_path: Path, who: dict[str, Any]
) -> None:
    found = boundkit("objective", "--skew", "fedavg", written(tmp_path, participation=who), "--json").json
    assert [found["rho_bar"], found["rho_tilde"], found["rho_same"]] == pytest.approx([1, 1, 1])
    assert all(bias["rho_bar"] == 0 for bias in found["bias"])
    assert found["limit"]["loss_gap"] == pytest.approx(0, abs=1e-12)


def test_a_least_skew_of_0_is_told_apart_from_the_run_s(boundkit: Command, tmp_path: Path) -> None:
    path = written(tmp_path, participation=ALL, local_steps=3, rounds=40)
    answer = boundkit("objective", "--skew", "fedavg", path, "--along", "--json").json
    assert answer["rho_bar"] == 0
    assert answer["bias"][0]["rho_bar"] is None  # divided by 0
    versions = [bias["theorem"].rpartition("_")[2] for bias in answer["bias"]]
    assert versions == ["decaying", "sharp"]
    along = answer["along"]
    assert (along["trust"], along["rho_bar"] > 1) == ("local", True)
    assert along["rho_tilde"] >= along["rho_bar"]
    assert 0 <= answer["bias"][1]["along"] < answer["bias"][1]["rho_bar"]
    text = boundkit("objective", "--skew", "fedavg", path, "--along").out
    assert "infinite" in text
    assert "Along the run" in text


def test_within_the_hull(boundkit: Command, tmp_path: Path) -> None:
    uneven = {"kind": "quadratic", "H": [1, 4], "e": [[0.0], [1.0]]}
    path = written(tmp_path, problem=uneven, participation=ALL | {"d": 1})
    line, hull = (
        boundkit("objective", "--skew", "fedavg", path, *words, "--json").json
        for words in ((), ("--within", "hull"))
    )
    assert 0 < line["rho_bar"] <= hull["rho_bar"]
    assert boundkit("objective", "--skew", "fedavg", path, "--within", "0,1", "--json").json == hull
    outside = boundkit(
        "objective", "--skew", "fedavg", written(tmp_path, x0=[3.0]), "--within", "hull", "--json"
    ).json
    assert "x0 = 3, outside [-1, 2]" in outside["note"]


def test_other_averages_are_said_and_have_no_limit(boundkit: Command, tmp_path: Path) -> None:
    uneven = LINE["problem"] | {"p": [0.5, 0.3, 0.2]}  # type: ignore[operator]
    found = boundkit("objective", "--skew", "fedavg", written(tmp_path, problem=uneven), "--json").json
    assert found["limit"] is None
    assert "only 'mean' is plain" in found["note"]
    assert "plain average" in found["no_limit"]
    path = written(tmp_path, problem=uneven, options={"aggregation": "mean"})
    plain = boundkit("objective", "--skew", "fedavg", path, "--json").json
    assert plain["note"] is None
    assert plain["limit"]["loss_gap"] > 0


@pytest.mark.parametrize(
    ("changes", "words", "said"),
    [
        ({"participation": {"kind": "cyclic", "groups": 3}}, (), "cyclic participation has no skew"),
        ({"participation": ALL | {"variant": "rpow"}}, (), "not for the variant 'rpow'"),
        ({"schedule": [[0], [1]]}, (), "schedule participation has no skew"),
        ({"problem": BENT, "participation": {"kind": "full"}}, (), "for quadratic problems, not for logcosh"),
        ({"problem": PLANE, "x0": [0, 0], "participation": {"kind": "full"}}, ("--within", "hull"),
         "within is for problems on a line"),
        ({}, ("--within", "hul"), "--within is hull, or two numbers"),
        ({}, ("--within", "1,2"), "must hold x* = 0.4"),
        ({"eta": 3.0, "rounds": 5000}, ("--along",), "the run diverges in round"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(
    boundkit: Command, tmp_path: Path, changes: dict[str, Any], words: tuple[str, ...], said: str
) -> None:
    answer = boundkit("objective", "--skew", "fedavg", written(tmp_path, **changes), *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_objective_gives_the_end_of_small_steps(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boundkit.simulation.fixed_point._ROUNDS", 300)
    path = written(tmp_path)
    found = boundkit("objective", "fedavg", path, "--json").json
    assert found["surrogate_weights"] is None
    end = found["small_step_limit"]
    assert end["point"] == pytest.approx([0.5])
    assert end["distance_to_optimum"] == pytest.approx(0.1)
    assert end["loss_gap"] == pytest.approx(0.005)
    assert found["fixed_point"] == pytest.approx([0.5], abs=0.01)
    low, high = found["interval"]
    assert low <= 0.1 <= high
    words = ("simulate", "fedavg", path, "--replicas", "10", "--json")
    assert boundkit(*words).json["x"][-1] == pytest.approx([0.5], abs=0.05)
