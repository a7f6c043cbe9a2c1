"""Stored instances: only larger scores replace them, and each is replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.search import search
from boundkit.attack.stored_instances import (
    StoredInstance,
    load_instances,
    replay_finds,
    replay_instances,
    store_instances,
)
from boundkit.theorems import theorem

BOUND = theorem("sgd_strongly_convex")
OTHER = theorem("sgd_nonconvex")


def instance(aim: str, score: float, seed: int = 0) -> StoredInstance:
    return StoredInstance(aim, score, 3, "exact", "exact", {"rounds": 3, "seed": seed})


def test_the_instances_of_a_search_are_stored_and_replayed(tmp_path: Path) -> None:
    file = tmp_path / "instances.json"
    result = search(BOUND, evaluations=10)
    stored = store_instances(BOUND, replay_finds(BOUND, result.best.values()), file)
    assert load_instances(BOUND, file) == stored
    assert {entry.objective for entry in stored} == set(result.best)
    ratio, _ = replay_instances(BOUND, file).worst(BOUND)
    assert ratio == pytest.approx(result.best["bound"].score, rel=1e-6)
    find = result.best["bound"]
    smaller = replace(find, run=find.run | {"eta": find.run["eta"] / 10})
    assert store_instances(BOUND, replay_finds(BOUND, [smaller]), file) == stored
    file.write_text(file.read_text().replace(f'"bound": {ratio}', '"bound": 17.0'), encoding="utf-8")
    assert load_instances(BOUND, file)[0].score == 17  # that of other constants, say
    assert store_instances(BOUND, (), file) == stored


def test_a_larger_score_replaces_one_objective_of_one_theorem(tmp_path: Path) -> None:
    file = tmp_path / "instances.json"
    gap, noise = OTHER.bound.terms
    shared = [instance("bound", 0.5), instance(gap, 0.25), instance(noise, 0.1, seed=1)]
    assert list(store_instances(OTHER, shared, file)) == shared
    store_instances(BOUND, [instance("bound", 0.7)], file)
    text = file.read_text(encoding="utf-8")
    assert text.count('"run"') == 3  # one line a run, whatever the number of its objectives
    assert text.index(OTHER.name) < text.index(BOUND.name)  # sorted by theorem
    store_instances(OTHER, [instance("bound", 0.6, seed=2), instance(gap, 0.2, seed=2)], file)
    by_aim = {entry.objective: entry for entry in load_instances(OTHER, file)}
    assert by_aim == {"bound": instance("bound", 0.6, seed=2), gap: shared[1], noise: shared[2]}
    assert load_instances(BOUND, file) == (instance("bound", 0.7),)
    unchanged = file.stat().st_mtime_ns, file.stat().st_ino
    store_instances(OTHER, shared, file)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == unchanged


def test_a_missing_file_is_empty_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "instances.json"
    assert load_instances(BOUND, file) == ()
    assert not replay_instances(BOUND, file).pieces
    for damaged in ("{", "[]", '{"sgd_strongly_convex": [{"scores": {"bound": 1}}]}', '{"x": 3}'):
        file.write_text(damaged, encoding="utf-8")
        with pytest.raises(BoundkitError, match="damaged"):
            load_instances(BOUND, file)
        with pytest.raises(BoundkitError, match="damaged"):
            store_instances(BOUND, [instance("bound", 1.0)], file)
        assert file.read_text(encoding="utf-8") == damaged
