"""What counts as finished: whole, and made of the same inputs by the same program."""

from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.sweeps import result_store as module
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, program, refuse_changed_item
from tests.verification.damage import NESTED

KEY = key_of(eta=0.1, seed=0)


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    kept = ResultStore(tmp_path / "out")
    write_text(kept.path("a.json"), "whole")
    kept.stamp("a.json", KEY)
    return kept


def test_what_was_stamped_is_there(store: ResultStore) -> None:
    assert store.has("a.json", KEY)
    assert ResultStore(store.folder).has("a.json", KEY)
    assert not store.has("b.json", KEY)


@pytest.mark.parametrize("text", ["", "whol", "whole!", "other"])
def test_a_torn_or_edited_item_is_not(store: ResultStore, text: str) -> None:
    store.path("a.json").write_text(text)
    assert not store.has("a.json", KEY)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": "x"}', pytest.param(NESTED, id="nested")])
def test_a_torn_stamp_is_no_stamp(store: ResultStore, text: str) -> None:
    (store.folder / ".sweep" / "a.json.json").write_text(text)
    assert not store.has("a.json", KEY)


def test_an_unwritable_folder_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(BoundkitError, match="cannot be written"):
        ResultStore(tmp_path / "out")


def test_items_that_vanish_are_named(store: ResultStore) -> None:
    for name in ("b.json", "c.json", "d.json", "e.json", "f.json"):
        write_text(store.path(name), name)
        store.stamp(name, KEY)
    store.refuse_missing()
    for name in ("b.json", "c.json", "d.json", "f.json"):
        store.path(name).unlink()
    with pytest.raises(BoundkitError) as refused:
        store.refuse_missing()
    assert str(refused.value) == (
        f"4 of 6 records were removed from {store.folder} while the command ran: b.json, c.json, d.json and "
        "1 more; the same command makes them again."
    )
    again = ResultStore(store.folder)
    assert again.has("e.json", KEY)
    (store.folder / ".sweep" / "e.json.json").unlink()
    with pytest.raises(BoundkitError, match="1 of 1 records were removed"):
        again.refuse_missing()


def test_an_item_that_is_not_what_its_stamp_says_is_refused(store: ResultStore) -> None:
    refuse_changed_item(store.path("a.json"))
    store.path("a.json").write_text("whale")
    with pytest.raises(BoundkitError, match=r"a\.json is damaged: its content does not match its checksum"):
        refuse_changed_item(store.path("a.json"))
    (store.folder / ".sweep" / "a.json.json").unlink()
    refuse_changed_item(store.path("a.json"))


def test_another_program_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "program", lambda: program() | {"boundkit": "99"})
    assert key_of(eta=0.1, seed=0) != KEY


def test_fresh_takes_nothing_for_finished(store: ResultStore) -> None:
    fresh = ResultStore(store.folder, fresh=True)
    assert not fresh.has("a.json", KEY)
