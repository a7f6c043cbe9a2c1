"""Records of demonstrations: a round trip changes nothing, and a broken one is refused."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import BoundkitError
from boundkit.studies.demonstration_records import is_current, read_demonstration, write_demonstration
from boundkit.verification.tabular_result import TabularResult
from tests.verification.damage import flipped, zeroed

FOUND = TabularResult(
    "toy", "a toy", "numbers", {"one": 1.0, "no": None}, {"x": [1, 2], "y": [0.5, None], "z": [3]},
    [("", ("x", "y")), ("", ("z",))],
)  # fmt: skip


def unchecked(file: Path) -> dict[str, Any]:
    """The record as boundkit 0.6 wrote it, without a checksum."""
    told: dict[str, Any] = json.loads(file.read_text())
    del told["sha256"]
    return told


def test_what_is_kept_is_recalled_and_is_of_today(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    assert not is_current(file)
    assert write_demonstration(FOUND, file) == FOUND
    assert is_current(file)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": 0}, "is not a record of a demonstration."),
        ({"demonstration": 7}, "is a broken record: demonstration must be a word."),
        ({"values": [1]}, "values must be a mapping."),
        ({"columns": []}, "columns must be a mapping."),
        ({"columns": {"x": 1}}, "the column 'x' must be a list of numbers or words."),
        ({"columns": {"x": [[1]]}}, "the column 'x' must be a list of numbers or words."),
        ({"columns": {"x": [1, 2], "y": [1], "z": [3]}}, "x, y are one table, and not of one length."),
        ({"columns": {"x": [1, 2], "z": [3]}}, "a table must be a title and a list of names of columns."),
        ({"tables": [[1, 2, 3]]}, "a table must be a title and a list of names of columns."),
        ({"tables": [["", [["x"]]]]}, "a table must be a title and a list of names of columns."),
        ({"versions": "1.0"}, "versions must be a mapping."),
    ],
)
def test_a_broken_record_is_one_sentence(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    file = tmp_path / "toy.json"
    write_demonstration(FOUND, file)
    file.write_text(json.dumps(unchecked(file) | changed))
    for read in (read_demonstration, is_current):
        with pytest.raises(BoundkitError) as refused:
            read(file)
        assert str(refused.value).startswith(str(file))
        assert str(refused.value).endswith(said)


@pytest.mark.parametrize("name", ["shows", "means", "values", "columns", "tables", "versions"])
def test_a_record_without_one_of_its_parts_says_which(tmp_path: Path, name: str) -> None:
    file = tmp_path / "toy.json"
    write_demonstration(FOUND, file)
    told = unchecked(file)
    del told[name]
    file.write_text(json.dumps(told))
    with pytest.raises(BoundkitError, match=f"{name} is missing"):
        is_current(file)


def test_a_record_without_a_checksum_is_still_read(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    write_demonstration(FOUND, file)
    file.write_text(json.dumps(unchecked(file)))
    assert read_demonstration(file) == FOUND


def test_no_flipped_bit_changes_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    write_demonstration(FOUND, file)
    whole = file.read_bytes()
    read = []
    for place in range(len(whole)):
        file.write_bytes(flipped(whole, place, place % 7))
        with suppress(BoundkitError):
            read.append(read_demonstration(file))
    assert len(read) < len(whole) / 20  # a flip in white space, or in the name of the checksum, harms nothing
    assert all(found == FOUND for found in read)


def test_zeroed_blocks_and_lost_ends_are_refused(tmp_path: Path) -> None:
    size = 16
    file = tmp_path / "toy.json"
    write_demonstration(FOUND, file)
    whole = file.read_bytes()
    for place in range(0, len(whole), size):
        for content in (zeroed(whole, place, size), whole[:place]):
            file.write_bytes(content)
            with pytest.raises(BoundkitError, match=r"is not a record of a demonstration|is damaged"):
                read_demonstration(file)
