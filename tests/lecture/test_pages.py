"""Every page of the lecture in a real browser: quiet, whole on a phone, led by keys, judged by its quiz."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

import numpy as np
import pytest

from boundkit.analysis.outer_optimisers import OuterOptimiser, best_outer_optimiser, decay
from boundkit.lecture.chapters import ORDER
from boundkit.lecture.parts import Exercises, Explorer, Part, Quiz, Simulation
from boundkit.lecture.site import replace_site
from tests.browser import Browser, Visit
from tests.lecture import whole_site
from tests.lecture.places import MOVED, assert_seen, drawn_places, expected_at
from tests.lecture.whole_site import NUMBERS, PICTURE, files

pytestmark = pytest.mark.browser
EVERY = {c.slug: c for c in whole_site.EVERY}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90"><rect width="160" height="90"/></svg>'


@pytest.fixture(scope="module")
def lecture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("lecture") / "site"
    replace_site(site, files() | {PICTURE.light: SVG, PICTURE.dark: SVG, NUMBERS: ""})
    return site


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    with chromium.visit() as one:
        yield one
        one.assert_quiet()


@pytest.fixture(scope="module", params=["index", "references", *ORDER])
def opened(request: pytest.FixtureRequest, lecture: Path, chromium: Browser) -> Iterator[tuple[str, Visit]]:
    """A page, opened once for all that is asked of every page: its name and its visit."""
    with chromium.visit() as one:
        one.open(lecture / f"{request.param}.html")
        yield request.param, one
        one.assert_quiet()


def of_kind(slug: str, kind: type[Part]) -> list[Part]:
    return [p for p in EVERY[slug].parts if isinstance(p, kind)] if slug in EVERY else []


def test_a_page_comes_alive(opened: tuple[str, Visit]) -> None:
    slug, visit = opened
    for kind, name, alive in (
        (Explorer, "explorer", ".chart svg path"),
        (Simulation, "simulation", "svg path"),
    ):
        assert visit.page.locator(f".{name}").count() == len(of_kind(slug, kind))
        if of_kind(slug, kind):
            visit.page.locator(f".{name} {alive}").first.wait_for(state="attached")


SIZES = ((1366, 768), (1024, 768), (390, 844), (844, 390))
HEIGHTS = """() => {
    const bar = document.querySelector(".bar").offsetHeight;
    const figures = [...document.querySelectorAll("main figure")];
    return [bar, figures.map(one => [one.id, one.getBoundingClientRect().height])];
}"""
DRAWN_ANEW = """() => new Promise(done => requestAnimationFrame(
    () => requestAnimationFrame(() => setTimeout(done))))"""


def test_a_figure_with_its_controls_is_one_screen_and_a_chapter_twelve(opened: tuple[str, Visit]) -> None:
    page = opened[1].page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN_ANEW)
        bar, figures = page.evaluate(HEIGHTS)
        most = min(700 if height == 768 else height, height - bar)
        assert {name: tall for name, tall in figures if tall > most} == {}, (width, height)
        if (width, height) == (1366, 768):
            assert page.evaluate("document.documentElement.scrollHeight") <= 12 * height


EXPLORERS = [p for slug in ORDER for p in of_kind(slug, Explorer)]
POINTS = max(20, ceil(300 / len(EXPLORERS)))


def test_sliders_moved_at_random_show_what_python_predicts(opened: tuple[str, Visit]) -> None:
    slug, visit = opened
    for figure, part in zip(visit.page.locator(".explorer").all(), of_kind(slug, Explorer), strict=True):
        assert isinstance(part, Explorer)
        draws = drawn_places(part, POINTS, seed=EXPLORERS.index(part))
        assert_seen(figure.evaluate(MOVED, draws), part, expected_at(part, draws))


def test_the_map_of_an_outer_optimiser_shows_what_python_computes(lecture: Path, visit: Visit) -> None:
    page = visit.open(lecture / "sampling.html")
    figure = page.locator(".stability")
    figure.locator(".map rect").first.wait_for(state="attached")
    figure.locator("input[data-name=eta_s]").press("ArrowRight")
    before = figure.evaluate("one => one.boundkit")
    outer = OuterOptimiser(before["q"]["eta_s"], 0.9, 1)
    q = decay(0.1, np.array([0.01, 1]), 10)
    assert before["largest"] == pytest.approx(outer.largest / q[1])
    assert before["rounds"] == pytest.approx(-np.log(10) / np.log(outer.contraction(q).max()))
    assert before["noise"] == pytest.approx(outer.amplification(q[0]))
    figure.get_by_role("button", name="Take the best").click()
    assert figure.evaluate("one => one.boundkit.q.beta_s") == pytest.approx(best_outer_optimiser(*q)[0].beta)
    figure.locator(".map svg").click(position={"x": 60, "y": 60})
    assert figure.evaluate("one => one.boundkit.rounds") == float("inf")  # outside the edge


OPENED = """() => {
    const every = words => [...document.querySelectorAll(words)];
    every("main details, .toc details").forEach(one => { one.open = true; });
    every(".drawing").forEach(one => { one.hidden = false; });
    every(".question").forEach(one => one.classList.add("answered"));
}"""
"""Every answer told, every solution of every drawing opened."""


def test_a_page_fits_phones_and_a_projector_with_all_its_answers(opened: tuple[str, Visit]) -> None:
    page = opened[1].page
    page.evaluate(OPENED)
    for width in (320, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ends = page.locator(".values td.total").evaluate_all("all => all.map(e => e.getBoundingClientRect())")
        assert all(0 < end["left"] < end["right"] <= width for end in ends)


STOPS = """() => Array.from(document.querySelectorAll(".formula, .wide")).map(one => {
    const named = document.getElementById(one.getAttribute("aria-labelledby"))?.textContent ?? one.ariaLabel;
    const region = one.getAttribute("role") === "region";
    return [one.scrollWidth > one.clientWidth, one.tabIndex === 0, region && named];
})"""


def test_what_scrolls_is_a_stop_with_a_name_and_what_fits_is_none(opened: tuple[str, Visit]) -> None:
    page, found = opened[1].page, set()
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("() => new Promise(requestAnimationFrame).then(() => true)")
        for scrolls, stop, named in page.evaluate(STOPS):
            assert stop == scrolls == bool(named)
            found.add((width, scrolls))
    assert (1280, True) not in found
    assert (360, True) in found or opened[0] in ("index", "references")


def test_a_table_that_is_wider_than_a_phone_is_one_block_a_row(lecture: Path, chromium: Browser) -> None:
    with chromium.visit(390, 844) as visit:
        page = visit.open(lecture / "data.html")
        assert page.locator(".stacked").count() == 1
        assert page.locator(".stacked td .column").first.is_visible()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate(DRAWN_ANEW)
        assert page.locator(".stacked").count() == 0
        assert not page.locator("td .column").first.is_visible()


def test_a_handout_has_no_answers(lecture: Path, visit: Visit) -> None:
    page = visit.open(lecture / f"{next(s for s in ORDER if of_kind(s, Quiz))}.html")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for shown, hidden in ((".question label", ".why"), (".exercise .drawing p", ".solution")):
        assert page.locator(shown).first.is_visible()
        assert page.locator(hidden).locator("visible=true").count() == 0


def test_slides_go_by_keys_and_the_notes_hold_the_answer_and_a_clock(lecture: Path, visit: Visit) -> None:
    page = visit.page
    page.goto((lecture / f"{ORDER[0]}.html").as_uri() + "?slides")
    assert page.locator("main > .current h1").is_visible()
    page.keyboard.press("ArrowRight")
    figure, reply = page.locator("main > .current figure"), page.locator("main > .current .reply")
    assert figure.is_visible()
    assert figure.locator(".ask").is_visible()
    assert page.locator("main > section").locator("visible=true").count() == 1
    assert not reply.is_visible()
    page.keyboard.press("n")
    assert reply.is_visible()
    assert page.locator(".clock").inner_text().startswith("00:")
    assert page.locator("main > .said").count() == 0
    for _ in range(page.locator("main > section.part").count()):
        page.keyboard.press("ArrowRight")
        if page.locator("main > .said").count():
            break
    assert page.locator("main > .said p").first.is_visible()
    page.keyboard.press("n")
    assert not page.locator("main > .said p").first.is_visible()
    page.keyboard.press("n")
    page.keyboard.press("End")
    assert page.locator("main > .current h2").inner_text().startswith("Limitations")
    last = page.locator(".foot .number").inner_text()
    page.reload()
    assert page.locator(".foot .number").inner_text() == last


def test_a_link_shows_what_its_writer_saw(lecture: Path, visit: Visit) -> None:
    explored = next(p for p in of_kind(ORDER[0], Explorer) if isinstance(p, Explorer))
    page = visit.page
    page.goto((lecture / f"{ORDER[0]}.html").as_uri() + "#the-four-terms-of-fedavg-s-bound&tau=20&as=lines")
    figure = page.locator(".explorer").first
    assert figure.evaluate("one => one.boundkit.q.tau") == 20 != explored.values["tau"]
    assert figure.evaluate("one => one.getBoundingClientRect().top") < 900
    page.locator(".explorer input[data-name=eta]").first.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('&eta=')")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert figure.evaluate("one => one.boundkit.q.tau") == 20
    assert figure.evaluate("one => one.boundkit.q.eta") > explored.values["eta"]


def test_the_arrows_turn_pages_and_leave_sliders_alone(lecture: Path, visit: Visit) -> None:
    page = visit.open(lecture / f"{ORDER[0]}.html")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/{ORDER[1]}.html")
    page.locator(".explorer input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    assert page.url.endswith(f"/{ORDER[1]}.html")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/{ORDER[0]}.html")


def test_the_quiz_judges_and_tells_why(lecture: Path, visit: Visit) -> None:
    slug, quiz = next((c.slug, p) for c in EVERY.values() for p in c.parts if isinstance(p, Quiz))
    question = quiz.make()[0]
    page = visit.open(lecture / f"{slug}.html")
    asked = page.locator(".question").first
    asked.locator("summary").first.click()
    wrong = next(i for i in range(len(question.choices)) if i != question.right)
    assert not asked.locator(".why").is_visible()
    asked.locator("input").nth(wrong).check()
    assert asked.locator(".verdict").inner_text() == "Not so."
    assert not asked.locator(".why p").first.is_visible()
    asked.locator("input").nth(question.right).check()
    assert asked.locator(".verdict").inner_text() == "Right."
    assert asked.locator(".why p").first.is_visible()


def test_an_exercise_has_other_numbers(lecture: Path, visit: Visit) -> None:
    slug = next(c.slug for c in EVERY.values() for p in c.parts if isinstance(p, Exercises))
    page = visit.open(lecture / f"{slug}.html")
    exercise = page.locator(".exercise").first
    exercise.locator("summary").first.click()
    before = exercise.inner_text()
    exercise.get_by_role("button", name="Other numbers").click()
    assert exercise.inner_text() != before
    exercise.get_by_text("Solution").locator("visible=true").click()
    assert exercise.locator("ol").locator("visible=true").count() == 1


def test_every_control_has_a_name_for_who_does_not_see_it(lecture: Path, visit: Visit) -> None:
    page = visit.open(lecture / f"{ORDER[1]}.html")
    page.locator(".simulation svg path").first.wait_for(state="attached")
    nameless = page.evaluate(
        """() => Array.from(document.querySelectorAll("input, select, button, svg[role=img], summary"))
            .filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()
                             || one.getAttribute("aria-labelledby")))
            .map(one => one.outerHTML.slice(0, 120))"""
    )
    assert nameless == []
