"""Kept instances: only worse ones replace them, and each says its score again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.search import search
from boundkit.attack.stored_instances import FOLDER, keep, kept, replayed
from boundkit.theorems import theorem

BOUND = theorem("sgd_strongly_convex")


def test_what_is_kept_is_replayed(tmp_path: Path) -> None:
    found = search(BOUND, evaluations=10)
    entries = keep(BOUND, found.best.values(), tmp_path)
    assert kept(BOUND, tmp_path) == entries
    assert {entry.aim for entry in entries} == set(found.best)
    ratio, _ = replayed(BOUND, tmp_path).worst(BOUND)
    assert ratio == pytest.approx(found.best["bound"].score, rel=1e-6)


def test_only_what_is_worse_replaces_it(tmp_path: Path) -> None:
    found = search(BOUND, evaluations=10)
    before = keep(BOUND, found.best.values(), tmp_path)
    find = found.best["bound"]
    better = replace(find, run=find.run | {"eta": find.run["eta"] / 10})
    assert keep(BOUND, [better], tmp_path) == before


def test_nothing_is_kept_of_a_theorem_that_nobody_attacked(tmp_path: Path) -> None:
    assert kept(BOUND, tmp_path) == ()
    assert not replayed(BOUND, tmp_path).pieces


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / f"{BOUND.name}.json").write_text("{", encoding="utf-8")
    with pytest.raises(BoundkitError, match="holds no kept instances"):
        kept(BOUND, tmp_path)


def test_the_package_has_a_place_for_them() -> None:
    assert FOLDER.name == "worst"
