"""The one style, for a lecture hall, a paper and a dark room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

from boundkit.algebra.errors import unknown

STYLE_FILE = Path(__file__).with_name("boundkit.mplstyle")

PRESETS: dict[str, dict[str, Any]] = {
    "hall": {},
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
    """The name itself.

    Raises BoundkitError for a name that is not in ``PRESETS``.
    """
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    return name


@contextmanager
def style(preset: str = "hall") -> Iterator[None]:
    """The style of the house while the block runs, whatever the user's own settings are.

    Raises BoundkitError for an unknown preset.
    """
    check_preset(preset)
    with matplotlib.style.context([STYLE_FILE, PRESETS[preset]], after_reset=True):
        yield


@dataclass(frozen=True)
class Ink:
    """The colours of what is not a cause, and the widths, as they are where an Axes stands."""

    dark: bool
    text: str
    faint: str
    ground: str
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


def ink_of(axes: Axes) -> Ink:
    """The ink that is read on this Axes."""
    ground = to_hex(axes.get_facecolor())
    dark = sum(to_rgb(ground)) / 3 < 0.4
    return Ink(
        dark=dark,
        text=to_hex(mpl.rcParams["text.color"]) if mpl.rcParams["text.color"] != "auto" else "#000000",
        faint="#9CA3AF" if dark else "#6B7280",
        ground=ground,
        width=float(mpl.rcParams["lines.linewidth"]),
        size=float(mpl.rcParams["font.size"]),
    )
