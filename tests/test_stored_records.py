"""The records beside the documentation are what their code gives: a demonstration anew, number by number."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundkit.attack.atlas import FILE, compute_record
from boundkit.attack.atlas import NAME as ATLAS
from boundkit.attack.mutation.report import NAME as MUTANTS
from boundkit.cli.gallery.arguments import FigureRequest
from boundkit.cli.gallery.records import verified
from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
from boundkit.studies.demonstrations import demonstrate
from boundkit.studies.verdict_summary import NAME
from boundkit.theorems import names as theorem_names
from boundkit.verification.tabular_result import TabularResult
from tests.cases import each

RECORDS = sorted((Path(__file__).resolve().parents[1] / "examples" / "records").glob("*.json"))
RECORDS.append(FILE)
SECONDS = ("client_drift", "fedexp_step", "error_floors", "surrogate_paths", "cyclic_groups")
"""Those that are made anew in every suite: each takes a second or two."""
CLOSE = 1e-6
"""Other versions of packages round and add in other orders; a run that chance decides has its seed."""


def same(seen: Any, kept: Any) -> bool:
    if isinstance(kept, float) and isinstance(seen, (int, float)):
        return bool(np.isclose(seen, kept, rtol=CLOSE, atol=1e-12))
    return bool(seen == kept)


def others(seen: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    """The entries that differ."""
    return [name for name in {**seen, **kept} if not same(seen.get(name), kept.get(name))]


def check(seen: TabularResult, kept: TabularResult) -> None:
    assert not others(seen.values, kept.values)
    assert [*seen.columns] == [*kept.columns]
    for name, column in kept.columns.items():
        found = seen.columns[name]
        assert len(found) == len(column), name
        wrong = [(k, a, b) for k, (a, b) in enumerate(zip(found, column, strict=True)) if not same(a, b)]
        assert not wrong, f"{name}: {wrong[:3]}"


@each("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_small_and_has_the_name_of_its_file(path: Path) -> None:
    assert read_demonstration(path).name == path.stem
    assert path.stat().st_size < 300_000  # that of all mutants has about 160 kB


def test_the_record_of_all_verdicts_names_every_theorem_of_the_catalogue() -> None:
    kept = read_demonstration(next(path for path in RECORDS if path.stem == NAME))
    every = kept.columns["theorems theorem"]
    assert len(every) + kept.values["not_applicable"] == len(theorem_names())
    assert set(every) <= set(theorem_names())
    assert set(kept.columns["theorems answer"]) == {"holds"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in SECONDS else [pytest.mark.slow])
        for path in RECORDS
        if path.stem != MUTANTS  # half an hour of boundkit attack mutants --all
    ],
)
def test_a_fresh_run_gives_the_numbers_of_the_record(path: Path, tmp_path: Path) -> None:
    if path.stem == NAME:
        seen, _ = verified(FigureRequest("tightness", (), "hall", {"records": tmp_path}), jobs=1)
    elif path.stem == ATLAS:
        seen = write_demonstration(compute_record(), tmp_path / path.name)
    else:
        seen = write_demonstration(demonstrate(path.stem), tmp_path / path.name)
    check(seen, read_demonstration(path))
