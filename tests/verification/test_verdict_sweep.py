"""A verdict on each of many theorems."""

import json
from pathlib import Path

import pytest

from boundkit.theorems import catalogue, names, theorem
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.record import read_record
from boundkit.verification.verdict_sweep import verify_all
from tests.representatives import REPRESENTATIVES
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = list(catalogue().values())


def a_file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "run.json"
    problem = {"kind": "quadratic", "H": [1.0, 0.5], "e": [[0.0], [1.0]]}
    spec = {"problem": problem, "x0": [2.0], "rounds": 20, "eta": 0.005, "local_steps": 2}
    path.write_text(json.dumps(spec | changes))
    return path


@pytest.mark.parametrize(
    "among",
    [sorted(REPRESENTATIVES), pytest.param(names(), marks=pytest.mark.slow)],
    ids=["one of each", "all"],
)
def test_one_run_is_put_to_every_theorem_and_each_verdict_is_kept(tmp_path: Path, among: list[str]) -> None:
    records = list(
        verify_all([theorem(n) for n in among], a_file(tmp_path), out=tmp_path / "out", slopes=False)
    )
    assert sum(r.verdict["verdict"] == "holds" for r in records) >= 2
    for record in records:
        of = theorem(record.theorem)
        if of.assumes("one-local-step") or of.rules or reasons_unsupported(of):
            assert record.verdict["verdict"] == "not applicable", record.theorem
        assert record.verdict["verdict"] in ("holds", "not applicable"), record.theorem
        kept = read_record(str(record.verdict["record"]))
        assert kept.verdict == json.loads(json.dumps(record.verdict))


def test_a_function_class_that_the_run_is_not_in_is_not_applicable(tmp_path: Path) -> None:
    problem = {"kind": "smooth_nonconvex", "e": [[1.0], [-1.0]]}
    within = list(free_of_rules().values())
    for record in verify_all(within, a_file(tmp_path, problem=problem, local_steps=1), slopes=False):
        of = theorem(record.theorem)
        if of.assumes("convex") or of.assumes("strongly-convex"):
            assert record.verdict["verdict"] == "not applicable"
            assert "convex losses" in record.verdict["reason"]
        else:
            assert "convex losses" not in record.verdict["reason"]


def test_what_was_yielded_is_kept_when_the_rest_is_not(tmp_path: Path) -> None:
    records = verify_all(CATALOGUE[:2], a_file(tmp_path), out=tmp_path / "out", slopes=False)
    first = next(records)
    records.close()  # type: ignore[attr-defined]
    assert [p.name for p in (tmp_path / "out").glob("*.nc")] == [f"{first.theorem}.nc"]
