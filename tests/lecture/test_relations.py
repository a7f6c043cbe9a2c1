"""The page of relations: every reduction and implication once on each side, and links to sections."""

import re

from boundkit.algebra import Theorem
from boundkit.analysis.lattice import LATTICE
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
