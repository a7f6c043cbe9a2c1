"""docs/data.md says what the code has: data sets, kinds, fields, defaults, and examples that run."""

import doctest
import json
import re
from pathlib import Path

from boundkit.simulation.data import DATASETS, PARTITIONERS
from boundkit.simulation.data.dataset import DEBIAN
from boundkit.simulation.data.image_sets import FILES

PAGE = Path(__file__).parents[3] / "docs" / "data.md"
TEXT = PAGE.read_text()


def cells(start: str) -> list[list[str]]:
    """The rows of the table whose head begins so."""
    lines = TEXT[TEXT.index(start) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_data_sets_are_documented() -> None:
    assert [row[0].strip("`") for row in cells("| name |")] == list(DATASETS)
    assert all(f"`{file}`" in TEXT for file in FILES)
    assert f"`{DEBIAN}/NAME`" in TEXT


def test_fields_and_defaults_are_those_of_the_kinds() -> None:
    rows = {row[0].strip("`"): row[1] for row in cells("| kind |")}
    assert list(rows) == list(PARTITIONERS)
    for kind, fields in rows.items():
        before, _, after = fields.partition(";")
        required, optional = PARTITIONERS[kind].fields()
        assert tuple(re.findall("`(.*?)`", before if after else "")) == required
        said = re.findall(r"`(\w+)`(?: \((\w+)\))?", after or before)
        assert dict(said) == {
            name: "" if value is None else json.dumps(value).strip('"') for name, value in optional.items()
        }


def test_the_examples_run() -> None:
    failures, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried == 15
    assert failures == 0
