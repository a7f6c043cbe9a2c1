"""simulate, objective and verify, as a shell would see them."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundkit.cli import main
from boundkit.theorems import theorem
from tests.cases import each
from tests.cli.conftest import Command

ROOT = Path(__file__).resolve().parents[2]
TWO = ROOT / "examples" / "two_clients.json"
HUNDRED = ROOT / "examples" / "hundred_clients.json"
UNEQUAL = ROOT / "examples" / "unequal_steps.json"


def written(path: Path, **changes: Any) -> Path:
    """The two clients of the lecture notes, changed."""
    spec = json.loads(TWO.read_text())
    path.write_text(json.dumps(spec | changes))
    return path


def test_simulate_gives_the_trajectory_round_by_round(boundkit: Command) -> None:
    answer = boundkit("simulate", "fedavg", str(UNEQUAL), "--json").json
    assert {"algorithm", "x", "loss", "gradient_norm_squared", "outcome", "diverged_at"} <= set(answer)
    assert len(answer["x"]) == len(answer["loss"]) == 51
    assert answer["x"][0] == [4.0, 0.0]
    assert answer["x"][2] == answer["x"][3]  # the third round is empty
    assert answer["outcome"] == "done"


def test_simulate_averages_replicas_and_says_how_well(boundkit: Command) -> None:
    words = ("simulate", "fedavg", str(HUNDRED), "--engine", "collapsed", "--replicas", "4", "--json")
    answer = boundkit(*words).json
    errors = answer["standard_errors"]["loss"]
    assert answer["replicas"] == 4
    assert errors[0] < 1e-12
    assert errors[-1] > 0
    assert boundkit(*words, "--seed", "1").json["loss"] != answer["loss"]
    assert boundkit(*words, "--seed", "0").json == answer


def test_simulate_warns_about_a_theorem_only_if_one_is_named(boundkit: Command, tmp_path: Path) -> None:
    path = str(written(tmp_path / "run.json", eta=0.2))
    assert boundkit("simulate", "fedavg", path).err == ""
    answer = boundkit("simulate", "fedavg", path, "--theorem", "fedavg_convex")
    assert (answer.code, answer.out.count("\n") > 3) == (0, True)
    assert answer.err.startswith("warning: fedavg_convex: the step size is outside the condition: eta = 0.2")
    assert answer.err.count("\n") == 1
    inside = str(written(tmp_path / "inside.json", eta=1e-3))
    assert boundkit("simulate", "fedavg", inside, "--theorem", "fedavg_convex").err == ""


@each(
    ("theorem", "said"),
    [
        ("scaffold_nonconvex_partial", "does not apply to this run: it is about scaffold"),
        ("fedavg_strongly_convex_drift_limit", "does not apply to this run: it needs exact gradients"),
    ],
)
def test_simulate_says_why_a_named_theorem_does_not_apply(boundkit: Command, theorem: str, said: str) -> None:
    answer = boundkit("simulate", "fedavg", str(HUNDRED), "--theorem", theorem)
    assert answer.code == 0
    assert answer.err.startswith(f"warning: {theorem} {said}")
    assert answer.err.count("\n") == 1


def test_divergence_is_an_outcome(boundkit: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", eta=1.0, rounds=5000)
    answer = boundkit("simulate", "fedavg", str(path), "--theorem", "fedavg_nonconvex", "--json")
    assert answer.code == 0
    assert answer.json["outcome"] == "diverged"
    assert len(answer.json["x"]) == answer.json["diverged_at"]
    assert np.isfinite(answer.json["loss"]).all()
    assert "outside the condition" in answer.err


@pytest.mark.parametrize("tau", [1, 2, 5, 40])
def test_objective_answers_the_lecture_notes(boundkit: Command, tmp_path: Path, tau: int) -> None:
    path = written(tmp_path / "run.json", local_steps=tau)
    answer = boundkit("objective", "fedavg", str(path), "--json").json
    r1, r2 = 1 - (1 - 0.2) ** tau, 1 - (1 - 0.4) ** tau
    assert answer["fixed_point"][0] == pytest.approx((r1 + 5 * r2) / (r1 + r2), abs=1e-10)
    assert answer["optimum"] == pytest.approx([11 / 3])
    assert answer["distance_to_optimum"] == pytest.approx(abs(answer["fixed_point"][0] - 11 / 3))
    assert answer["surrogate_weights"] == [0.5, 0.5]
    assert answer["exact"] is True


def test_verify_writes_record_and_picture(boundkit: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", eta=0.005)
    words = ("verify", "fedavg_nonconvex", str(path), "--out", str(tmp_path / "records"))
    answer = boundkit(*words, "--plot", str(tmp_path / "bound.svg"), "--json")
    assert answer.code == 0
    verdict = answer.json
    expected = {"theorem", "verdict", "kind", "constants", "ratio", "interval", "untested", "record"}
    assert expected <= set(verdict)
    assert verdict["verdict"] == "holds"
    assert 0 < verdict["ratio"] <= 1
    assert Path(verdict["record"]).is_file()
    assert (tmp_path / "bound.svg").read_text().lstrip().startswith("<?xml")


def test_verify_all_is_a_list(boundkit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small catalogue; what the whole one says is tested by family."""
    some = ("fedavg_strongly_convex_drift_limit_lower", "fedavg_nonconvex_partial", "sgd_strongly_convex")
    monkeypatch.setattr("boundkit.theorems.catalogue", lambda: {name: theorem(name) for name in some})
    answer = boundkit("verify", "--all", "--no-slopes", "--json")
    assert answer.code == 0
    assert {v["theorem"]: v["verdict"] for v in answer.json} == dict.fromkeys(some, "holds")


@pytest.mark.slow
def test_two_jobs_give_the_verdicts_of_one(boundkit: Command) -> None:
    words = ("verify", "--all", str(TWO), "--no-slopes", "--json")
    assert boundkit(*words, "--jobs", "2").json == boundkit(*words).json


def test_a_step_outside_the_condition_is_not_applicable(boundkit: Command) -> None:
    answer = boundkit("verify", "fedavg_nonconvex", str(TWO), "--json")
    assert answer.code == 0
    assert answer.json["verdict"] == "not applicable"
    assert "largest is 0.0161374" in answer.json["reason"]


def test_theorems_that_speak_of_the_run_are_named(boundkit: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", eta=0.001)
    other = boundkit("verify", "fedavg_nonconvex_known_availability", str(path), "--json").json
    assert other["verdict"] == "not applicable"
    assert other["nearest"][0] == "fedavg_nonconvex_beta_kappa"
    assert {"fedavg_nonconvex", "fedavg_convex"} <= set(other["nearest"])
    assert "cyclic_pl_local_sgd" not in other["nearest"]  # it requires groups >= 2
    for name in other["nearest"][:3]:
        assert boundkit("verify", name, str(path), "--no-slopes", "--json").json["verdict"] == "holds"
    said = boundkit("verify", "fedavg_nonconvex_known_availability", str(path)).out
    assert "that apply to this run: " in said
    assert "boundkit list --algorithm fedavg" in said
    assert "nearest" not in boundkit("verify", "fedavg_nonconvex", str(path), "--no-slopes", "--json").json


def test_a_violated_bound_exits_with_one(boundkit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    import boundkit.theorems.sgd_nonconvex as module

    honest = module.THEOREM
    small = tuple(replace(t, expr=t.expr / 3) for t in honest.terms)
    monkeypatch.setattr(module, "THEOREM", replace(honest, terms=small, limits=(), reductions=()))
    answer = boundkit("verify", "sgd_nonconvex", "--no-slopes", "--json")
    assert answer.code == 1
    assert answer.json["verdict"] == "violated"
    assert answer.json["ratio"] > 1


def test_an_interrupted_run_leaves_nothing_and_says_130(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in its third round; tests/simulation/sweeps/test_interrupt.py has a process of its own."""

    @contextmanager
    def pressed(what: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: signal.raise_signal(signal.SIGINT) if done == 3 else None

    monkeypatch.setattr("boundkit.cli.progress.progress", pressed)
    (tmp_path / "run.json").write_text(HUNDRED.read_text())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
    try:
        answer = boundkit(
            "simulate", "fedavg", str(tmp_path / "run.json"), "--out", str(tmp_path / "answer.json")
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert (answer.code, answer.out) == (130, "")
    assert "Traceback" not in answer.err
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115
    monkeypatch.setattr(sys, "stdout", full)
    with pytest.raises(SystemExit) as left:
        main(["list"])
    with suppress(OSError):
        full.close()
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("boundkit: the answer could not be written")


def test_what_is_not_a_file_is_not_replaced_by_one(boundkit: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    answer = boundkit("simulate", "fedavg", str(TWO), "--out", str(pipe))
    assert (answer.code, answer.out) == (2, "")
    assert "it is not a file" in answer.err
    assert pipe.is_fifo()


def test_a_run_that_is_looked_at_now_and_then_says_when(boundkit: Command, tmp_path: Path) -> None:
    spec = json.loads(HUNDRED.read_text()) | {"rounds": 7, "every": 3}
    (tmp_path / "run.json").write_text(json.dumps(spec))
    answer = boundkit("simulate", "fedavg", str(tmp_path / "run.json"))
    rows = [line.split()[0] for line in answer.out.splitlines()[3:]]
    assert rows == ["0", "3", "6", "7"]
