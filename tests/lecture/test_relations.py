"""Relations of theorems and published tables, as the lecture has them."""

import re

from boundkit.algebra import Theorem
from boundkit.analysis.lattice import LATTICE
from boundkit.lecture.published_tables import published_table, published_tables
from boundkit.lecture.relations import Neighbourhood, neighbourhoods
from boundkit.lecture.site import Site
from boundkit.theorems import theorem

NAMES = ("fedavg_nonconvex", "fedavg_nonconvex_partial", "fedavg_nonconvex_partial_sharp", "sgd_nonconvex")


def known() -> dict[str, Theorem]:
    return {name: theorem(name) for name in NAMES}


def pairs(found: dict[str, Neighbourhood]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    down = [(one.name, near.name) for one in found.values() for near in one.weaker]
    up = [(near.name, one.name) for one in found.values() for near in one.stronger]
    return sorted(down), sorted(up)


def test_every_relation_stands_on_both_sides() -> None:
    found = neighbourhoods(known())
    down, up = pairs(found)
    assert down == up
    reductions = [(t.name, r.to) for t in known().values() for r in t.reductions if r.to in NAMES]
    implications = [(a.name, r.conclusion.name) for r in LATTICE.implications for a in r.premises]
    assert set(reductions) | set(implications) <= set(down)
    failing = {(r.given[0].name, r.fails.name) for r in LATTICE.refutations if len(r.given) == 1}
    assert failing == {
        (one.name, near.name) for one in found.values() if one.kind == "assumption"
        for near in one.weaker if not near.holds
    }  # fmt: skip


def test_the_page_has_a_section_for_every_link() -> None:
    page = Site((), known(), {}).files()["relations.html"]
    sections = re.findall(r'<section class="neighbourhood" id="([^"]+)"', page)
    links = set(re.findall(r'href="#([^"]+)"', page)) - {"main"}
    assert links == set(sections)
    assert len(sections) == len(set(sections)) > len(LATTICE.assumptions) / 2
    assert "the same terms, with other constants" in page


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
