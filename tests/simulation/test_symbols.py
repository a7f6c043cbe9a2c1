"""Symbols of theorems as settings of runs, and runs as datasets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.simulation.run_file import read_run
from boundkit.simulation.simulate import as_run

FIELDS: dict[str, Any] = {"hessians": [1.0, 1.0], "centers": [[0.0], [2.0]]}


def test_symbols_stand_for_settings() -> None:
    by_symbol = as_run("fedavg", bk.Quadratic(**FIELDS), T=3, tau=2, sigma=0.5, eta=0.1)
    by_name = as_run("fedavg", bk.Quadratic(**FIELDS, noise=0.5), rounds=3, local_steps=2, eta=0.1)
    assert by_symbol.to_json() == by_name.to_json()
    assert (
        as_run("fedavg", bk.Quadratic(**FIELDS), T=3, noise=0.5, eta=0.1, tau=2).to_json()
        == by_name.to_json()
    )


def test_a_run_file_takes_symbols(tmp_path: Path) -> None:
    run = as_run("fedavg", bk.Quadratic(**FIELDS, noise=0.5), rounds=3, local_steps=2, eta=0.1).to_json()
    symbols = {"rounds": "T", "local_steps": "tau", "noise": "sigma"}
    file = tmp_path / "run.json"
    file.write_text(json.dumps({symbols.get(name, name): value for name, value in run.items()}))
    assert read_run("fedavg", file).to_json() == run
    file.write_text(json.dumps({**run, "T": 3}))
    with pytest.raises(bk.BoundkitError, match="T and rounds are two names of one setting"):
        read_run("fedavg", file)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"T": 3, "rounds": 3}, "T and rounds are two names of one setting; give one of them"),
        ({"T": 3, "sigma": 1.0, "noise": 1.0}, "sigma and noise are two names"),
        ({"T": 3, "sigma": -1.0}, "noise"),
        ({"T": 3, "taus": 1}, "unknown setting of a run 'taus'; did you mean 'tau'"),
    ],
)
def test_a_setting_by_two_names_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(bk.BoundkitError, match=words):
        bk.simulate("fedavg", bk.Quadratic(**FIELDS), eta=0.1, **settings)


def test_a_trajectory_is_a_dataset() -> None:
    run = bk.simulate("fedavg", bk.Quadratic(**FIELDS), T=4, tau=2, sigma=0.5, eta=0.1, replicas=3)
    data = run.to_dataset()
    assert dict(data.sizes) == {"round": 5, "coordinate": 1, "replica": 3}
    assert data["loss_gap"].mean("replica").values == pytest.approx(run.mean("loss_gap"))
    assert data["x"].values.tolist() == run.x.tolist()
    assert data["gradient_norm_squared"].attrs == {
        "long_name": "gradient norm squared",
        "units": "[F]^2/[x]^2",
    }
    assert data.attrs["outcome"] == "done"
    some = bk.simulate("fedavg", bk.Quadratic(**FIELDS), T=4, eta=0.1, every=3).to_dataset()
    assert some["round"].values.tolist() == [0, 3, 4]


def test_a_verdict_is_a_dataset() -> None:
    verdict = bk.verify("sgd_nonconvex", bk.Quadratic(**FIELDS), T=5, eta=0.1, sigma=0.5)
    data = verdict.to_dataset()
    assert verdict.prediction is not None
    assert verdict.measured is not None
    assert verdict.ratio is not None
    assert dict(data.sizes) == {"term": len(verdict.theorem.terms), "horizon": 5}
    assert data["bound"].sum("term").values[-1] == pytest.approx(verdict.prediction.total)
    assert data["measured"].values[-1] == pytest.approx(verdict.measured.value)
    assert data.attrs["verdict"] == verdict.answer == "holds"
    assert data["measured"].attrs["units"] == str(verdict.theorem.claim.dimension)
    assert np.isclose(data.attrs["ratio"], verdict.ratio)
    with pytest.raises(bk.BoundkitError, match="there are no curves"):
        bk.verify(
            "fedavg_nonconvex",
            bk.Quadratic(**FIELDS),
            T=5,
            eta=0.1,
            participation={"kind": "uniform", "C": 0.5},
        ).to_dataset()
