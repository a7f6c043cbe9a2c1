"""A verdict on each of many theorems."""

import json
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.theorems import catalogue, names, theorem
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.record import read_record
from boundkit.verification.verdict_sweep import verify_all
from tests.readme import blocks
from tests.representatives import REPRESENTATIVES
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = list(catalogue().values())
PAGE = Path(__file__).resolve().parents[2] / "docs" / "run_file.md"


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


def test_a_file_that_is_no_run_is_refused_and_not_inapplicable(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="cannot read"):
        list(verify_all(CATALOGUE, tmp_path / "missing.json"))
    with pytest.raises(BoundkitError, match="rounds must be a whole number"):
        list(verify_all(CATALOGUE, a_file(tmp_path, rounds=0)))


def test_settings_of_the_machine_that_are_wrong_are_refused_and_not_inapplicable(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match=r"\w+: unknown engine 'fast'"):
        list(verify_all(CATALOGUE, a_file(tmp_path), engine="fast"))
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(BoundkitError, match="cannot be written"):
        list(verify_all(CATALOGUE, a_file(tmp_path), out=tmp_path / "out", slopes=False))


def test_what_was_yielded_is_kept_when_the_rest_is_not(tmp_path: Path) -> None:
    records = verify_all(CATALOGUE[:2], a_file(tmp_path), out=tmp_path / "out", slopes=False)
    first = next(records)
    records.close()  # type: ignore[attr-defined]
    assert [p.name for p in (tmp_path / "out").glob("*.nc")] == [f"{first.theorem}.nc"]


def test_the_example_of_the_format_speaks_to_no_theorem_of_equal_weights(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(next(b.text for b in blocks(PAGE.read_text()) if b.language == "json"))
    equal = [t for t in CATALOGUE if t.assumes("equal-weights")]
    assert equal
    assert {r.verdict["verdict"] for r in verify_all(equal, path, slopes=False)} == {"not applicable"}
