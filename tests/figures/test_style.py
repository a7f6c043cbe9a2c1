import re
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from boundkit.algebra import BoundkitError
from boundkit.figures.bound_against_run import figure
from boundkit.figures.style import PRESETS, read_width, style, wrapped
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


def test_an_unknown_preset_is_refused() -> None:
    with (
        pytest.raises(BoundkitError, match="unknown preset 'presntation'; did you mean 'presentation'"),
        style("presntation"),
    ):
        raise AssertionError("the block must not run")


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


@each(
    ("text", "preset", "words"),
    [
        (
            "column",
            "hall",
            "3.35 inches is too narrow for the type of the preset presentation; take --preset paper",
        ),
        ("2", "paper", "give at least 2.4"),
        ("wide", "paper", "'wide' was given, but a figure is up to 40 inches wide; give inches, or column"),
        ("nan", "paper", "'nan' was given"),
        ("-3", "paper", "'-3' was given"),
    ],
)
def test_a_width_that_cannot_be_is_refused(text: str, preset: str, words: str) -> None:
    with pytest.raises(BoundkitError, match=re.escape(words)):
        read_width(text, preset)
