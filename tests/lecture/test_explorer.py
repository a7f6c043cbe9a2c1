"""Sliders in a real browser: what they show is what Python predicts."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import quickjs

from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest
from boundkit.lecture.chapters import chapters
from boundkit.lecture.page_data import explorer_data
from boundkit.lecture.parts import Chapter, Explorer, Slider
from boundkit.lecture.site import Site, replace_site
from boundkit.theorems import theorem
from tests.browser import Browser, Visit
from tests.cases import each
from tests.lecture.places import CLOSE, MOVED, assert_seen, drawn_places, expected_at, judged
from tests.lecture.simulating import ASSETS

NOVA = Explorer(
    "fednova_nonconvex",
    "Unequal work",
    (Slider("eta", 1e-5, 0.1), Slider("sigma", 0.01, 10), Slider("rho_momentum", 0.01, 0.99, log=False)),
    along="eta",
    values={"tau_i": [2, 5, 9], "p_i": [0.2, 0.3, 0.5], "solver": "momentum"},
)
LECTURED = [part for chapter in chapters() for part in chapter.parts if isinstance(part, Explorer)]
SELECTION = next(part for part in LECTURED if part.theorem == "biased_selection_strongly_convex_fixed")
POINTS = 100


@pytest.fixture(scope="module")
def visit(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A page with two explorers: of clients by their vectors with a slider that is not logarithmic, and one
    of a bound that needs more than its condition."""
    folder = tmp_path_factory.mktemp("explorers") / "site"
    chapter = Chapter("one", "One", "?", (NOVA, SELECTION))
    replace_site(folder, Site((chapter,), {name: theorem(name) for name in chapter.theorems}, {}).files())
    with chromium.visit() as visit:
        visit.open(folder / "one.html")
        yield visit


@pytest.mark.browser
def test_sliders_over_given_clients_show_what_python_predicts(visit: Visit) -> None:
    draws = drawn_places(NOVA, POINTS, seed=0)
    expected = expected_at(NOVA, draws)
    assert_seen(visit.page.locator(".explorer").first.evaluate(MOVED, draws), NOVA, expected)
    assert set(expected.inside.tolist()) == {True, False}
    visit.assert_quiet()


@pytest.mark.browser
def test_the_keyboard_moves_a_slider_the_table_and_the_sentence(visit: Visit) -> None:
    figure = visit.page.locator(".explorer").first

    def shown() -> Any:
        return figure.evaluate("figure => figure.boundkit")

    figure.locator("input[data-name=eta]").fill("900")
    figure.get_by_role("button", name="Start again").click()
    expected = explorer_data(NOVA, theorem(NOVA.theorem), "x").initial
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
    said = figure.locator(".announcement")
    said.filter(has_text=f"the largest term is {label}").wait_for()
    assert figure.locator("tr.dominant").get_attribute("data-term") == label
    eta.evaluate("node => { node.value = 1000; node.dispatchEvent(new Event('input')); }")
    said.filter(has_text="the theorem does not apply").wait_for()
    note = figure.locator(".slider.outside .note").filter(has_text="outside: the condition ends at")
    note.wait_for()
    assert eta.get_attribute("aria-describedby") == note.get_attribute("id")
    visit.assert_quiet()


@pytest.mark.browser
def test_what_a_bound_needs_and_does_not_get_is_named(visit: Visit) -> None:
    figure = visit.page.locator(".explorer").nth(1)
    needed = figure.locator("input[data-name=rho_tilde]")
    needed.evaluate("node => { node.value = 0; node.dispatchEvent(new Event('input')); }")
    figure.locator(".announcement").filter(
        has_text="no meaning at these values: it needs rho_tilde >= rho_bar"
    ).wait_for()
    assert figure.locator(".chart svg text").all_text_contents() == [
        "no bound here: it needs rho_tilde >= rho_bar"
    ]
    notes = dict(figure.locator(".slider").evaluate_all(NOTES))
    assert notes["rho_tilde"] == "outside: the condition begins at 1"
    assert notes["rho_bar"] == "outside: the condition ends at 0.1"
    assert notes["eta"] == "outside wherever this stands"
    assert notes["T"] == ""
    visit.assert_quiet()


NOTES = """rows => rows.map(
    row => [row.querySelector("input").dataset.name, row.querySelector(".note").textContent]
)"""


@each("part", LECTURED, ids=[part.theorem for part in LECTURED])
def test_the_condition_ends_on_every_slider_where_python_says(part: Explorer) -> None:
    explored = explorer_data(part, theorem(part.theorem), "x")
    statement, settings = explored.initial.theorem, explored.settings
    engine = quickjs.Context()
    for name in ("drawing", "explorer/sliders", "explorer/limits"):
        engine.eval((ASSETS / f"{name}.js").read_text())
    engine.eval(explored.script)
    for slider in settings["sliders"]:
        if not slider["limited"]:
            continue
        stretches = json.loads(engine.eval(f"{ENDS}({json.dumps([slider, settings['values']])}))"))
        for at in (end for stretch in stretches for end in stretch if end is not None):
            steps = np.array([-1, 0, 1]) if slider["whole"] else np.array([-1e-9, 0, 1e-9]) * at
            values = {**settings["values"], slider["name"]: at + steps}
            before, here, after = judged(statement, values, 3)[1].tolist()
            assert here
            assert before != after
        if slider["name"] == "eta":
            limit = float(evaluate(largest(statement), settings["values"]))
            assert stretches == [[None, pytest.approx(limit) if limit < slider["high"] else None]]


ENDS = """JSON.stringify((([slider, q]) => boundkitExplorer.allowed(boundkit.x, slider, q).map(
    one => [one.begins, one.ends].map(
        share => share === null ? null : boundkitExplorer.at(slider, q, share)[slider.name]
    )
))"""
