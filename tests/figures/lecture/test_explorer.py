"""Sliders in a real browser: what they show is what Python predicts."""

from collections.abc import Iterator
from typing import Any

import pytest

from boundkit.algebra import BoundkitError
from boundkit.figures.lecture.exploring import exploring
from boundkit.figures.lecture.folder import replace_site
from boundkit.figures.lecture.parts import Chapter, Explorer, Slider
from boundkit.figures.lecture.site import Site
from boundkit.theorems import theorem
from tests.browser import Browser, Visit
from tests.figures.lecture.places import CLOSE, MOVED, assert_seen, drawn_places, expected_at

NOVA = Explorer(
    "fednova_nonconvex",
    "Unequal work",
    (Slider("eta", 1e-5, 0.1), Slider("sigma", 0.01, 10), Slider("rho_momentum", 0.01, 0.99, log=False)),
    along="eta",
    values={"tau_i": [2, 5, 9], "p_i": [0.2, 0.3, 0.5], "solver": "momentum"},
)
POINTS = 100


@pytest.fixture(scope="module")
def visit(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A page with one explorer, of clients by their vectors and a slider that is not logarithmic."""
    folder = tmp_path_factory.mktemp("explorers") / "site"
    chapter = Chapter("one", "One", "?", (NOVA,))
    replace_site(folder, Site((chapter,), {name: theorem(name) for name in chapter.theorems}, {}).files())
    with chromium.visit() as visit:
        visit.open(folder / "one.html")
        yield visit


@pytest.mark.browser
def test_sliders_over_given_clients_show_what_python_predicts(visit: Visit) -> None:
    draws = drawn_places(NOVA, POINTS, seed=0)
    expected = expected_at(NOVA, draws)
    assert_seen(visit.page.locator(".explorer").evaluate(MOVED, draws), NOVA, expected)
    assert set(expected.inside.tolist()) == {True, False}
    visit.assert_quiet()


@pytest.mark.browser
def test_the_keyboard_moves_a_slider_the_table_and_the_sentence(visit: Visit) -> None:
    figure = visit.page.locator(".explorer")

    def shown() -> Any:
        return figure.evaluate("figure => figure.boundkit")

    figure.locator("input[data-name=eta]").fill("900")
    figure.get_by_role("button", name="Start again").click()
    expected = exploring(NOVA, theorem(NOVA.theorem), "x").begins
    assert shown()["total"] == pytest.approx(float(expected.total), rel=CLOSE)
    eta = figure.locator("input[data-name=eta]")
    eta.focus()
    before = eta.get_attribute("aria-valuetext")
    for _ in range(5):
        visit.page.keyboard.press("ArrowRight")
    assert eta.get_attribute("aria-valuetext") != before
    assert shown()["q"]["eta"] > expected.parameters.values["eta"]
    largest = shown()["terms"].index(max(shown()["terms"]))
    label = expected.theorem.terms[largest].label
    said = figure.locator(".said")
    said.filter(has_text=f"the largest term is {label}").wait_for()
    assert figure.locator("tr.dominant").get_attribute("data-term") == label
    eta.evaluate("node => { node.value = 1000; node.dispatchEvent(new Event('input')); }")
    said.filter(has_text="the theorem says nothing").wait_for()
    visit.assert_quiet()


def wrong(**changes: Any) -> Explorer:
    told = {"theorem": "sgd_nonconvex", "title": "t", "sliders": (Slider("eta", 0.01, 1),), "along": "eta"}
    return Explorer(**{**told, **changes})


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (wrong(along="etaa"), "unknown slider of 't' 'etaa'; did you mean 'eta'?"),
        (wrong(sliders=(Slider("tau", 1, 9),), along="tau"), "unknown quantity of sgd_nonconvex 'tau'"),
        (wrong(sliders=(Slider("eta", 0, 1),)), "the slider of eta ends at 0, but it must be above 0"),
        (wrong(sliders=(Slider("eta", 1, 1),)), "the slider of eta goes from 1 to 1"),
        (wrong(values={"m": 0.5}), "m = 0.5 was given, but it must be a whole number"),
    ],
)
def test_an_explorer_that_cannot_be_is_refused(part: Explorer, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        exploring(part, theorem(part.theorem), "x")
