"""boundkit figure --all: every figure in a folder, a page that shows them, and a second call that goes on."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path

import pytest

from boundkit.cli.gallery import all_figures
from boundkit.cli.gallery.all_figures import GalleryFigure, draw_all
from boundkit.figures.gallery import GALLERY, Entry
from tests.cli.conftest import Command

FEW = {
    "sensitivity": Entry("arrows & words", GALLERY["sensitivity"].options, ("sgd_nonconvex",)),
    "terms": Entry("terms", (), ("sgd_nonconvex", "eta=0.01", "T=10,100,1000")),
}
SUFFIXES = (".pdf", ".svg", ".png", ".csv")


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(all_figures, "GALLERY", FEW)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The figures that are drawn from now on, each in a moment."""
    seen: list[str] = []

    def stand_in(one: GalleryFigure, folder: Path, preset: str) -> tuple[list[Path], Path | None, bool]:
        seen.append(one.name)
        files = [folder / f"{one.name}{suffix}" for suffix in SUFFIXES]
        for file in files:
            file.write_bytes(
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (20).to_bytes(4, "big") + (10).to_bytes(4, "big")
            )
        record = Path("kept.json")
        record.touch()
        os.utime(record, (1, 1))
        return files, record, one.name == "terms"

    monkeypatch.setattr(all_figures, "draw_one", stand_in)
    return seen


def test_the_folder_has_every_figure_in_four_formats_and_a_page_whose_links_are_there(
    boundkit: Command,
) -> None:
    answer = boundkit("figure", "--all", "--out", "g", "--jobs", "1", "--preset", "paper")
    assert answer.code == 0
    assert answer.out == "2 figures: g/index.html\n"
    made = {f"{name}{suffix}" for name in FEW for suffix in SUFFIXES}
    assert {path.name for path in Path("g").iterdir()} == made | {"index.html", "gallery.json"}
    page = Path("g/index.html").read_text()
    links = re.findall(r"(?:href|src)='([^'#]+)'", page)
    assert set(links) == made
    for name, entry in FEW.items():
        words = ["boundkit", "figure", name, *entry.example, "--preset", "paper"]
        assert " ".join(words) in unescape(page)
    assert "arrows &amp; words" in page
    assert "http" not in page, "nothing is fetched"
    assert (Path("g/terms.csv").read_text().splitlines()[0]).startswith("T,")


def test_what_is_there_is_kept_and_what_is_missing_or_other_is_drawn(drawn: list[str]) -> None:
    first = draw_all("g")
    assert drawn == [*FEW]
    assert [one.name for one in first] == [*FEW]
    assert draw_all("g") == first
    assert drawn == [*FEW], "a second call draws nothing"
    Path("g/terms.svg").unlink()
    draw_all("g")
    assert drawn[2:] == ["terms"]
    draw_all("g", "dark")
    assert drawn[3:] == [*FEW]
    draw_all("g", "dark", fresh=True)
    assert drawn[5:] == [*FEW]


@pytest.mark.parametrize("held", ["index.html", "thesis.tex", ".git/config"])
def test_a_folder_of_something_else_is_refused_before_anything_is_drawn(
    drawn: list[str], boundkit: Command, held: str
) -> None:
    file = Path("site", held)
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    answer = boundkit("figure", "--all", "--out", "site")
    assert answer.code == 2
    said = f"site holds other files than a gallery, such as {held.partition('/')[0]}; name a new folder."
    assert answer.err == f"boundkit: {said}\n"
    assert drawn == []
    assert [path for path in Path("site").rglob("*") if path.is_file()] == [file]
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    "listed", ["[1]", "{", '{"terms": [1]}', '{"terms": {}}', '{"terms": {"of": 1, "record": 2}}', "\0"]
)
def test_a_broken_list_lists_nothing(drawn: list[str], listed: str) -> None:
    draw_all("g")
    Path("g/gallery.json").write_text(listed)
    draw_all("g")
    assert drawn[2:] == [*FEW]
    assert sorted(json.loads(Path("g/gallery.json").read_text())) == sorted(FEW)


def test_an_interrupt_loses_nothing_that_was_drawn(
    drawn: list[str], boundkit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = all_figures.draw_one

    def interrupted(one: GalleryFigure, folder: Path, preset: str) -> tuple[list[Path], Path | None, bool]:
        if one.name == "terms":
            raise KeyboardInterrupt
        return whole(one, folder, preset)

    monkeypatch.setattr(all_figures, "draw_one", interrupted)
    assert boundkit("figure", "--all", "--out", "g", "--jobs", "1").code == 130
    assert "sensitivity.png" in Path("g/index.html").read_text()
    monkeypatch.setattr(all_figures, "draw_one", whole)
    answer = boundkit("figure", "--all", "--out", "g", "--jobs", "1", "--json")
    assert drawn == [*FEW]
    assert answer.code == 1, "a check for terms fell short"
    told = json.loads(answer.out)
    assert [one["figure"] for one in told["figures"]] == [*FEW]
    assert all(Path(file).is_file() for one in told["figures"] for file in [*one["files"], told["page"]])
