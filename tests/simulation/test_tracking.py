from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.training_log import read_log


def record(path: Path, rounds: range, **options: Any) -> None:
    with bk.track(path, eta=0.1, **options) as log:
        for t in rounds:
            log.round(
                t, loss=1 / (t + 1), before=[0.0, 0.0], after=iter([[1.0, 0.0], [0.0, 2.0]]), steps=[2, 4]
            )


def test_updates_are_described_by_their_norms(tmp_path: Path) -> None:
    with bk.track(tmp_path / "log.csv", eta=0.1, C=0.5, algorithm="fedavg") as log:
        row = log.round(0, loss=1.0, before=np.zeros(2), weights=[3, 1], steps=[2, 4],
                        after=[np.array([1.0, 0.0]), np.array([0.0, 2.0])])  # fmt: skip
        empty = log.round(1, before=np.zeros(2))
    mean = np.array([0.75, 0.5])
    assert row["update_norm_squared"] == pytest.approx(mean @ mean)
    assert row["client_update_norm_squared"] == pytest.approx((3 * 1 + 4) / 4)
    assert row["cosine"] == pytest.approx((3 * 0.75 + 0.5) / 4 / np.linalg.norm(mean))
    assert (row["clients"], row["weight_sum"], row["largest_weight"]) == (2, 4, 3)
    assert (row["tau"], row["fewest_steps"], row["most_steps"]) == (3, 2, 4)
    assert empty["clients"] == 0
    log = bk.track(tmp_path / "added.csv")
    for update in ([1.0, 0.0], [0.0, 2.0]):
        log.add(update)
    plain = log.round(0)
    assert (plain["weight_sum"], plain["largest_weight"]) == (1, 0.5)
    assert plain["update_norm_squared"] == pytest.approx(1.25)
    header = (tmp_path / "log.csv").read_text().splitlines()[0]
    assert header.startswith("round,loss,algorithm,C,tau,eta,fewest_steps")


def test_torch_modules_and_state_dicts_are_models(tmp_path: Path) -> None:
    linear, norm = torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)  # it counts batches in integers
    module = torch.nn.Sequential(linear, norm)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    with torch.no_grad():
        linear.bias.add_(1.0)
    with bk.track(tmp_path / "log.csv") as log:
        row = log.round(0, before=before, after=[module, before])
    assert row["update_norm_squared"] == pytest.approx(3 / 4)
    assert row["client_update_norm_squared"] == pytest.approx(3 / 2)


def test_two_gradients_estimate_noise_and_dissimilarity_without_bias(tmp_path: Path) -> None:
    random, true = np.random.default_rng(0), np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    rows = []
    with bk.track(tmp_path / "log.csv") as log:
        for t in range(3000):
            draws = true + random.normal(size=(2, 3, 2))
            rows.append(log.round(t, gradients=(list(draws[0]), list(draws[1]))))
    mean = {n: np.mean([row[n] for row in rows]) for n in ("gradient_norm_squared", "noise", "dissimilarity")}
    expected = {"gradient_norm_squared": 2.0, "noise": 2.0, "dissimilarity": 4 / 3}
    assert mean == pytest.approx(expected, abs=0.1)


def test_a_log_resumes_and_is_read_by_forecast(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    record(whole, range(20))
    record(parts, range(14))
    with pytest.raises(BoundkitError, match="exists; resume=True continues it"):
        record(parts, range(12, 20))
    record(parts, range(12, 20), resume=True)
    assert parts.read_text() == whole.read_text()
    (run,) = read_log(whole)
    assert run.settings == {"tau": 3, "eta": 0.1}
    assert run.values[-1] == 1 / 20
    with bk.track(tmp_path / "nan.csv", resume=True) as log:
        log.round(0, loss=float("nan"))
    with pytest.raises(BoundkitError, match="loss is nan in round 0"):
        read_log(tmp_path / "nan.csv")


def test_a_round_is_appended_and_a_new_column_rewrites(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    log = bk.track(path, eta=0.1)
    sizes = []
    for t in range(14):
        log.round(t, loss=1 / (t + 1))
        sizes.append((path.stat().st_ino, path.stat().st_size))
    assert len({inode for inode, _ in sizes}) == 1  # written in place
    assert len(read_log(path)[0].rounds) == 14  # without close
    log.round(14, loss=0.01, steps=[3, 4])
    assert path.stat().st_ino != sizes[0][0]
    assert path.read_text().splitlines()[-1] == "14,0.01,3.5,0.1,3.0,4.0"
    with path.open("a") as file:
        file.write("15,0.0")  # killed in the middle of a row
    assert read_log(path)[0].rounds[-1] == 14
    bk.track(path, resume=True).close()
    assert path.read_text().splitlines()[-1] == "14,0.01,3.5,0.1,3.0,4.0"
    log.round(16, loss=0.01)
    path.unlink()
    log.round(17, loss=0.01)
    assert len(path.read_text().splitlines()) == 18


def test_what_cannot_be_recorded_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="setting of a log 'lr'"):
        bk.track(tmp_path / "log.csv", lr=0.1)
    log, own = bk.track(tmp_path / "log.csv"), np.ones(2)
    wrong: list[tuple[dict[str, Any], str]] = [
        (
            {"before": [1.0], "after": [[1.0, 2.0]]},
            "client 0 has 2 parameters, but the model before the round",
        ),
        ({"before": [1.0], "after": [[1.0], [2.0]], "weights": [1]}, "there are 1 weights, but more clients"),
        ({"before": [1.0], "after": [[1.0]], "weights": [-1]}, "weights must be one number at least 0"),
        ({"gradients": ([[1.0]], [])}, "gradients are two sequences"),
        ({"gradients": 1.0}, "gradients are two sequences"),
        ({"gradients": ([[1.0], [1.0, 2.0]], [[1.0], [1.0]])}, "the same number of parameters"),
        ({"before": [1.0], "after": [[1.0]], "weights": [1, 2]}, "there are 2 weights, but 1 clients"),
        ({"before": [1.0], "after": [[1.0], [2.0]], "steps": [1]}, "steps must be one number at least 0"),
        ({"before": [1.0], "after": [[1.0]], "steps": [9], "tau": 4}, "tau = 4 was given, but the steps"),
        ({"before": [1.0], "after": {"weight": own}}, "after must be the models of"),
        ({"after": [[1.0]]}, "without before, the server's"),
        ({"before": own, "after": [own]}, "before and after are the same arrays"),
        ({"loss": "x"}, "loss must be a number"),
        ({"loss": np.ones(2)}, "loss must be a number"),
        ({"norms": {"cosine": None}}, "cosine must be a number"),
    ]
    for arguments, said in wrong:
        with pytest.raises(BoundkitError, match=said):
            log.round(0, **arguments)
    assert log.round(0, before=own, after=[own.copy()])["update_norm_squared"] == 0
    rounds: list[tuple[Any, str]] = [
        (0, "round 0 does not come after round 0"),
        (1.5, "a whole number"),
        (-1, "from 0"),
    ]
    for number, said in rounds:
        with pytest.raises(BoundkitError, match=said):
            log.round(number, loss=1.0)
    assert len(log.rows) == 1
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BoundkitError, match="no log of this recorder"):
        bk.track(tmp_path / "other.csv", resume=True)


def test_a_model_of_whole_numbers_counts_and_an_empty_one_is_refused(tmp_path: Path) -> None:
    row = bk.track(tmp_path / "whole.csv").round(0, before=[0, 0], after=[[3, 4]])
    assert row["update_norm_squared"] == 25
    with pytest.raises(BoundkitError, match="with parameters"):
        bk.track(tmp_path / "empty.csv").round(0, before=[], after=[[1.0]])
