"""Paths and floors of FedAvg and FedVARP, as their record has them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from boundkit.figures.looks import algorithm_look
from boundkit.figures.partial_participation import EVERYBODY, LOWEST, figure
from boundkit.studies.demonstrations.memory_floors import MemoryFloors
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, same, words


@pytest.fixture(scope="module")
def found() -> TabularResult:
    """By hand, one of four clients a round: a floor of 0.06, and a memory that forgets it."""
    t, coming = np.arange(101.0), np.arange(1.0, 5.0)
    formula = 0.06 * (4 - coming) / (3 * coming)
    paths = {"fedavg": 9 * 0.35**t + 0.06, "fedvarp": 9 * 0.7**t, EVERYBODY: 9 * 0.35**t}
    none = np.array([1e-30])
    made = MemoryFloors(
        coming_usually=1, tau=5, eta=np.array([0.1]), floors={"fedavg": np.array([0.06]), "fedvarp": none},
        formula=np.array([0.06]), coming=coming,
        floors_with={"fedavg": formula * (1 + 1e-14), "fedvarp": np.repeat(none, 4)},
        formula_with=formula, paths=paths,
    )  # fmt: skip
    return tabulate_result("memory_floors", "", made)


@pytest.fixture(scope="module")
def page(found: TabularResult) -> Figure:
    return drawn(figure(found))


def test_the_curves_are_those_of_the_record(found: TabularResult, page: Figure) -> None:
    paths, floors = page.axes
    for name in ("fedavg", "fedvarp", EVERYBODY):
        path = found.array(f"paths {name}")
        assert same(line(paths, f"path {name}").get_ydata(), np.where(path >= LOWEST, path, np.nan))
    for name in ("fedavg", "fedvarp"):
        dots = line(floors, f"floors {name}")
        assert same(dots.get_ydata(), found.array(f"floors_with {name}"))
        assert same(dots.get_xdata(), [0.25, 0.5, 0.75, 1])
        assert dots.get_marker() == algorithm_look(name).marker


def test_the_formula_goes_through_the_numbers_of_the_record(found: TabularResult, page: Figure) -> None:
    share, curve = np.asarray(line(page.axes[1], "formula").get_data(), dtype=float)
    at = np.interp(found.array("coming") / 4, share, curve)
    np.testing.assert_allclose(at, found.array("formula_with"), atol=1e-3 * curve[0])
    assert same(curve[-1], 0)


def test_the_headline_has_the_floor_and_the_ticks_are_shares(found: TabularResult, page: Figure) -> None:
    said = words(page).replace("\N{NBSP}", " ")
    assert f"With 1 of 4 clients a round FedAvg stays at {found.array('floors fedavg')[-1]:.2g}" in said
    assert "$C$ = 1/4" in said
    assert [tick.get_text() for tick in page.axes[1].get_xticklabels()] == ["1/4", "1/2", "3/4", "1"]
