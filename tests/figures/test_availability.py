"""Chances that move, and distances under them, as their record has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from boundkit.figures.algorithm_styles import look
from boundkit.figures.availability import ALGORITHMS, ENDS, LOWEST, figure
from boundkit.figures.style import PRESETS
from boundkit.simulation.participation.bernoulli import DYNAMICS
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, names, outside, overlaps, same, words
from tests.studies.demonstrations import quickly


@pytest.fixture(scope="module")
def found() -> TabularResult:
    return tabulate_result("who_is_away", "", quickly.run("who_is_away")[0])


@pytest.fixture(scope="module")
def pages(found: TabularResult) -> dict[str, Figure]:
    return {preset: drawn(figure(found, preset)) for preset in PRESETS}


@pytest.fixture(scope="module")
def page(pages: dict[str, Figure]) -> Figure:
    return pages["hall"]


def holding(page: Figure, name: str) -> Axes:
    (axes,) = (axes for axes in page.axes if name in names(axes))
    return axes


@pytest.mark.parametrize("preset", PRESETS)
def test_words_are_on_the_page_and_not_on_each_other(pages: dict[str, Figure], preset: str) -> None:
    assert outside(pages[preset]) == []
    assert overlaps(pages[preset]) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_the_curves_are_those_of_the_record(
    found: TabularResult, pages: dict[str, Figure], preset: str
) -> None:
    seen = pages[preset]
    of_chances, of_paths = (np.array(found.columns[f"{table} dynamics"]) for table in ("chances", "paths"))
    whose = np.array(found.columns["paths algorithm"])
    for kind in DYNAMICS:
        for end in ENDS:
            chance = line(holding(seen, f"chance {kind} {end}"), f"chance {kind} {end}")
            assert same(chance.get_xdata(), found.array("chances round")[of_chances == kind])
            assert same(chance.get_ydata(), found.array(f"chances {end}")[of_chances == kind])
        for algorithm in ALGORITHMS:
            name, rows = f"distance {kind} {algorithm}", (of_paths == kind) & (whose == algorithm)
            path = line(holding(seen, name), name)
            assert same(path.get_xdata(), found.array("paths round")[rows])
            assert same(path.get_ydata(), found.array("paths distance")[rows].clip(min=LOWEST / 10))
            assert same_color(path.get_color(), look(algorithm).colour(preset == "dark"))
        settled = line(holding(seen, f"settles {kind}"), f"settles {kind}")
        assert same(settled.get_ydata(), [found.values[f"settles {kind}"]] * 2)


def test_panels_of_a_row_share_their_heights(page: Figure) -> None:
    above = {axes.get_ylim() for axes in page.axes[:4]}
    below = {axes.get_ylim() for axes in page.axes[4:]}
    assert len(above) == len(below) == 1


def test_the_headline_has_the_biases(found: TabularResult, page: Figure) -> None:
    biases = [found.values[f"settles {kind}"] for kind in DYNAMICS]
    assert f"by {min(biases):.2g} to {max(biases):.2g} in the square" in words(page)


def test_the_headline_has_the_upper_ends_of_what_is_kept(found: TabularResult) -> None:
    whose = found.columns["ends algorithm"]
    ends = {"fedavg": (0.1, 0.0), "fedau": (0.004, 0.001), "fedawe": (0.0128, 0.0043), "mifa": (3e-7, 5e-8)}
    columns = {
        **found.columns,
        "ends distance": [ends[name][0] for name in whose],
        "ends margin": [ends[name][1] for name in whose],
    }
    said = words(figure(replace(found, columns=columns)))
    assert "FedAU and FedAWE keep 0.018 or less in the mean of a period, MIFA 3.5×10⁻⁷" in said
    nothing = {**columns, "ends distance": [0.0] * len(whose), "ends margin": [0.0] * len(whose)}
    assert "FedAWE keep 0 or less in the mean of a period, MIFA 0" in words(
        figure(replace(found, columns=nothing))
    )
