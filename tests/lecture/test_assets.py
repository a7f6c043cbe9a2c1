"""The scripts of a page: each loaded once, classic and short; how numbers are said and ticks placed."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import quickjs

from boundkit.figures.number_format import number
from boundkit.figures.style import CAUSE_LOOKS
from boundkit.lecture.site import FIRST_SCRIPT, RELATIONS, SCRIPTS, STYLES
from tests.cases import each
from tests.figures.test_style import contrast
from tests.lecture.simulating import ASSETS

FOREIGN = (
    "eval(",
    "Function(",
    "import ",
    "export ",
    "fetch(",
    "XMLHttpRequest",
    "innerHTML",
    "style=",
    "http:",
)


@cache
def engine() -> Any:
    context = quickjs.Context()
    context.eval((ASSETS / "drawing.js").read_text())
    context.eval("const drawing = boundkitDrawing")
    return context


def test_every_file_of_the_folder_is_loaded_once() -> None:
    there = {str(path.relative_to(ASSETS)) for path in ASSETS.rglob("*") if path.is_file()}
    assert sorted(there) == sorted((FIRST_SCRIPT, *SCRIPTS, RELATIONS, *STYLES))


def test_scripts_are_classic_and_short_and_load_nothing() -> None:
    for name in (FIRST_SCRIPT, *SCRIPTS, RELATIONS):
        script = (ASSETS / name).read_text()
        assert script.startswith("// "), name
        assert script.count("\n") < 130, name
        assert '"use strict"' in script, name
        within = script.replace("http://www.w3.org/2000/svg", "")
        assert [word for word in FOREIGN if word in within] == [], name


def test_numbers_are_said_as_python_says_them() -> None:
    draws = np.random.default_rng(0)
    values = [0.0, 1.0, 10.0, 1e4, 1e-5, 999.9, 9999.0, *(10 ** draws.uniform(-12, 12, 400)).tolist()]
    said = engine().eval(f"{values}.map(v => drawing.formatNumber(v)).join()")
    assert said == ",".join(number(v, 3) for v in values)


def test_a_number_below_zero_has_a_true_minus_and_none_is_infinite() -> None:
    assert engine().eval("drawing.formatNumber(-0.00012)") == "−1.2×10⁻⁴"
    assert engine().eval("drawing.formatNumber(-2.5)") == "−2.5"
    assert engine().eval("drawing.formatNumber(1 / 0)") == "too large"


def ticks(name: str, low: float, high: float, count: int) -> list[float]:
    found = engine().eval(f"drawing.{name}({low}, {high}, {count}).join()")
    return [float(one) for one in found.split(",") if one]


@each("count", [3, 6, 7])
def test_ticks_are_round_even_and_within(count: int) -> None:
    for low, width in zip(np.linspace(-3, 5, 40), np.geomspace(0.02, 5000, 40), strict=True):
        found = ticks("ticks", low, low + width, count)
        steps = np.diff(found)
        assert 1 <= len(found) <= count + 1
        assert min(found) >= low - 1e-9 * width
        assert max(found) <= low + width * (1 + 1e-9)
        assert steps == pytest.approx(steps[:1].repeat(len(steps)), rel=1e-9)


@each("count", [3, 6, 7])
def test_ticks_of_a_logarithmic_axis_climb_in_steps_that_look_alike(count: int) -> None:
    for low, factor in zip(np.geomspace(1e-8, 300, 40), np.geomspace(10, 1e10, 40), strict=True):
        found = ticks("logTicks", low, low * factor, count)
        assert 2 <= len(found) <= count + 1
        assert min(found) >= 0.998 * low
        assert max(found) <= 1.002 * low * factor
        assert {f"{tick:e}"[0] for tick in found} <= set("125")
        apart = np.diff(np.log10(found))
        assert (apart > 0.25).all()
        assert apart.max() - apart.min() < 0.11


def colours(css: str, name: str) -> tuple[str, str]:
    """A colour of the page on light and on dark."""
    found = re.search(rf"--{name}: light-dark\((#[0-9A-F]{{6}}), (#[0-9A-F]{{6}})\);", css)
    assert found, name
    return found[1], found[2]


def test_colours_have_contrast_on_every_background_of_a_page() -> None:
    css = (ASSETS / "lecture.css").read_text()
    grounds = [colours(css, name) for name in ("ground", "raised")]
    inks = {cause: ((look.light, look.dark), 3.0) for cause, look in CAUSE_LOOKS.items()}  # lines and areas
    clients = [f"client-{k}" for k in range(1, 7)]
    inks |= {name: (colours(css, name), 4.5) for name in ("ink", "faint", "accent", "bad", "good", *clients)}
    for name, (ink, least) in inks.items():
        for side in (0, 1):
            assert min(contrast(ink[side], ground[side]) for ground in grounds) >= least, name
