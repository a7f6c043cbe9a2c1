"""A page: its size, the sentence above, the small print below, and a layout that is made once."""

from __future__ import annotations

from functools import lru_cache

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from boundkit.figures.style import LAYOUT, Ink

MARGIN = 0.01
"""Left and right of the sentences, as a share of the width."""


def sheet(height: float = 1.0) -> Figure:
    """An empty figure of the current style, ``height`` times as tall, that pyplot does not know of."""
    width, usual = mpl.rcParams["figure.figsize"]
    return Figure(figsize=(width, usual * height), dpi=dots(width))


def dots(width: float) -> float:
    """Dots an inch that make a picture of this width two thousand wide, on a slide as in a column."""
    return max(round(2133 / width), 100)


def finish(page: Figure, headline: str, note: str, ink: Ink) -> None:
    """Set a sentence above the figure and small print below it, where the layout has them, and lay it out.

    A page is laid out once: a layout starts from the one before, so that the bytes of a file would depend
    on what was written earlier; and PDF, SVG and PNG would differ by the rounding of their letters.
    """
    room = 72 * page.get_figwidth() * (1 - 2 * MARGIN)
    size, weight = mpl.rcParams["figure.titlesize"], mpl.rcParams["figure.titleweight"]
    layout = LAYOUT.get()
    if layout.title:
        page.suptitle(wrapped(headline, room, size, weight), x=MARGIN, ha="left")
    if layout.caption:
        page.supxlabel(
            wrapped(note, room, ink.note_size), x=MARGIN, ha="left", color=ink.faint, fontsize=ink.note_size
        )
    engine = page.get_layout_engine()
    if engine is not None:
        engine.execute(page)
    page.set_layout_engine("none")


def wrapped(sentence: str, room: float, size: float, weight: str = "normal") -> str:
    """A sentence in lines at most ``room`` points wide; a word that is longer has a line of its own."""
    lines: list[str] = []
    left = 0.0
    gap = _width("n n", size, weight) - 2 * _width("n", size, weight)
    for word in sentence.split(" "):  # other spaces do not break
        width = _width(word, size, weight)
        if lines and gap + width <= left:
            lines[-1] += f" {word}"
            left -= gap + width
        else:
            lines.append(word)
            left = room - width
    return "\n".join(lines)


@lru_cache(maxsize=1000)
def _width(text: str, size: float, weight: str) -> float:
    """In points, from the outlines of the letters, so that it is the same in every format."""
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath="$" in text)
    return float(width)
