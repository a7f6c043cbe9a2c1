"""boundkit demonstrate: a sentence and its numbers, and the page that shows them."""

from __future__ import annotations

import csv
import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.cli.demonstrate import _print_columns
from boundkit.simulation.arrays import Array
from boundkit.studies import demonstrations
from boundkit.verification.tabular_result import tabulate_result
from tests.cases import each
from tests.cli.conftest import Command
from tests.readme import blocks

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "demonstrations.md").read_text(encoding="utf-8")
QUICK = ("cyclic_groups", "unequal_local_steps", "echo_weights")


def test_the_list_has_every_demonstration_and_its_sentence(boundkit: Command) -> None:
    answer = boundkit("demonstrate")
    assert answer.code == 0
    lines = answer.out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == demonstrations.names()
    assert "chosen_runs" not in answer.out  # what others share shows nothing itself
    assert all(line.endswith(".") for line in lines)
    listed = boundkit("demonstrate", "--json").json
    assert [line.split(maxsplit=1) for line in lines] == [[d["demonstration"], d["shows"]] for d in listed]


def test_the_csv_has_the_columns_in_full(boundkit: Command, tmp_path: Path) -> None:
    path = tmp_path / "new" / "echo_weights.csv"
    found = boundkit("demonstrate", "echo_weights", "--out", str(path), "--json").json
    assert found["written"] == str(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(found["columns"])
    assert [float(row["seen_weight"]) for row in rows] == found["columns"]["seen_weight"]
    assert [row["cap"] for row in rows] == ["" if c is None else str(c) for c in found["columns"]["cap"]]
    assert [file.name for file in path.parent.iterdir()] == ["echo_weights.csv"]


@dataclass(frozen=True)
class Odd:
    """``path`` is long."""

    path: Array
    ends: dict[str, float]
    few: tuple[float, ...]


def test_long_columns_are_thinned_and_short_ones_end_early(tmp_path: Path) -> None:
    odd = Odd(np.arange(100.0), {"a": float("nan"), "b": float("inf")}, (1.5,))
    found = tabulate_result("odd", "It is odd.", odd)
    assert found.means == "path is long."
    assert found.to_dict()["values"] == {"ends a": None, "ends b": None}
    found.write_csv(tmp_path / "odd.csv")
    assert (tmp_path / "odd.csv").read_text().splitlines()[:3] == ["path,few", "0.0,1.5", "1.0,"]
    with redirect_stdout(io.StringIO()) as out:
        _print_columns({"path": found.columns["path"]}, 100)
    assert [line.split()[0] for line in out.getvalue().splitlines()[1:-1]] == [
        "0", "1", "2", "5", "10", "20", "50", "99"
    ]  # fmt: skip
    with pytest.raises(BoundkitError, match="few is a ndarray"):
        tabulate_result("odd", "", Odd(np.zeros(1), {}, (np.zeros(2),)))  # type: ignore[arg-type]


def test_the_page_shows_every_demonstration_with_its_source() -> None:
    sections = re.split(r"^## ", PAGE, flags=re.M)[1:]
    assert sorted(section.split()[0] for section in sections) == demonstrations.names()
    for section in sections:
        name = section.split()[0]
        assert f"$ boundkit demonstrate {name}\n{demonstrations.sentence(name)}" in section
        assert "\nSource: " in section


@each("name", QUICK)
def test_the_page_has_the_numbers_that_the_command_prints(boundkit: Command, name: str) -> None:
    """Up to the last digits: what is 0 up to rounding differs between machines."""
    (shown,) = (b.text for b in blocks(PAGE) if b.text.startswith(f"$ boundkit demonstrate {name}\n"))
    printed = boundkit("demonstrate", name).out.split()
    words = shown.split("\n", 1)[1].split()
    assert len(words) == len(printed)
    for word, now in zip(words, printed, strict=True):
        if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", word):
            assert float(word) == pytest.approx(float(now), rel=1e-4, abs=1e-10)
        else:
            assert word == now
