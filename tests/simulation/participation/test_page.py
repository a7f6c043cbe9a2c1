"""docs/participation.md says what the code has: fields, defaults, dynamics, and the numbers of its table."""

import re
from pathlib import Path

from boundkit.simulation.participation import KINDS
from boundkit.simulation.participation.availability import DYNAMICS
from boundkit.simulation.participation.echo_weights import Echo
from tests.readme import table

TEXT = (Path(__file__).parents[3] / "docs" / "participation.md").read_text(encoding="utf-8")


def test_fields_and_defaults_are_those_of_the_kinds() -> None:
    rows = {row[0].strip("`"): row[1] for row in table(TEXT, "| kind |")}
    assert set(rows) == set(KINDS)
    for kind, fields in rows.items():
        required, _, optional = fields.partition(";")
        if not KINDS[kind].fields:
            required, optional = "", required.removeprefix("none")
        assert tuple(re.findall("`(.*?)`", required)) == KINDS[kind].fields
        said = re.findall(r"`(\w+)`(?: \(`?([^)`]*)`?\))?", optional)
        assert [name for name, _ in said] == list(KINDS[kind].optional)
        for name, default in said:
            value = KINDS[kind].optional[name]
            if value is not None:
                assert default == str(value).replace("False", "false")


def test_dynamics_are_documented() -> None:
    assert [row[0].strip("`") for row in table(TEXT, "| `dynamics` |")] == list(DYNAMICS)


def test_the_table_of_echo_weights() -> None:
    for chance, cap, mean, deviation, weight, second in table(TEXT, "| p | K |"):
        p = float(chance.removesuffix("%")) / 100
        echo = Echo(p, None if cap == "none" else int(cap))
        found = (echo.mean, echo.variance**0.5, echo.weight, echo.second)
        for said, number in zip((mean, deviation, weight, second), found, strict=True):
            digits = len(said.partition(".")[2])
            assert abs(float(said) - number) <= 0.5001 * 10**-digits
