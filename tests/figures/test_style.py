import re
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from boundkit.algebra.term import CAUSES
from boundkit.figures.bound_against_run import figure
from boundkit.figures.style import (
    ALGORITHM_LOOKS,
    CAUSE_LOOKS,
    PRESETS,
    SAME_LOOK,
    algorithm_style,
    cause_style,
    colour,
    style,
    text_colour,
    wrapped,
)
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.arrays import Array
from boundkit.verification.record import Record
from tests.cases import each
from tests.figures.pictures import drawn, texts

ROOT = Path(__file__).resolve().parents[2]


@each("preset", ["paper", "dark"])
def test_a_preset_rules_while_the_block_runs_and_not_after(preset: str) -> None:
    with mpl.rc_context({"font.size": 33}):
        with style(preset):
            assert mpl.rcParams["font.size"] == PRESETS[preset].get("font.size", 19)
            assert mpl.rcParams["pdf.fonttype"] == 42
            assert mpl.rcParams["svg.fonttype"] == "none"
            assert mpl.rcParams["svg.hashsalt"] == "boundkit"
        assert mpl.rcParams["font.size"] == 33


def test_the_dark_preset_differs_from_presentation_in_colours_only(record: Record) -> None:
    assert all(re.search("color$", key) for key in PRESETS["dark"])
    assert PRESETS["presentation"] == {}
    both = [drawn(figure(record, preset)) for preset in ("presentation", "dark")]
    places = [[(t.get_text(), [*t.get_window_extent().extents]) for t in texts(p)] for p in both]
    assert places[0] == places[1]


@given(st.text(alphabet="abc W", max_size=80), st.floats(20, 400))
def test_a_wrapped_sentence_keeps_its_words_and_its_room(sentence: str, room: float) -> None:
    lines = wrapped(sentence, room, 10.0).split("\n")
    assert " ".join(lines) == sentence
    font = FontProperties(family="DejaVu Sans", size=10)
    for line in lines:
        width = text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] if line else 0
        assert width <= room + 1 or " " not in line


def test_a_layout_sets_the_width_and_leaves_out_the_words() -> None:
    from boundkit.analysis.predict import predict
    from boundkit.figures.style import Layout, page_layout
    from boundkit.figures.terms import figure
    from boundkit.theorems import theorem

    prediction = predict(theorem("fedavg_nonconvex"), tau=[1, 2, 5])
    usual = figure(prediction, "paper")
    with page_layout(Layout(7.0, title=False, caption=False)):
        bare = figure(prediction, "paper")
    assert usual.get_suptitle()
    assert usual.get_supxlabel()
    assert (bare.get_suptitle(), bare.get_supxlabel()) == ("", "")
    assert bare.get_size_inches().tolist() == [7.0, 2.9]
    assert usual.get_size_inches().tolist() == [3.35, 2.9]  # the layout ended with its block
    with page_layout(Layout(2.5)), style("paper"):
        assert mpl.rcParams["figure.figsize"] == pytest.approx([2.5, 2.9 * 2.5 / 3.35])


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT: dict[str, Array] = {
    "all cones": np.eye(3),
    "no long cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no middle cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
APART = 17.0
"""What Okabe and Ito keep between blue, orange, green, purple and vermillion, in CIE 1976."""


def linear(colour: str) -> Array:
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: Array) -> Array:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    """As WCAG measures it."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_every_cause_has_a_look_and_nothing_else_has() -> None:
    assert list(CAUSE_LOOKS) == list(CAUSES)


def closest(colours: dict[str, str], sight: str) -> tuple[float, str, str]:
    """The two colours that are nearest to each other for this sight, and their distance."""
    seen = {name: lab(SIGHT[sight] @ linear(colour)) for name, colour in colours.items()}
    return min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))


def unreadable(colours: dict[str, str], dark: bool) -> list[str]:
    """Lines and texts without enough contrast to their ground."""
    ground, text = (PRESETS["dark"]["axes.facecolor"], "#F3F4F6") if dark else ("#FFFFFF", "#1B1F24")
    return [
        name
        for name, colour in colours.items()
        if contrast(colour, ground) < 3 or contrast(text_colour(colour, text), ground) < 4.5
    ]


@each("dark", [False, True])
def test_colours_of_causes_stay_apart_and_can_be_read(dark: bool) -> None:
    colours = {cause: colour(cause, dark) for cause in CAUSES}
    for sight in SIGHT:
        assert closest(colours, sight)[0] >= APART, closest(colours, sight)
    assert unreadable(colours, dark) == []


def test_grey_paper_tells_causes_apart_by_dashes_and_hatches() -> None:
    assert len({cause_style(cause).dashes for cause in CAUSES}) == len(CAUSES)
    assert len({cause_style(cause).hatch for cause in CAUSES}) == len(CAUSES)


@each("dark", [False, True])
def test_colours_of_algorithms_stay_apart_and_can_be_read(dark: bool) -> None:
    colours = {name: style.colour(dark) for name, style in ALGORITHM_LOOKS.items()}
    for sight in SIGHT:
        assert closest(colours, sight)[0] >= APART, closest(colours, sight)
    assert unreadable(colours, dark) == []


def test_grey_paper_tells_algorithms_apart_by_dashes_and_markers() -> None:
    for part in ("dashes", "marker", "title"):
        assert len({getattr(style, part) for style in ALGORITHM_LOOKS.values()}) == len(ALGORITHM_LOOKS), part


def test_every_look_is_that_of_an_algorithm_that_runs() -> None:
    for name in (*ALGORITHM_LOOKS, *SAME_LOOK, *SAME_LOOK.values()):
        assert algorithm_class(name).name == name
        assert algorithm_style(name).title, name
