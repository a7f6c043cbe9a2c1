"""Reports on mutants counted: nothing is lost, survivors are told one by one, broken files are refused."""

import json
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.mutation.mutant import MutantResult
from boundkit.attack.mutation.report import NAME, Mutation, count_outcomes, read_counts
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.sweeps.result_store import ResultStore
from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
from tests.verification.damage import NESTED

JUDGED = (
    MutantResult("exponent", "initial gap", "initial gap: T for T^2", "killed", "dimension", "wrong"),
    MutantResult("exponent", "client drift", "client drift: tau for tau^2", "killed", "slope", "steep"),
    MutantResult("constant", "client drift", "client drift: 1 for 2", "inside slack", "", "half is needed"),
    MutantResult("constant", "client drift", "client drift: 1/2 for 2", "inside slack", "", "half is needed"),
    MutantResult("exponent", "client drift", "client drift: L for L^2", "survived", "", "nobody knows"),
    MutantResult("dropped", "noise drift", "noise drift: left out", "weaker", "", "signs"),
)
REPORTS = (Mutation("two", "order", JUDGED[:2], 3, 0.5), Mutation("one", "upper", JUDGED, 3, 1.26))


def test_every_mutant_is_counted_once_by_theorem_and_once_by_mistake() -> None:
    columns = count_outcomes(REPORTS).columns
    assert sum(columns["theorems mutants"]) == sum(columns["mistakes mutants"]) == 8
    assert columns["theorems theorem"][0] == "one"
    keys = zip(*(columns[f"mistakes {n}"] for n in ("mistake", "explicit", "outcome", "by")), strict=True)
    assert ("exponent", False, "killed", "slope") in set(keys)


def test_survivors_are_told_one_by_one_and_what_stands_alike_together() -> None:
    columns = count_outcomes(REPORTS).columns
    assert list(columns["survivors what"]) == ["client drift: L for L^2"]
    assert list(columns["standing term"]) == ["client drift"]
    assert list(columns["standing mutants"]) == [2]
    assert list(columns["standing reason"]) == ["half is needed"]


def test_the_reports_of_a_folder_make_a_record_that_can_be_kept(tmp_path: Path) -> None:
    for report in REPORTS:
        text = json.dumps(report.to_dict())
        (tmp_path / f"{report.theorem}.json").write_text(text, encoding="utf-8")
    kept = write_demonstration(read_counts(tmp_path), tmp_path / "kept" / f"{NAME}.json")
    assert kept.columns == read_demonstration(tmp_path / "kept" / f"{NAME}.json").columns
    assert kept.columns == count_outcomes(REPORTS).columns


def test_a_report_that_is_not_what_its_stamp_says_is_refused(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    for report in REPORTS:
        write_text(store.path(f"{report.theorem}.json"), json.dumps(report.to_dict()))
        store.stamp(f"{report.theorem}.json", "key")
    assert read_counts(tmp_path).columns == count_outcomes(REPORTS).columns
    path = store.path(f"{REPORTS[0].theorem}.json")
    path.write_bytes(path.read_bytes().replace(b"killed", b"weaker"))
    with pytest.raises(BoundkitError, match=r"\.json is damaged"):
        read_counts(tmp_path)
    path.write_text(NESTED, encoding="utf-8")
    (tmp_path / ".sweep" / f"{path.name}.json").unlink()
    with pytest.raises(BoundkitError, match="is not a report on mutants"):
        read_counts(tmp_path)
