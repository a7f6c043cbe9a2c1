from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from boundkit.algebra import BoundkitError
from boundkit.analysis.predict import Prediction, predict
from boundkit.figures.style import cause_style, colour
from boundkit.figures.terms import default_axes, figure
from boundkit.theorems import catalogue, theorem
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, end_labels, line, outside, overlaps, same, words
from tests.representatives import REPRESENTATIVES

PARTIAL = theorem("fedavg_nonconvex_partial")
TAU = [1, 2, 4, 8, 16, 32, 64]


def along_tau(**values: object) -> Prediction:
    return predict(PARTIAL, **{"tau": TAU, "eta": 0.002, **values})


def shaded(axes: Axes) -> list[tuple[float, float]]:
    found = axes.findobj(lambda artist: artist.get_gid() == "outside")
    return [(r.get_x(), r.get_x() + r.get_width()) for r in found if isinstance(r, Rectangle)]


@each("preset", ["paper", "dark"])
def test_each_term_is_drawn_as_predicted_in_the_colour_of_its_cause(preset: str) -> None:
    prediction = along_tau()
    axes = figure(prediction, preset).axes[0]
    for term in PARTIAL.terms:
        seen = line(axes, f"term {term.label}")
        values = np.asarray(prediction.terms[term.label])
        assert same(seen.get_xdata(), TAU)
        assert same(seen.get_ydata(), np.where(values > 0, values, np.nan))
        assert same_color(seen.get_color(), colour(term.cause, dark=preset == "dark"))
        assert (seen.get_linestyle() == "-") == (cause_style(term.cause).dashes == "solid")
    assert same(line(axes, "bound").get_ydata(), prediction.total)
    assert np.isnan(line(axes, "term client drift").get_ydata()[0])  # type: ignore[index]  # no drift in one step


def test_values_in_any_order_make_one_line_from_left_to_right() -> None:
    forth, back = figure(along_tau()).axes[0], figure(along_tau(tau=TAU[::-1])).axes[0]
    for name in ("bound", "term client drift"):
        assert same(line(back, name).get_xydata(), line(forth, name).get_xydata())


def test_where_the_step_is_too_large_the_ground_is_shaded_and_it_is_said() -> None:
    prediction = along_tau()
    holds = np.asarray(prediction.holds)
    assert holds.tolist() == [True] * 5 + [False] * 2
    page = figure(prediction)
    edges = shaded(page.axes[0])
    assert edges == [
        pytest.approx((np.sqrt(16 * 32), np.sqrt(32 * 64))),
        pytest.approx((np.sqrt(32 * 64), 64)),
    ]
    assert "Shaded: the step size is outside the condition" in words(page)
    inside = figure(along_tau(eta=1e-4))
    assert shaded(inside.axes[0]) == []
    assert "Shaded" not in words(inside)


def test_two_axes_make_panels_both_ways_round() -> None:
    prediction = along_tau(C=[0.1, 0.2, 0.5, 1])
    page = figure(prediction)
    assert len(page.axes) == 6
    titles = [axes.get_title("left") for axes in page.axes]
    assert titles == [r"$C$ = 0.1", r"$C$ = 0.5", r"$C$ = 1", r"$\tau$ = 1", r"$\tau$ = 8", r"$\tau$ = 64"]
    assert same(line(page.axes[1], "bound").get_ydata(), np.asarray(prediction.total)[:, 2])
    assert same(line(page.axes[4], "bound").get_ydata(), np.asarray(prediction.total)[3, :])
    assert same(line(page.axes[4], "bound").get_xdata(), [0.1, 0.2, 0.5, 1])
    heights = {axes.get_ylim() for axes in page.axes}
    assert len(heights) == 1


def test_a_term_that_ends_at_zero_in_the_labelled_panel_is_labelled_there() -> None:
    last = figure(along_tau(C=[0.1, 1])).axes[1]
    labels = {label.text: label for label in end_labels(last).labels}
    assert labels["partial participation: 0"].line is None


NOTHING_TO_VARY = {"fedau_cutoff_bias", "fedavg_active_bias", "fedavg_all_bias", "fedavg_surrogate_optimum"}
"""What these bound is 0 for clients that are alike."""


@cache
def axes_of(name: str) -> dict[str, Any]:
    return default_axes(theorem(name), {})


def assert_readable(name: str, preset: str) -> None:
    statement = theorem(name)
    if name in NOTHING_TO_VARY:
        with pytest.raises(BoundkitError, match="has no quantity that could be varied"):
            default_axes(statement, {})
        return
    page = figure(predict(statement, **axes_of(name)), preset)
    assert overlaps(page) == [], (name, preset)
    assert outside(page) == [], (name, preset)


def test_no_texts_overlap_or_leave_the_page() -> None:
    """The fewest and the most terms along one axis and two, on paper and for a presentation by turns."""
    shapes = sorted(
        (len(axes_of(n)), len(theorem(n).terms), n) for n in REPRESENTATIVES if n not in NOTHING_TO_VARY
    )
    one, two = ([n for axes, _, n in shapes if axes == count] for count in (1, 2))
    for place, name in enumerate([*sorted(NOTHING_TO_VARY)[:1], one[0], one[-1], two[-1], two[0]]):
        assert_readable(name, LAYOUTS[place % len(LAYOUTS)])


@pytest.mark.slow
@each("preset", LAYOUTS)
def test_no_texts_of_any_theorem_overlap_or_leave_the_page(preset: str) -> None:
    for name in catalogue():
        assert_readable(name, preset)


SPARSE: tuple[dict[str, list[float]], ...] = (
    {"tau": [3]},
    {"tau": [1, 2], "C": [0.1]},
    {"sigma_g": [0, 1, 2]},
)


@each("preset", thinned(LAYOUTS, 1))
def test_sparse_axes_are_marked_and_nothing_overlaps(preset: str) -> None:
    for axes in SPARSE:
        page = figure(predict(PARTIAL, **axes, eta=0.001), preset)
        assert line(page.axes[0], "term initial gap").get_marker() == "o", axes
        assert overlaps(page) == [], axes


@each("axes", [{}, {"tau": [1, 2], "eta": [0.1, 0.2], "L": [1, 2]}])
def test_another_number_of_axes_and_mistakes_in_values_are_refused(axes: dict[str, list[float]]) -> None:
    with pytest.raises(BoundkitError, match=r"needs one or two parameters that are lists"):
        figure(predict(PARTIAL, **axes))
    for values, said in (
        ({"eta": -1}, "^eta = -1 was given"),
        ({"T": 0}, "^T = 0 was"),
        ({"m": 10, "C": 0.25}, "^m = 10 and C"),
    ):
        with pytest.raises(BoundkitError, match=said):
            default_axes(PARTIAL, values)


def test_usual_axes_are_legal_and_leave_what_is_given_alone() -> None:
    assert list(default_axes(PARTIAL, [])) == ["tau", "C"]
    assert list(default_axes(PARTIAL, ["C"])) == ["tau"]
    assert list(default_axes(PARTIAL, ["m"])) == ["tau"]  # C m must be whole for the m that was given
    assert list(default_axes(PARTIAL, ["tau"])) == ["eta"]
    assert list(default_axes(theorem("sgd_nonconvex"), [])) == ["eta"]
    assert list(default_axes(theorem("sgd_nonconvex"), ["eta"])) == ["T"]
    for name, statement in catalogue().items():
        if name not in NOTHING_TO_VARY:
            assert predict(statement, **axes_of(name)).points >= 9
