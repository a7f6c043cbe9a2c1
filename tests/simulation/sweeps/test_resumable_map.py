"""The contract of a resumable map: stored results are not computed again, and nothing yielded is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.sweeps.result_store import ResultStore, resumable_map

INPUTS = [(2,), (3,), (5,)]
SQUARES = [(0, 4), (1, 9), (2, 25)]


class Squares:
    """A map of squares, which counts its computations."""

    def __init__(self, out: Path | None) -> None:
        self.out, self.computed = out, list[int]()
        self.keys = ["a", "b", "c"]
        self.fails_at: int | None = None

    def run(self, fresh: bool = False, inputs: Sequence[tuple[int]] = INPUTS) -> Iterator[tuple[int, int]]:
        return resumable_map(
            self.task, inputs, None if self.out is None else ResultStore(self.out, fresh),
            name=lambda place: f"{place}.json", key=lambda place: self.keys[place],
            load=self.load, save=self.save,
        )  # fmt: skip

    def task(self, number: int) -> int:
        if number == self.fails_at:
            raise KeyboardInterrupt
        self.computed.append(number)
        return number * number

    def load(self, path: Path) -> int | None:
        value: int | None = json.loads(path.read_text(encoding="utf-8"))
        return value

    def save(self, square: int, path: Path | None) -> int:
        if path is not None:
            write_text(path, json.dumps(square))
        return square


def test_only_items_without_a_valid_result_are_computed(tmp_path: Path) -> None:
    squares = Squares(tmp_path)
    assert list(squares.run()) == SQUARES
    assert list(squares.run()) == SQUARES
    assert squares.computed == [2, 3, 5]
    squares.keys[1] = "other inputs"
    (tmp_path / "2.json").write_text("24", encoding="utf-8")  # edited
    assert list(squares.run()) == SQUARES
    assert squares.computed == [2, 3, 5, 3, 5]
    write_text(tmp_path / "0.json", "null")
    ResultStore(tmp_path).stamp("0.json", "a")  # of another format: load gives None
    assert list(squares.run()) == [(1, 9), (2, 25), (0, 4)]  # stored results come first
    assert list(squares.run(fresh=True)) == SQUARES
    assert squares.computed == [2, 3, 5, 3, 5, 2, 2, 3, 5]


def test_an_interrupted_map_resumes(tmp_path: Path) -> None:
    squares = Squares(tmp_path)
    squares.fails_at = 3
    results = squares.run()
    assert next(results) == SQUARES[0]
    assert ResultStore(tmp_path).has("0.json", squares.keys[0])  # what was yielded is stored
    with pytest.raises(KeyboardInterrupt):
        next(results)
    squares.fails_at = None
    assert list(squares.run()) == SQUARES
    assert squares.computed == [2, 3, 5]


def test_the_stamp_has_the_key_after_the_item_is_saved(tmp_path: Path) -> None:
    squares = Squares(tmp_path)
    saved = squares.save

    def save(square: int, path: Path | None) -> int:
        squares.keys[0] = "after"
        return saved(square, path)

    squares.save = save  # type: ignore[method-assign]
    assert list(squares.run(inputs=INPUTS[:1])) == SQUARES[:1]
    assert list(squares.run(inputs=INPUTS[:1])) == SQUARES[:1]
    assert squares.computed == [2]
    assert ResultStore(tmp_path).has("0.json", "after")


def test_an_item_that_disappears_in_the_meantime_is_an_error(tmp_path: Path) -> None:
    results = Squares(tmp_path).run()
    assert next(results) == SQUARES[0]
    (tmp_path / "0.json").unlink()
    with pytest.raises(BoundkitError, match=r"0\.json"):
        list(results)
