"""The atlas as a picture: a line a theorem, a mark a term at its share, and names that do not touch."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from boundkit.algebra import BoundkitError
from boundkit.attack.atlas import COVERED, FILE, NAME, OPEN, SHOWS, Atlas, BoundTightness, TermTightness
from boundkit.cli.gallery.arguments import parsed
from boundkit.cli.gallery.makers import make
from boundkit.figures.atlas import LEAST, LOOSEST, classes_of, figure, rows_of
from boundkit.figures.style import colour
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import line, names, outside, overlaps, part, words


def tight(theorem: str, ratio: float | None, kind: str = "upper") -> BoundTightness:
    smaller = None if ratio is None else 1 / ratio
    return BoundTightness(
        theorem, "fedavg", kind, ratio, smaller, ratio == 1, False, "one", "", OPEN if ratio is None else ""
    )


def need(theorem: str, term: str, share: float | None) -> TermTightness:
    smaller, silent = (None, COVERED) if share is None else (1 / share, "")
    return TermTightness(theorem, term, term, share, smaller, False, "one", silent)


SMALL = Atlas(
    [tight("loose", 0.02), tight("attained", 1.0), tight("open", None, "order"), tight("tiny", 1e-6)],
    [need("loose", "initial gap", 0.02), need("loose", "client drift", None),
     need("attained", "client drift", 1.0), need("attained", "initial gap", 0.3),
     need("open", "initial gap", None), need("tiny", "initial gap", 1e-6)],
)  # fmt: skip


def small(atlas: Atlas = SMALL) -> TabularResult:
    return tabulate_result(NAME, SHOWS, atlas)


def panels(page: Figure) -> list[Axes]:
    return [axes for axes in page.axes if axes.axison]


def places(page: Figure) -> dict[str, list[tuple[str, float, float]]]:
    """The marks of each theorem, as (name, x, y); y is a line of its panel."""
    found: dict[str, list[tuple[str, float, float]]] = {}
    for axes in panels(page):
        rows = {round(text.get_position()[1]): text.get_text() for text in axes.texts}
        for mark in axes.get_lines():
            name = str(mark.get_gid())
            if name != "the bound":
                for x, y in zip(np.asarray(mark.get_xdata()), np.asarray(mark.get_ydata()), strict=True):
                    found.setdefault(rows[round(y - 0.1)], []).append((name, float(x), float(y)))
    return found


def test_the_summary_counts_every_constant_and_names_the_loosest() -> None:
    found = read_demonstration(FILE)
    page, rows = figure(found, "presentation"), rows_of(found)
    counts = classes_of(rows)
    assert sum(counts.pop("whole bounds")) == len(rows)
    assert sum(map(sum, counts.values())) == sum(len(row.terms) for row in rows)
    bars = page.axes[0]
    first = part(bars, "needed initial gap")
    assert isinstance(first, Rectangle)
    assert first.get_width() == counts["initial gap"][0] / sum(counts["initial gap"])
    assert f"initial gap: {sum(counts['initial gap'])}" in words(page)
    named = {name.removeprefix("loosest ") for name in names(page.axes[1])} & {row.theorem for row in rows}
    assert named == {row.theorem for row in rows[-LOOSEST:]}
    assert not overlaps(page)
    assert not outside(page)


def test_a_share_belongs_to_one_class() -> None:
    assert classes_of(rows_of(small())) == {
        "whole bounds": [1, 0, 1, 1, 0], "initial gap": [0, 1, 1, 1, 0], "client drift": [1, 0, 0, 0, 1],
    }  # fmt: skip


def test_every_theorem_is_named_on_paper_and_no_words_touch() -> None:
    found = read_demonstration(FILE)
    page = figure(found, "paper")
    seen, rows = places(page), rows_of(found)
    assert set(seen) == {row.theorem for row in rows}
    for row in rows:
        wanted = [(max(row.ratio, LEAST), "whole bound")]
        wanted += [(max(share, LEAST), cause) for _, cause, share in row.terms if share is not None]
        drawn = [
            (x, name.partition(" ")[2]) for name, x, _ in seen[row.theorem] if not name.startswith("ring")
        ]
        assert sorted(drawn) == sorted(wanted)
        rings = sorted(name for name, x, _ in seen[row.theorem] if x < LEAST)
        assert rings == sorted(f"ring {cause}" for _, cause, share in row.terms if share is None)
    named = {name for axes in panels(page) for name in names(axes) if name.startswith("name ")}
    assert named == {f"name {row.theorem}" for row in rows}
    assert not overlaps(page)
    assert not outside(page)


def test_the_tightest_is_first_and_marks_have_the_colours_of_their_causes() -> None:
    assert [row.theorem for row in rows_of(small())] == ["attained", "loose", "tiny"]
    page = figure(small(), "paper")
    seen = {name: {mark: x for mark, x, _ in marks} for name, marks in places(page).items()}
    assert seen["attained"] == {"at whole bound": 1, "at client drift": 1, "at initial gap": 0.3}
    assert seen["tiny"] == {"below whole bound": LEAST, "below initial gap": LEAST}
    assert seen["loose"]["ring client drift"] < LEAST
    axes = next(a for a in panels(page) if "ring client drift" in names(a))
    ring, dot = line(axes, "ring client drift"), line(axes, "at initial gap")
    assert ring.get_markeredgecolor() == colour("client drift")
    assert dot.get_color() == colour("initial gap")
    assert part(axes, "the bound").get_visible()


def test_the_command_draws_the_numbers_of_the_package() -> None:
    made = make(parsed(["atlas", "fedavg_nonconvex_partial"]))
    assert made.record == FILE
    assert made.columns == read_demonstration(FILE).columns
    assert set(places(made.page)) == {"fedavg_nonconvex_partial"}
    with pytest.raises(BoundkitError, match="unknown theorem 'fedavg_nonconvx'"):
        make(parsed(["atlas", "fedavg_nonconvx"]))
    with pytest.raises(BoundkitError, match="takes names of theorems, so 'tau=3'"):
        make(parsed(["atlas", "tau=3"]))


def test_dots_at_one_place_stand_apart() -> None:
    both = [need("attained", "client drift", 1.0), need("attained", "initial gap", 1.0)]
    marks = places(figure(small(replace(SMALL, terms=both)), "paper"))["attained"]
    heights = {name: y for name, _, y in marks}
    assert heights["at client drift"] != heights["at initial gap"]
