from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.run import make_run
from boundkit.simulation.training_log import read_log, write_log

HEADER = "round,loss,eta\n"


def log(rows: int = 12, start: int = 0, eta: float = 0.1) -> str:
    return "".join(f"{t},{1 / (t + 1)},{eta}\n" for t in range(start, start + rows))


def test_a_simulated_run_is_written_and_read_again(tmp_path: Path) -> None:
    problem = bk.Quadratic(hessians=[1.0, 1.0, 2.0, 1.0], centers=[[0.0], [2.0], [1.0], [3.0]], noise=1.0)
    run = make_run("fedprox", problem, rounds=12, eta=0.1, local_steps=[1, 2, 3, 6], eta_s=2.0,
                   participation={"kind": "uniform", "C": 0.5}, options={"mu": 0.1})  # fmt: skip
    trajectory = bk.simulate(run, replicas=2)
    read = read_log(write_log(tmp_path / "log.csv", run, trajectory))
    assert len(read) == 2
    for k, each in enumerate(read):
        assert each.settings == {"m": 4, "C": 0.5, "tau": 3, "eta": 0.1, "eta_s": 2}
        assert each.algorithm == "fedprox"
        assert each.rounds.tolist() == list(range(13))
        assert np.array_equal(each.values, trajectory.observed["loss"][k])


def test_gaps_and_rounds_without_evaluation_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"{HEADER}{log(6)}7,,0.1\n{log(8, 100)}0,5,0.2\n{log(9, 1, 0.2)}")
    first, second = read_log(path, given={"tau": 3})
    assert first.rounds.tolist() == [0, 1, 2, 3, 4, 5, *range(100, 108)]
    assert second.values[0] == 5
    assert (first.settings, second.settings) == ({"tau": 3, "eta": 0.1}, {"tau": 3, "eta": 0.2})
    path.write_text("step, train\n" + log().replace(",0.1\n", "\n"))
    assert len(read_log(path, "train", "step")[0].rounds) == 12


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        (HEADER, "a header and no rows"),
        ("round;loss\n1;2\n", "separated by semicolons, but those of a log are by commas"),
        (f"{HEADER}{'1' * 200000},1,1\n", "it is no CSV"),
        ("step,loss\n1,2\n", "no one column 'round'; the columns are step, loss: name yours with --round"),
        ("round,train_loss\n1,2\n", "no one column 'loss'; .* --quantity"),
        (f"{HEADER}{log()}12,nan,0.1\n", r"loss is nan in round 12 \(row 14\): that run diverged"),
        (f"{HEADER}{log()}12,inf,0.1\n", "loss is inf in round 12"),
        (f"{HEADER}{log()}12,low,0.1\n", "row 14 has 'low' in the column loss, which is no number"),
        (f"{HEADER}{log()}12,1\n", "row 14 has 2 cells, but there are 3 columns"),
        (f"{HEADER}{log()}nan,1,0.1\n", "row 14 has the round nan, but rounds are numbers from 0 on"),
        (f"{HEADER}{log()}inf,1,0.1\n", "row 14 has the round inf"),
        (f"{HEADER}-1,1,0.1\n{log()}", "row 2 has the round -1"),
        (f"{HEADER}{log(9)}", "has 9 evaluated rounds, but at least 10 are needed"),
        (f"{HEADER}3,1,1\n2,2,1\n1,3,1\n", "round does not increase from row to row; sort the rows by it"),
        (f"{HEADER}{log(6)}{log(6)}", "run 1 has 6 evaluated rounds"),
        (f"{HEADER}{log()}{log(12, 12, 0.01)}", "eta goes from 0.01 to 0.1 within log.csv"),
        (f"{HEADER}{log(eta=0)}", "eta must be above 0 in every row, but is 0 in one"),
        (f"{HEADER}{log()}11,{1 / 12},0.1\n", "row 14 is row 13 again and would count twice"),
        (f"run,{HEADER}a,1,1,1\na,1,2,1\n", "row 3 has round 1 after round 1 of the same run"),
    ],
)
def test_a_log_that_cannot_be_used_has_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(BoundkitError, match=said) as error:
        read_log(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_setting_is_a_column_or_given(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"{HEADER}{log()}")
    with pytest.raises(BoundkitError, match="eta is a column of the log and given besides"):
        read_log(path, given={"eta": 1})
