"""Speed against bias: gaps over rounds, floors and skews against d, as their record has them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.figures.power_of_choice import bounds, figure
from boundkit.studies.demonstrations.more_candidates import CandidateRow, MoreCandidates
from boundkit.verification.tabular_result import TabularResult, tabulate_result
from tests.figures.pictures import drawn, line, names, same, words

ROUNDS = tuple(range(0, 2001, 25))
FLOORS = {"drawn by p": 0.4, "d = 3": 0.7, "d = 4": 7.0, "d = 5": 60.0}


@pytest.fixture(scope="module")
def found() -> TabularResult:
    """By hand: exponentials down to a floor, the faster the higher."""
    t = np.array(ROUNDS, dtype=float)
    gaps = {
        name: 3e5 * np.exp(-(0.016 + 0.002 * k) * t) + floor for k, (name, floor) in enumerate(FLOORS.items())
    }
    rows = [
        CandidateRow(2, 0.003, 0.99, 0.99, 1.01),
        CandidateRow(3, 0.65, 0.2, 0.2, 1.4),
        CandidateRow(4, 7.1, 0.1, 0.1, 1.9),
        CandidateRow(5, 59.0, 0.02, 0.06, 2.6),
    ]
    margin = {name: 0.3 * gap for name, gap in gaps.items()}
    made = MoreCandidates(5, 2, 4e-4, 2, 10, 8.0, 2.0, 900.0, ROUNDS, gaps, margin, rows)
    return tabulate_result("more_candidates", "", made)


@pytest.fixture(scope="module")
def page(found: TabularResult) -> Figure:
    return drawn(figure(found))


def panels(page: Figure) -> dict[str, Axes]:
    wanted = ("gaps drawn by p", "floor", "rho_bar")
    return {name: axes for name in wanted for axes in page.axes if name in names(axes)}


def test_the_curves_are_those_of_the_record(found: TabularResult, page: Figure) -> None:
    axes = panels(page)
    for name in FLOORS:
        seen = line(axes["gaps drawn by p"], f"gaps {name}")
        assert same(seen.get_ydata(), found.array(f"gaps {name}"))
        assert same(seen.get_xdata(), ROUNDS)
    assert same(line(axes["floor"], "floor").get_ydata(), found.array("by_candidates floor"))
    for name in ("rho_bar", "rho_tilde"):
        seen = line(axes["rho_bar"], name)
        assert same(seen.get_ydata(), found.array(f"by_candidates {name}"))
        assert same(seen.get_xdata(), [2, 3, 4, 5])


def test_more_candidates_are_darker_and_draws_by_p_are_dashed(page: Figure) -> None:
    axes = panels(page)["gaps drawn by p"]
    lines = [line(axes, f"gaps {name}") for name in FLOORS]
    assert [one.get_linestyle() for one in lines] == ["--", "-", "-", "-"]
    brightness = [sum(int(str(one.get_color())[k : k + 2], 16) for k in (1, 3, 5)) for one in lines[1:]]
    assert brightness == sorted(brightness, reverse=True)


def test_the_bound_is_the_term_that_stays(found: TabularResult, page: Figure) -> None:
    """L Gamma (rho_tilde - rho_bar)/(mu (1 + 3 rho_bar/16))."""
    low, high = found.array("by_candidates rho_bar"), found.array("by_candidates rho_tilde")
    np.testing.assert_allclose(bounds(found), 8 * 900 * (high - low) / (2 * (1 + 3 * low / 16)), rtol=1e-12)
    assert same(line(panels(page)["floor"], "bound").get_ydata(), bounds(found))


def test_the_headline_has_the_speed_and_the_floor(found: TabularResult, page: Figure) -> None:
    first, last = (found.array(f"gaps {name}")[10] for name in ("drawn by p", "d = 5"))
    said = words(page)
    assert f"All 5 as candidates: {first / last:.2g} times lower than draws by p after 250 rounds" in said
    assert "a floor of 59 stays" in said
