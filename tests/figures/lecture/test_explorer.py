"""Sliders in a real browser: what they show is what Python predicts."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import holds
from boundkit.figures.lecture.exploring import exploring
from boundkit.figures.lecture.folder import replace_site
from boundkit.figures.lecture.parts import Chapter, Explorer, Slider
from boundkit.figures.lecture.site import Site
from boundkit.theorems import theorem
from tests.browser import Browser, Visit

PARTIAL = Explorer(
    "fedavg_nonconvex_partial",
    "Every term",
    (
        *(Slider("tau", 1, 100), Slider("eta", 1e-5, 0.1), Slider("eta_s", 0.1, 10, log=False)),
        *(Slider("sigma_g", 0.01, 10), Slider("sigma", 0.01, 10), Slider("T", 10, 1e6)),
        *(Slider("m", 10, 1000), Slider("C", 0.01, 1)),
    ),
    along="tau",
    values={"m": 100, "C": 0.1, "eta": 0.001},
)  # fmt: skip
NOVA = Explorer(
    "fednova_nonconvex",
    "Unequal work",
    (Slider("eta", 1e-5, 0.1), Slider("sigma", 0.01, 10), Slider("rho_momentum", 0.01, 0.99, log=False)),
    along="eta",
    values={"tau_i": [2, 5, 9], "p_i": [0.2, 0.3, 0.5], "solver": "momentum"},
)
EXPLORERS = (PARTIAL, NOVA)
POINTS = 300
CLOSE = 1e-12


@pytest.fixture(scope="module")
def visit(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A page with both explorers."""
    folder = tmp_path_factory.mktemp("explorers") / "site"
    chapter = Chapter("one", "One", "?", EXPLORERS)
    replace_site(folder, Site((chapter,), {name: theorem(name) for name in chapter.theorems}, {}).files())
    with chromium.visit() as visit:
        visit.open(folder / "one.html")
        yield visit


@pytest.fixture(params=range(2), ids=["scalars", "clients"])
def explored(request: pytest.FixtureRequest, visit: Visit) -> tuple[Explorer, Any]:
    """An explorer and its figure."""
    place: int = request.param
    return EXPLORERS[place], visit.page.locator(".explorer").nth(place)


def read(figure: Any) -> dict[str, Any]:
    found: dict[str, Any] = figure.evaluate("figure => figure.boundkit")
    return found


@pytest.mark.browser
def test_at_300_random_places_of_the_sliders_the_page_says_what_python_predicts(
    explored: tuple[Explorer, Any], visit: Visit
) -> None:
    part, figure = explored
    draws = np.random.default_rng(0).integers(0, 1001, (POINTS, len(part.sliders))).tolist()
    seen = figure.evaluate(
        """(figure, draws) => {
            const inputs = Array.from(figure.querySelectorAll("input[type=range]"));
            return draws.map(places => {
                places.forEach((place, k) => {
                    inputs[k].value = place;
                    inputs[k].dispatchEvent(new Event("input"));
                });
                const said = figure.querySelector(".total").textContent;
                return { ...figure.boundkit, said, own: inputs.map(one => one.dataset.name) };
            });
        }""",
        draws,
    )
    assert seen[0]["own"] == [slider.name for slider in part.sliders]
    statement = exploring(part, theorem(part.theorem), "x").begins.theorem
    values = {q.name: np.array([one["q"][q.name] for one in seen]) for q in statement.quantities}
    expected = {t.label: np.broadcast_to(evaluate(t.expr, values), POINTS) for t in statement.terms}
    total = np.sum(list(expected.values()), axis=0)
    assert [one["total"] for one in seen] == pytest.approx(total, rel=CLOSE)
    for place, term in enumerate(expected.values()):
        assert [one["terms"][place] for one in seen] == pytest.approx(term, rel=CLOSE, abs=1e-300)
    inside = holds(statement, values)
    assert [one["inside"] for one in seen] == inside.tolist()
    assert [spoken(one["said"]) for one in seen] == pytest.approx(total, rel=6e-3)
    assert len(np.unique(total)) > 0.9 * POINTS  # the sliders do move it
    assert set(inside.tolist()) == {True, False}
    visit.assert_quiet()


def spoken(text: str) -> float:
    """The number in what a reader reads.

    >>> spoken("1.5×10⁻⁷"), spoken("10⁴"), spoken("0.25")
    (1.5e-07, 10000.0, 0.25)
    """
    raised = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
    power = "".join(sign for sign in text if sign in raised)
    if not power:
        return float(text)
    mantissa, _, _ = text.rpartition("×")
    return float(mantissa or 1) * 10.0 ** int(power.translate(str.maketrans(raised, "0123456789-")))


@pytest.mark.browser
def test_the_keyboard_moves_a_slider_the_table_and_the_sentence(
    explored: tuple[Explorer, Any], visit: Visit
) -> None:
    part, figure = explored
    figure.locator("input[data-name=eta]").fill("900")
    figure.get_by_role("button", name="Start again").click()
    begins = read(figure)["total"]
    expected = exploring(part, theorem(part.theorem), "x").begins
    assert begins == pytest.approx(float(expected.total), rel=CLOSE)
    eta = figure.locator("input[data-name=eta]")
    eta.focus()
    before = eta.get_attribute("aria-valuetext")
    for _ in range(5):
        visit.page.keyboard.press("ArrowRight")
    assert eta.get_attribute("aria-valuetext") != before
    assert read(figure)["q"]["eta"] > expected.parameters.values["eta"]
    largest = read(figure)["terms"].index(max(read(figure)["terms"]))
    label = expected.theorem.terms[largest].label
    said = figure.locator(".said")
    said.filter(has_text=f"the largest term is {label}").wait_for()
    assert figure.locator("tr.dominant").get_attribute("data-term") == label
    eta.evaluate("node => { node.value = 1000; node.dispatchEvent(new Event('input')); }")
    assert "outside: the condition ends at" in figure.locator(".slider.outside .note").inner_text()
    said.filter(has_text="the theorem says nothing").wait_for()
    visit.assert_quiet()


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1920])
def test_nothing_sticks_out_on_a_phone_or_a_projector(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


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
