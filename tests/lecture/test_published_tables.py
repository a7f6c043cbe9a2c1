"""Published tables: complete, sourced, and their printed ratios recompute."""

import re

import pytest

from boundkit.algebra import BoundkitError
from boundkit.lecture.published_tables import published_table, published_tables


def _number_and_factor(cell: str) -> tuple[float, float | None]:
    number, factor = re.fullmatch(r"([\d.]+)(?: \(([\d.]+)x\))?", cell).groups()  # type: ignore[union-attr]
    return float(number), None if factor is None else float(factor)


def test_every_table_is_rectangular_and_says_what_was_read() -> None:
    for table in published_tables().values():
        assert {len(row) for row in table.rows} == {len(table.header)}, table.name
        assert all([table.source.authors, table.source.where, table.read, table.note]), table.name


def test_speed_ups_recompute_from_the_rounds() -> None:
    checked = 0
    for name, columns in {"mcmahan_epochs_cnn": 2, "mcmahan_epochs_lstm": 2, "mcmahan_clients": 4}.items():
        base: list[float] = []
        for row in published_table(name).rows:
            cells = row[-columns:]
            if all("x" not in cell and cell != "-" for cell in cells):
                base = [float(cell) for cell in cells]
                continue
            for cell, first in zip(cells, base, strict=True):
                if cell == "-":
                    continue
                rounds, factor = _number_and_factor(cell)
                assert factor is not None
                assert abs(first / rounds - factor) < 0.0501, (name, row, cell)
                checked += 1
    assert checked == 16 + 10 + 27


def test_an_unknown_table_is_refused_with_a_near_name() -> None:
    with pytest.raises(BoundkitError, match="fednova_cifar10"):
        published_table("fednova_cifar")
