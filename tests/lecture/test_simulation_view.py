"""The figure in a browser: what the reader moves moves the numbers, to those of the exact engine."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from boundkit.lecture.page_data import PRESETS, run_of
from boundkit.lecture.parts import Chapter, Simulation
from boundkit.lecture.site import Site, replace_site
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from tests.browser import Browser, Visit

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def all_of_them(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A chapter with every preset."""
    chapter = Chapter("all", "All", "?", tuple(Simulation(key) for key in PRESETS))
    named = {settings["theorem"]["name"] for settings in PRESETS.values() if "theorem" in settings}
    folder = tmp_path_factory.mktemp("simulation") / "site"
    replace_site(folder, Site((chapter,), {name: theorem(name) for name in named}, {}).files())
    with chromium.visit() as visit:
        visit.open(folder / "all.html")
        yield visit


@pytest.fixture
def visit(all_of_them: Visit) -> Iterator[Visit]:
    yield all_of_them
    all_of_them.assert_quiet()


Show = Callable[[str], Any]
ALONE = """given => {
    const figure = document.createElement('figure');
    document.querySelector('main').replaceChildren(figure);
    boundkitSimulation.mount(figure, given);
}"""


@pytest.fixture
def show(visit: Visit) -> Show:
    """The page with one preset alone, as it begins."""
    visit.page.set_viewport_size({"width": 1280, "height": 900})
    visit.page.emulate_media(media="screen", reduced_motion="no-preference")

    def shown(key: str) -> Any:
        visit.page.evaluate(ALONE, PRESETS[key])
        return visit.page

    return shown


def slide(page: Any, name: str, value: float) -> None:
    page.eval_on_selector(
        f"input[name={name}]",
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }",
        value,
    )
    frame(page)


def frame(page: Any) -> None:
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def says(page: Any) -> str:
    return str(page.inner_text(".simulation-says"))


def limit_distance(page: Any) -> float:
    found = re.search(r"Its limit is ([0-9.]+) from x\*", says(page))
    assert found, says(page)
    return float(found[1])


DRAWN = """all => all.map(figure => {
    const every = what => [...figure.querySelectorAll(what)], box = e => e.getBoundingClientRect();
    const plane = figure.querySelector('.simulation-plane > svg');
    return {
        labels: every('svg[role=img]').map(e => e.getAttribute('aria-label')),
        says: figure.querySelector('.simulation-says').innerText,
        out: every('button, select, input, output, svg').map(box).filter(
            r => r.width > 0 && (r.right > innerWidth || r.left < 0)).length,
        paths: every('svg[role=img] path').map(e => e.getAttribute('d')),
        scale: plane.viewBox.baseVal.width / box(plane).width,
    };
})"""


@pytest.mark.parametrize("width", [360, 1920])
def test_every_preset_is_drawn_and_fits_a_phone_and_a_hall(visit: Visit, width: int) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 1000})
    page.eval_on_selector_all(".more", "all => all.forEach(one => { one.open = true; })")
    frame(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    figures = page.eval_on_selector_all("figure", DRAWN)
    assert len(figures) == len(PRESETS)
    for figure in figures:
        assert len(figure["labels"]) == 2
        assert figure["says"] in figure["labels"][0]
        assert figure["out"] == 0
        assert len(figure["paths"]) > 10
        assert not any("NaN" in d or "undefined" in d for d in figure["paths"])
        assert figure["scale"] == pytest.approx(1, abs=0.01)  # drawn anew, so that letters keep their size


@pytest.mark.parametrize(
    ("key", "slider", "value", "change"),
    [
        ("two_clients", "tau", 20, {"local_steps": 20}),
        ("two_clients", "eta", 0.12, {"eta": 0.12}),
        ("unequal_hessians", "eta", 0.05, {"eta": 0.05}),
        ("unequal_steps", "tau_3", 2, {"local_steps": [2, 5, 2]}),
    ],
)
def test_a_slider_moves_the_fixed_point_to_that_of_python(
    show: Show, key: str, slider: str, value: float, change: dict[str, Any]
) -> None:
    page = show(key)
    before = limit_distance(page)
    slide(page, slider, value)
    run = run_from_spec("fedavg", run_of(PRESETS[key]) | change)
    away = float(abs(((fixed_point(run).points[0] - run.problem.centre) ** 2).sum()) ** 0.5)
    assert limit_distance(page) != before
    assert limit_distance(page) == pytest.approx(away, rel=6e-3)  # three digits are shown


def test_a_run_that_diverges_is_told(show: Show) -> None:
    page = show("two_clients")
    slide(page, "tau", 40)
    slide(page, "eta", 0.6)
    assert "does not converge" in page.inner_text(".simulation-says")
    assert page.locator("text.diverges").all_text_contents() == ["diverges: it leaves the frame"] * 2
    slide(page, "rounds", 100)
    assert "The run diverges" in page.inner_text(".simulation-says")


def test_buttons_take_rounds(show: Show) -> None:
    page = show("two_clients")
    page.get_by_role("button", name="Start again").click()
    assert says(page).startswith("After 0 rounds the mean is 3.67 from x*, at 0.")
    page.get_by_role("button", name="One round").click()
    assert says(page).startswith("After 1 round the mean is 1.78 from x*, at 1.89.")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => Number(document.querySelector('figure').dataset.round) >= 3", timeout=5000)
    page.get_by_role("button", name="Pause").click()
    stopped = page.get_attribute("figure", "data-round")
    page.wait_for_timeout(600)
    assert page.get_attribute("figure", "data-round") == stopped
    assert page.inner_text(".simulation-heard") == says(page)


def test_keys_move_a_slider_that_has_a_name(show: Show) -> None:
    page = show("two_clients")
    slider = page.get_by_label("Local steps τ")
    slider.focus()
    before = limit_distance(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "() => document.querySelector('input[name=tau]').getAttribute('aria-valuetext') === '6'"
    )
    assert limit_distance(page) > before


CHOSEN = """async () => {
    const told = [], said = document.querySelector('.simulation-says');
    for (const name of ['show', 'height', 'algorithm', 'participation', 'aggregation']) {
        const select = document.querySelector(`select[name=${name}]`);
        const options = [...select.options].filter(one => !one.disabled).map(one => one.value);
        for (const option of [...options, name === 'participation' ? 'bernoulli' : options[0]]) {
            said.textContent = '';
            select.value = option;
            select.dispatchEvent(new Event('change'));
            await new Promise(requestAnimationFrame);
            told.push([name, option, said.textContent]);
        }
    }
    return told;
}"""


def test_every_choice_draws(show: Show) -> None:
    told = show("two_clients").evaluate(CHOSEN)
    assert [name for name, _, words in told if not words.startswith("After ")] == []
    for name in ("show", "height", "algorithm", "participation", "aggregation"):
        assert len({option for one, option, _ in told if one == name}) > 1


def test_the_bound_lies_above_the_run_until_it_does_not_apply(show: Show) -> None:
    page = show("partial_participation")
    share = re.search(r"([0-9.]+) % of it", page.inner_text(".simulation-claims"))
    assert share
    assert 0 < float(share[1]) < 100
    assert page.locator(".simulation-chart .area.cause-initial-gap").count() > 0
    slide(page, "eta", 0.1)
    assert "outside the theorem's condition" in page.inner_text(".simulation-claims")
    page.get_by_text("More", exact=True).click()
    page.select_option("select[name=algorithm]", "scaffold")
    page.wait_for_function(
        "() => document.querySelector('.simulation-claims').textContent.includes('not about SCAFFOLD')"
    )
