"""The style of all figures: presets, layout, and the looks of causes of error, algorithms and verdicts.

The colours remain distinct for readers who lack one kind of cone (a test measures it), and the dashes,
markers and hatches distinguish the same on grey paper. No figure colours both causes and algorithms. FedAvg,
the baseline, has the colour of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown

Dashes = str | tuple[int, tuple[float, ...]]


class CauseStyle(NamedTuple):
    """A colour on light paper, one on dark, a line style, and a hatch for areas."""

    light: str
    dark: str
    dashes: Dashes
    hatch: str


CAUSE_LOOKS: dict[str, CauseStyle] = {
    "initial gap": CauseStyle("#0A58CC", "#3D96FF", "solid", ""),
    "stochastic noise": CauseStyle("#AE9129", "#FFD56B", (0, (1, 1)), "...."),
    "noise drift": CauseStyle("#C4259A", "#F76BB8", (0, (3, 1, 1, 1, 1, 1)), "xx"),
    "client drift": CauseStyle("#98381A", "#FF4F2E", (0, (4, 1.2)), "//"),
    "partial participation": CauseStyle("#27A583", "#2CEBB0", (0, (5, 1.2, 1, 1.2)), "\\\\"),
    "objective inconsistency": CauseStyle("#F91356", "#C57280", (0, (7, 1.5)), "++"),
    "selection bias": CauseStyle("#5A03ED", "#CBBDF8", (0, (2, 1.5)), "oo"),
    "cyclic order": CauseStyle("#458351", "#1D991E", (0, (6, 1, 1, 1, 1, 1, 1, 1)), "||"),
    "unavailability": CauseStyle("#424069", "#ACF5F4", (0, (8, 1.5, 2, 1.5)), "--"),
    "staleness": CauseStyle("#A47DE3", "#AA885E", (0, (3, 2.5)), "/."),
    "start-up": CauseStyle("#6B2F3C", "#F1AD73", (0, (1, 2.5)), "O"),
    "clipping": CauseStyle("#D020FE", "#FB06EA", (0, (4, 1, 2, 1)), "*"),
    "message noise": CauseStyle("#7B0C93", "#9330FE", (0, (2, 1, 1, 1)), "-."),
}
"""One look for each name in ``boundkit.algebra.term.CAUSES``, in that order."""

SHARE_OF_TEXT = 0.35
"""The share of the colour of text that is mixed into a colour before words are set in it."""


def cause_style(cause: str) -> CauseStyle:
    """The look of a cause.

    Raises BoundkitError for a cause that has none, as in a record that a later version wrote.
    """
    if cause not in CAUSE_LOOKS:
        raise unknown("cause", cause, CAUSE_LOOKS)
    return CAUSE_LOOKS[cause]


def colour(cause: str, dark: bool = False) -> str:
    """The colour of its lines and areas."""
    style = cause_style(cause)
    return style.dark if dark else style.light


def text_colour(colour: str, text: str) -> str:
    """A colour mixed with that of the text, so that it is legible in small type.

    >>> text_colour("#ffffff", "#000000")
    '#a6a6a6'
    """
    red, green, blue = (
        a + SHARE_OF_TEXT * (b - a) for a, b in zip(to_rgb(colour), to_rgb(text), strict=True)
    )
    return to_hex((red, green, blue))


class AlgorithmStyle(NamedTuple):
    """A name as papers write it, a colour on light paper, one on dark, a line style, and a marker."""

    title: str
    light: str
    dark: str
    dashes: Dashes
    marker: str

    def colour(self, dark: bool) -> str:
        """The colour of its lines and marks."""
        return self.dark if dark else self.light


ALGORITHM_LOOKS: dict[str, AlgorithmStyle] = {
    "fedavg": AlgorithmStyle("FedAvg", "#333840", "#E5E7EB", "solid", "o"),
    "fedprox": AlgorithmStyle("FedProx", "#B68648", "#A79854", (0, (5, 1.5)), "s"),
    "vrlsgd": AlgorithmStyle("VRL-SGD", "#3E4691", "#217A55", (0, (1.5, 1.2)), "D"),
    "fednova": AlgorithmStyle("FedNova", "#E17306", "#72FD7E", (0, (6, 1.2, 1.5, 1.2)), "^"),
    "scaffold": AlgorithmStyle("SCAFFOLD", "#B50304", "#FCDD1E", (0, (3, 1, 1, 1, 1, 1)), "v"),
    "fedvarp": AlgorithmStyle("FedVARP", "#1B6BFC", "#4469FA", (0, (8, 1.5)), "P"),
    "mifa": AlgorithmStyle("MIFA", "#FF427D", "#CA330D", (0, (3, 1.5)), "X"),
    "fedau": AlgorithmStyle("FedAU", "#A087B6", "#A2B1FB", (0, (1, 1)), "<"),
    "fedawe": AlgorithmStyle("FedAWE", "#731819", "#EB962B", (0, (7, 1, 1, 1, 1, 1)), ">"),
    "episodepp": AlgorithmStyle("EPISODE++", "#0F774C", "#BEFDBE", (0, (5, 1, 2, 1)), "p"),
    "clipped_minibatch_sgd": AlgorithmStyle(
        "clipped minibatch SGD", "#AB3679", "#FB608E", (0, (2, 1.5)), "h"
    ),
    "fedexp": AlgorithmStyle("FedExP", "#CE5FDC", "#9B5691", (0, (4, 1.2)), "*"),
    "minibatch_sgd": AlgorithmStyle("minibatch SGD", "#5217A5", "#B72BB9", (0, (3, 2.5)), "d"),
}
"""By the name of ``boundkit.simulation.algorithms``."""

SAME_LOOK = {"local_sgd": "fedavg"}
"""Algorithms with the look of the one that they are under full participation."""


def algorithm_style(algorithm: str) -> AlgorithmStyle:
    """The look of an algorithm.

    Raises BoundkitError for one that has none.
    """
    name = SAME_LOOK.get(algorithm, algorithm)
    if name not in ALGORITHM_LOOKS:
        raise unknown("algorithm in figures", algorithm, ALGORITHM_LOOKS)
    return ALGORITHM_LOOKS[name]


LEAST = 1e-6
"""The ratio at which smaller ones are drawn."""


class VerdictStyle(NamedTuple):
    """A colour on light paper, one on dark, and a marker."""

    light: str
    dark: str
    marker: str

    def colour(self, dark: bool) -> str:
        """The colour of the dot."""
        return self.dark if dark else self.light


ANSWERS = {
    "holds": VerdictStyle("#0A58CC", "#3D96FF", "o"),
    "violated": VerdictStyle("#C8102E", "#FF6B7A", "X"),
    "undecided": VerdictStyle("#AE6A00", "#FFC14D", "D"),
}
"""By the answer."""

HOLDING = {
    "upper": ANSWERS["holds"],
    "lower": VerdictStyle("#98381A", "#FF9A7A", "<"),
    "order": VerdictStyle("#0E7A5F", "#2CEBB0", "d"),
}
"""By the kind of the bound, where it holds."""


def verdict_style(kind: str, answer: str) -> VerdictStyle:
    """The look of a theorem: what went wrong, else its kind."""
    return HOLDING[kind] if answer == "holds" else ANSWERS[answer]


STYLE_FILE = Path(__file__).with_name("boundkit.mplstyle")

PRESETS: dict[str, dict[str, Any]] = {
    "presentation": {},
    "paper": {  # one column of a two-column page
        "figure.figsize": (3.35, 2.9),
        "figure.constrained_layout.h_pad": 0.03,
        "figure.constrained_layout.w_pad": 0.03,
        **dict.fromkeys(("font.size", "figure.titlesize", "axes.titlesize", "axes.labelsize"), 8),
        **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 8),
        "axes.titlepad": 4,
        "axes.labelpad": 2,
        **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
        **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
        **dict.fromkeys(("xtick.major.pad", "ytick.major.pad"), 2),
        "grid.linewidth": 0.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "hatch.linewidth": 0.4,
    },
    "dark": {
        "figure.facecolor": "#14171C",
        "axes.facecolor": "#14171C",
        **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), "#F3F4F6"),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), "#9CA3AF"),
        "grid.color": "#2C323B",
        "hatch.color": "#14171C",
    },
}
"""What each preset changes in the style file."""


def check_preset(name: str) -> str:
    """The name of the preset; "hall" is another name of "presentation".

    Raises BoundkitError for a name that is not in ``PRESETS``.
    """
    name = "presentation" if name == "hall" else name
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    return name


WIDTHS = {"column": 3.35, "text": 7.0}
"""Widths of a two-column page by name, in inches."""
NARROWEST = {"presentation": 8.0, "paper": 2.4, "dark": 8.0}
"""Inches below which the type of a preset leaves no room for a picture."""
WIDEST = 40.0


@dataclass(frozen=True)
class Layout:
    """The width of a page in inches (None for that of the preset), and the texts around the picture."""

    width: float | None = None
    title: bool = True
    caption: bool = True


USUAL = Layout()
LAYOUT: ContextVar[Layout] = ContextVar("layout", default=USUAL)
"""The layout of the pages that are drawn in this context."""


@contextmanager
def page_layout(layout: Layout) -> Iterator[None]:
    """Draw the pages of the block in this layout."""
    token = LAYOUT.set(layout)
    try:
        yield
    finally:
        LAYOUT.reset(token)


class FontFigure(Figure):
    """A figure whose PDF and PostScript hold whole TrueType fonts, also where it is saved outside a style."""

    def savefig(self, *args: Any, **options: Any) -> None:
        """Save the figure as matplotlib does, with whole fonts."""
        with mpl.rc_context({"pdf.fonttype": 42, "ps.fonttype": 42}):
            super().savefig(*args, **options)


def read_width(text: str, preset: str) -> float:
    """A width in inches from a number or a name of ``WIDTHS``.

    Raises BoundkitError for anything else, and for a width that the type of the preset has no room in.

    >>> read_width("column", "paper")
    3.35
    """
    try:
        width = WIDTHS[text] if text in WIDTHS else float(text)
    except ValueError:
        width = float("nan")
    if not 0 < width <= WIDEST:
        named = " or ".join(f"{name} ({inches:g})" for name, inches in WIDTHS.items())
        raise BoundkitError(
            f"a width of {text!r} was given, but a figure is up to {WIDEST:g} inches wide; give inches, or "
            f"{named}."
        )
    preset = check_preset(preset)
    if width < NARROWEST[preset]:
        other = "" if preset == "paper" else " take --preset paper, or"
        raise BoundkitError(
            f"a width of {width:g} inches is too narrow for the type of the preset {preset};{other} give at "
            f"least {NARROWEST[preset]:g}."
        )
    return width


@contextmanager
def style(preset: str = "presentation") -> Iterator[None]:
    """Set this style, in the width of the layout, while the block runs, whatever the user's settings are.

    A page that is narrower than the preset's keeps its proportions, and a wider one its height.
    Raises BoundkitError for an unknown preset.
    """
    with matplotlib.style.context([STYLE_FILE, PRESETS[check_preset(preset)]], after_reset=True):
        if (width := LAYOUT.get().width) is not None:
            usual, height = mpl.rcParams["figure.figsize"]
            mpl.rcParams["figure.figsize"] = (width, height * min(1.0, width / usual))
        yield


@dataclass(frozen=True)
class Theme:
    """The neutral colours and the widths, in the style of an Axes."""

    dark: bool
    text: str
    faint: str
    background: str
    width: float
    size: float

    @property
    def narrow(self) -> bool:
        """Whether type is small, as in a column of a paper, where words must be few."""
        return self.size < 10

    @property
    def label_size(self) -> float:
        """The size of labels at curves: a little below the text, but never below that of a paper."""
        return self.size if self.narrow else 0.92 * self.size

    @property
    def note_size(self) -> float:
        """The size of notes."""
        return self.size if self.narrow else 0.8 * self.size


def theme_of(axes: Axes) -> Theme:
    """The theme of an Axes, by the colour of its background."""
    background = to_hex(axes.get_facecolor())
    dark = sum(to_rgb(background)) / 3 < 0.4
    return Theme(
        dark=dark,
        text=to_hex(mpl.rcParams["text.color"]) if mpl.rcParams["text.color"] != "auto" else "#000000",
        faint="#9CA3AF" if dark else "#6B7280",
        background=background,
        width=float(mpl.rcParams["lines.linewidth"]),
        size=float(mpl.rcParams["font.size"]),
    )


MARGIN = 0.01
"""Left and right of the sentences, as a share of the width."""


def empty_figure(height: float = 1.0) -> Figure:
    """An empty figure of the current style, ``height`` times as tall, without pyplot."""
    width, usual = mpl.rcParams["figure.figsize"]
    return Figure(figsize=(width, usual * height), dpi=dots(width))


def dots(width: float) -> float:
    """Dots an inch that make a picture of this width two thousand wide, on a slide as in a column."""
    return max(round(2133 / width), 100)


_UNHINTED = 0.99
"""Part of a line that text may fill by its outlines: in a PNG it is up to this much wider."""


def finish(page: Figure, headline: str, note: str, theme: Theme) -> None:
    """Set a sentence above the figure and small print below it, where the layout has them, and lay it out.

    A page is laid out once: a layout starts from the one before, so that the bytes of a file would depend
    on what was written earlier; and PDF, SVG and PNG would differ by the rounding of their text.
    """
    room = 72 * page.get_figwidth() * (1 - 2 * MARGIN) * _UNHINTED
    size, weight = mpl.rcParams["figure.titlesize"], mpl.rcParams["figure.titleweight"]
    layout = LAYOUT.get()
    if layout.title:
        page.suptitle(wrapped(headline, room, size, weight), x=MARGIN, ha="left")
    if layout.caption:
        page.supxlabel(
            wrapped(note, room, theme.note_size),
            x=MARGIN,
            ha="left",
            color=theme.faint,
            fontsize=theme.note_size,
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
    """In points, from the outlines of the glyphs, so that it is the same in every format."""
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath="$" in text)
    return float(width)
