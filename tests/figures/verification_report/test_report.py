"""The report page: everything a verdict says is on it, and it needs nothing from outside."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundkit.figures.verification_report import draw_svg, write_report
from boundkit.figures.verification_report.html import strip_chart
from boundkit.figures.verification_report.inline_svg import GlyphTable
from boundkit.figures.verification_report.lines import TheoremEntry, lines_of, term_rows
from boundkit.figures.verification_report.overview import overview
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.checks import Check
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Case, Verdict
from boundkit.verification.verifier import verify

FULL, PARTIAL = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial")
THEOREMS = {t.name: t for t in (FULL, PARTIAL)}
VOID = {"meta", "img", "br", "wbr", "link"}


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    problem = Quadratic.random(3, 2, seed=1, dense=True, noise=0.2)
    made = verify(FULL, make_run("fedavg", problem, rounds=20, eta=0.01, local_steps=4), slopes=False)
    slope = {"term": "client drift", "letter": "eta", "measured": 1.98, "predicted": 2.0, "margin": 0.01}
    return replace(
        made,
        checks=(
            *made.checks,
            Check("slope of client drift in eta", "holds", "as <promised>", slope),
            Check("slope of noise drift", "not tested", "no quadratic shows it", {}),
        ),
        cases=(
            Case("easy & small", "holds", 0.01, (0.01, 0.01), "exact", "exact", {}),
            Case("hard", "holds", made.ratio, made.interval, "local", "exact", {}),
        ),
    )


@pytest.fixture(scope="module")
def records(verdict: Verdict) -> list[Record]:
    reason = "Nothing here can hold it against a run: x < y is not known."
    return [as_record(verdict), as_record(Verdict(PARTIAL, "not applicable", reason))]


@pytest.fixture(scope="module")
def pictures(records: list[Record]) -> dict[str, bytes]:
    return {records[0].theorem: draw_svg(records[0])}


def violated(record: Record, share: float = 2.0) -> Record:
    worse: dict[str, Any] = record.verdict | {"verdict": "violated", "ratio": share}
    return replace(record, verdict=worse)


class _Page(HTMLParser):
    """Checks that tags close in order, and collects ids, links, sources and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.uses: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.sources += [found["src"]] if "src" in found else []
        self.uses += [found["href"]] if tag == "use" else []
        self.uses += re.findall(r"url\((#\w+)\)", found.get("clip-path", ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def test_the_page_is_one_whole_file(
    records: list[Record], pictures: dict[str, bytes], tmp_path: Path
) -> None:
    target = tmp_path / "deep" / "report.html"
    assert write_report(records, THEOREMS, pictures, target) == [target]
    assert [p.name for p in target.parent.iterdir()] == ["report.html"]
    page = page_of(target)
    assert len(set(page.ids)) == len(page.ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert page.sources == []
    assert {link[1:] for link in page.uses} <= set(page.ids)
    assert page.uses
    assert "<script" not in target.read_text()
    assert not re.search(r"(src|href)=.https?://", target.read_text())


def test_the_page_says_what_the_verdict_says(
    records: list[Record], pictures: dict[str, bytes], tmp_path: Path
) -> None:
    write_report(records, THEOREMS, pictures, tmp_path / "report.html")
    text = page_of(tmp_path / "report.html").text
    for said in ("fedavg_nonconvex", "1 of 1", "as <promised>", "easy & small", "no quadratic shows it",
                 "x < y is not known", "arXiv:2007.07481", "The worst instance, 'hard', has rounds = 20",
                 "1.98\N{NBSP}(2)"):  # fmt: skip
        assert said in text
    for check in records[0].verdict["checks"]:
        assert check["sentence"] in text
    for row in term_rows(lines_of(records, THEOREMS)[0]):
        assert row.label in text
        assert row.value in text


def test_the_same_verdicts_are_the_same_bytes(
    records: list[Record], pictures: dict[str, bytes], tmp_path: Path
) -> None:
    for name in ("a.html", "b.html"):
        write_report(records, THEOREMS, {records[0].theorem: draw_svg(records[0])}, tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert pictures[records[0].theorem] == draw_svg(records[0])


def test_markdown_has_its_pictures_beside_it(
    records: list[Record], pictures: dict[str, bytes], tmp_path: Path
) -> None:
    written = write_report(records, THEOREMS, pictures, tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    linked = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert linked == ["report_pictures/overview.svg", "report_pictures/fedavg_nonconvex.svg"]
    for name in linked:
        assert (tmp_path / name) in written
        assert ET.fromstring((tmp_path / name).read_bytes()).tag.endswith("svg")
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert "client drift: eta 1.98 (2)" in text
    assert "x < y is not known" in text


def test_the_overview_shows_every_ratio_and_says_what_is_violated(records: list[Record]) -> None:
    page = overview(lines_of(records, THEOREMS))
    assert page is not None
    (axes,) = page.axes
    drawn_at = {line.get_gid(): line.get_xdata() for line in axes.lines}
    ratio = records[0].verdict["ratio"]
    assert list(drawn_at["worst fedavg_nonconvex"]) == [ratio]  # type: ignore[arg-type]
    assert list(drawn_at["instances fedavg_nonconvex"]) == [0.01, ratio]  # type: ignore[arg-type]
    assert "the worst instance of each of 1" in page.get_suptitle()
    worse = overview(lines_of([violated(records[0])], THEOREMS))
    assert worse is not None
    assert worse.get_suptitle() == "1 of 1 bounds is violated"
    low, high = worse.axes[0].get_xlim()
    assert low < 0.01 < 2 < high


def test_formulas_are_outlines_and_what_cannot_be_set_is_text() -> None:
    glyphs = GlyphTable()
    root = ET.fromstring(glyphs.formula(r"\frac{L \eta^{2} \sigma_g}{2}", "L*eta"))
    used = {use.get("href") for use in root.iter("use")}
    kept = {f"#{path.get('id')}": path.get("d", "") for path in ET.fromstring(glyphs.markup()).iter("path")}
    assert used == set(kept)
    assert all(outline.startswith("M") for outline in kept.values())
    assert len(list(root.iter("path"))) == 1  # the bar of the fraction
    assert root.get("aria-label") == "L*eta"
    assert glyphs.formula(r"\begin{aligned}x\end{aligned}", "x < y") == "<code>x &lt; y</code>"


def test_a_picture_keeps_its_curves(records: list[Record], pictures: dict[str, bytes]) -> None:
    whole = ET.fromstring(pictures[records[0].theorem])
    small = ET.fromstring(GlyphTable().picture(pictures[records[0].theorem], "run"))
    measured = next(g for g in whole.iter() if g.get("id") == "measured")
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", measured[0].get("d", ""))]
    near = [[float(n) for n in re.findall(r"-?[\d.]+", p.get("d", ""))] for p in small.iter("path")]
    assert any(len(n) == len(numbers) and np.allclose(n, numbers, atol=0.051) for n in near)


def test_the_glance_stands_where_the_ratio_is(records: list[Record]) -> None:
    page = strip_chart([TheoremEntry(records[0], None)])
    places = [float(p) for p in re.findall(r"<[biq][^>]*left:([\d.]+)%", page)]
    bound, easy, hard, worst = places
    assert easy < hard == worst < bound < 100
    assert page.count("class='scale'") == 2  # above and below
    order = replace(records[0], verdict=records[0].verdict | {"ratio": None, "kind": "order"})
    assert "scaling in eta" in strip_chart([TheoremEntry(order, None)])
    assert strip_chart([]) == ""
