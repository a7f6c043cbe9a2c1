"""Many verdicts at once."""

import json
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.theorems import catalogue
from boundkit.verify.beyond import beyond
from boundkit.verify.record import read_record
from boundkit.verify.sweep import verify_all
from tests.verify.reach import free_of_rules
from tests.verify.test_runfile import VALID

CATALOGUE = list(catalogue().values())


def a_file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "run.json"
    problem = {"kind": "quadratic", "H": [1.0, 0.5], "e": [[0.0], [1.0]]}
    spec = {"problem": problem, "x0": [2.0], "rounds": 20, "eta": 0.005, "local_steps": 2}
    path.write_text(json.dumps(spec | changes))
    return path


def test_one_run_is_put_to_every_theorem_and_each_verdict_is_kept(tmp_path: Path) -> None:
    verdicts = list(verify_all(CATALOGUE, a_file(tmp_path), out=tmp_path / "out", slopes=False))
    for verdict in verdicts:
        other = verdict.theorem.assumes("one-local-step") or verdict.theorem.rules or beyond(verdict.theorem)
        assert verdict.answer == ("not applicable" if other else "holds"), verdict.theorem.name
    assert sum(v.answer == "holds" for v in verdicts) >= 6
    for verdict in verdicts:
        assert read_record(str(verdict.record)).verdict["verdict"] == verdict.answer


def test_a_function_class_that_the_run_is_not_in_is_not_applicable(tmp_path: Path) -> None:
    problem = {"kind": "smooth_nonconvex", "e": [[1.0], [-1.0]]}
    within = list(free_of_rules().values())
    for verdict in verify_all(within, a_file(tmp_path, problem=problem, local_steps=1), slopes=False):
        convex = verdict.theorem.assumes("convex") or verdict.theorem.assumes("strongly-convex")
        assert verdict.answer == ("not applicable" if convex else "holds")
        assert ("convex losses" in verdict.reason) is convex


def test_a_file_that_is_no_run_is_refused_and_not_inapplicable(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="cannot read"):
        list(verify_all(CATALOGUE, tmp_path / "missing.json"))
    with pytest.raises(BoundkitError, match="rounds must be a whole number"):
        list(verify_all(CATALOGUE, a_file(tmp_path, rounds=0)))


def test_settings_of_the_machine_that_are_wrong_are_refused_and_not_inapplicable(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="unknown engine"):
        list(verify_all(CATALOGUE, a_file(tmp_path), engine="fast"))
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(BoundkitError, match="cannot be written"):
        list(verify_all(CATALOGUE, a_file(tmp_path), out=tmp_path / "out", slopes=False))


def test_what_was_yielded_is_kept_when_the_rest_is_not(tmp_path: Path) -> None:
    verdicts = verify_all(CATALOGUE, a_file(tmp_path), out=tmp_path / "out", slopes=False)
    first = next(verdicts)
    verdicts.close()  # type: ignore[attr-defined]
    assert [p.name for p in (tmp_path / "out").iterdir()] == [f"{first.theorem.name}.nc"]


def test_processes_give_the_same_verdicts(tmp_path: Path) -> None:
    given = {"slopes": False, "replicas": 5}
    alone = [v.to_dict() for v in verify_all(CATALOGUE[:2], a_file(tmp_path), **given)]  # type: ignore[arg-type]
    shared = [v.to_dict() for v in verify_all(CATALOGUE[:2], a_file(tmp_path), jobs=2, **given)]  # type: ignore[arg-type]
    assert alone == shared


def test_the_example_of_the_format_speaks_to_no_theorem_of_equal_weights(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(VALID))
    assert {v.answer for v in verify_all(CATALOGUE, path)} == {"not applicable"}
