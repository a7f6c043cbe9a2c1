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

from boundkit.algebra import BoundkitError
from boundkit.figures.bound_against_run import horizon_of
from boundkit.figures.verification_report import check_format, draw_svg, write_report
from boundkit.figures.verification_report.html import glance
from boundkit.figures.verification_report.inline_svg import GlyphTable
from boundkit.figures.verification_report.lines import Line, lines_of, pair, term_rows
from boundkit.figures.verification_report.overview import overview
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.checks import Check
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Case, Verdict
from boundkit.verification.verifier import verify
from tests.cases import each

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


def test_the_record_is_linked_from_where_the_page_is(verdict: Verdict, tmp_path: Path) -> None:
    kept = as_record(replace(verdict, record=str(tmp_path / "records" / "a.nc")))
    write_report([kept], THEOREMS, {}, tmp_path / "pages" / "report.html")
    assert "../records/a.nc" in page_of(tmp_path / "pages" / "report.html").links


def test_a_theorem_that_nobody_knows_has_a_section_without_formulas(
    records: list[Record], tmp_path: Path
) -> None:
    write_report(records, {}, {}, tmp_path / "report.html")
    text = page_of(tmp_path / "report.html").text
    assert "initial gap" in text
    assert "arXiv" not in text


def test_nothing_to_report_is_a_page_too(tmp_path: Path) -> None:
    write_report([], {}, {}, tmp_path / "report.html")
    write_report([], {}, {}, tmp_path / "report.md")
    assert "Theorems against runs" in page_of(tmp_path / "report.html").text


@each("name", ["report.pdf", "report", "report.html.txt"])
def test_other_suffixes_are_refused(name: str) -> None:
    with pytest.raises(BoundkitError, match=r"a report is written as \.html or \.md"):
        check_format(Path(name))


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


def test_there_is_no_overview_of_nothing(records: list[Record]) -> None:
    assert overview(lines_of(records[1:], THEOREMS)) is None


def test_a_lower_bound_is_marked_as_one(records: list[Record]) -> None:
    lower = replace(records[0], verdict=records[0].verdict | {"kind": "lower", "ratio": 3.0})
    page = overview([Line(lower, None)])
    assert page is not None
    assert page.get_suptitle() == "None of 1 lower bounds is violated"
    assert "violated left of it" in page.get_supxlabel().replace("\n", " ")


@each(
    ("measured", "predicted", "letter", "said"),
    [
        (1.9996, 2.0, "eta", "2.00 (2)"),
        (-0.001, 1e-16, "m", "0.00 (0)"),
        (-1.483, -1.483, "C", "-1.48 (-1.48)"),
        (-0.0092, -0.0016, "T", "-0.0092 (-0.0016)"),
        (-1.0, -1.0, "T", "-1.00 (-1)"),
    ],
)
def test_pairs_of_slopes(measured: float, predicted: float, letter: str, said: str) -> None:
    from boundkit.figures.verification_report.lines import Slope

    assert pair(Slope("x", letter, measured, predicted, "holds")) == said


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


def test_a_letter_is_drawn_once_however_many_formulas_have_it(
    records: list[Record], pictures: dict[str, bytes]
) -> None:
    glyphs = GlyphTable()
    glyphs.formula(r"\sigma + L", "")
    before = glyphs.markup()
    glyphs.formula(r"L \sigma + \sigma", "")
    assert glyphs.markup() == before
    first, second = (glyphs.picture(pictures[records[0].theorem], "run") for _ in range(2))
    assert first == second
    assert len(first) < len(pictures[records[0].theorem]) / 2


def test_a_picture_keeps_its_curves(records: list[Record], pictures: dict[str, bytes]) -> None:
    whole = ET.fromstring(pictures[records[0].theorem])
    small = ET.fromstring(GlyphTable().picture(pictures[records[0].theorem], "run"))
    measured = next(g for g in whole.iter() if g.get("id") == "measured")
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", measured[0].get("d", ""))]
    near = [[float(n) for n in re.findall(r"-?[\d.]+", p.get("d", ""))] for p in small.iter("path")]
    assert any(len(n) == len(numbers) and np.allclose(n, numbers, atol=0.051) for n in near)


def test_the_glance_stands_where_the_ratio_is(records: list[Record]) -> None:
    page = glance([Line(records[0], None)])
    places = [float(p) for p in re.findall(r"<[biq][^>]*left:([\d.]+)%", page)]
    bound, easy, hard, worst = places
    assert easy < hard == worst < bound < 100
    assert page.count("class='scale'") == 2  # above and below
    order = replace(records[0], verdict=records[0].verdict | {"ratio": None, "kind": "order"})
    assert "scaling in eta" in glance([Line(order, None)])
    assert glance([]) == ""


def test_many_theorems_stand_in_two_columns(records: list[Record]) -> None:
    lines = [Line(replace(records[0], theorem=f"a_{i}"), None) for i in range(30)]
    assert glance(lines).count("<ol>") == 2
    page = overview(lines)
    assert page is not None
    assert len(page.axes) == 2
    assert page.get_figheight() < 10


def test_a_slope_that_tells_nothing_is_not_among_those_fitted(verdict: Verdict) -> None:
    numbers = {"term": "bound", "letter": "T", "measured": 1.0, "predicted": -1.0, "margin": 6.0}
    wide = Check("slope of the bound in T", "not tested", "too wide to tell", numbers)
    line = Line(as_record(replace(verdict, checks=(*verdict.checks, wide))), None)
    assert line.matched == "1 of 1"
    assert ("slope of the bound in T", "too wide to tell") in line.untested


def test_a_clock_is_counted_in_time(records: list[Record]) -> None:
    assert horizon_of(records[0])[1] == "rounds"
    wall = {"value": 60.0, "trust": "exact", "how": "T tau step_time"}
    timed = replace(records[0], verdict=records[0].verdict | {"constant_values": {"wall": wall}})
    x, counted = horizon_of(timed)
    assert (x[0], x[-1], counted) == (3.0, 60.0, "time (a round takes 3)")
