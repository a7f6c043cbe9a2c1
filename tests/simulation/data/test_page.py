"""docs/data.md says what the code has: data sets, kinds, fields and defaults."""

import json
import re
from pathlib import Path

from boundkit.simulation.data import DATASETS, PARTITIONERS
from boundkit.simulation.data.dataset import DEBIAN
from boundkit.simulation.data.image_sets import FILES
from tests.readme import table

TEXT = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8")


def test_data_sets_are_documented() -> None:
    assert [row[0].strip("`") for row in table(TEXT, "| name |")] == list(DATASETS)
    assert all(f"`{file}`" in TEXT for file in FILES)
    assert f"`{DEBIAN}/NAME`" in TEXT


def test_fields_and_defaults_are_those_of_the_kinds() -> None:
    rows = {row[0].strip("`"): row[1] for row in table(TEXT, "| kind |")}
    assert list(rows) == list(PARTITIONERS)
    for kind, fields in rows.items():
        before, _, after = fields.partition(";")
        required, optional = PARTITIONERS[kind].fields()
        assert tuple(re.findall("`(.*?)`", before if after else "")) == required
        said = re.findall(r"`(\w+)`(?: \((\w+)\))?", after or before)
        assert dict(said) == {
            name: "" if value is None else json.dumps(value).strip('"') for name, value in optional.items()
        }
