"""How each cause of error looks: the same colour, dashes and hatch in every figure.

The colours stay apart for readers who lack one kind of cone (a test measures it), and the dashes and
hatches carry the same news on grey paper.
"""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.colors import to_hex, to_rgb

from boundkit.algebra.errors import unknown

Dashes = str | tuple[int, tuple[float, ...]]


class Look(NamedTuple):
    """A colour on light paper, one on dark, a line style, and a hatch for areas."""

    light: str
    dark: str
    dashes: Dashes
    hatch: str


LOOKS: dict[str, Look] = {
    "initial gap": Look("#0A58CC", "#3D96FF", "solid", ""),
    "stochastic noise": Look("#AE9129", "#FFD56B", (0, (1, 1)), "...."),
    "noise drift": Look("#C4259A", "#F76BB8", (0, (3, 1, 1, 1, 1, 1)), "xx"),
    "client drift": Look("#98381A", "#FF4F2E", (0, (4, 1.2)), "//"),
    "partial participation": Look("#27A583", "#2CEBB0", (0, (5, 1.2, 1, 1.2)), "\\\\"),
    "objective inconsistency": Look("#F91356", "#C57280", (0, (7, 1.5)), "++"),
    "selection bias": Look("#5A03ED", "#CBBDF8", (0, (2, 1.5)), "oo"),
    "cyclic order": Look("#458351", "#1D991E", (0, (6, 1, 1, 1, 1, 1, 1, 1)), "||"),
    "unavailability": Look("#424069", "#ACF5F4", (0, (8, 1.5, 2, 1.5)), "--"),
    "staleness": Look("#A47DE3", "#AA885E", (0, (3, 2.5)), "/."),
    "start-up": Look("#6B2F3C", "#F1AD73", (0, (1, 2.5)), "O"),
    "clipping": Look("#D020FE", "#FB06EA", (0, (4, 1, 2, 1)), "*"),
}
"""One look for each name in ``boundkit.algebra.term.CAUSES``, in that order."""

INK_IN_TEXT = 0.35
"""How much of the ink is mixed into a colour before words are set in it."""


def look(cause: str) -> Look:
    """The look of a cause.

    Raises BoundkitError for a cause that has none, as in a record that a later version wrote.
    """
    if cause not in LOOKS:
        raise unknown("cause", cause, LOOKS)
    return LOOKS[cause]


def colour(cause: str, dark: bool = False) -> str:
    """The colour of its lines and areas."""
    style = look(cause)
    return style.dark if dark else style.light


def text_colour(colour: str, ink: str) -> str:
    """A colour with enough ink in it to be read in small type.

    >>> text_colour("#ffffff", "#000000")
    '#a6a6a6'
    """
    red, green, blue = (a + INK_IN_TEXT * (b - a) for a, b in zip(to_rgb(colour), to_rgb(ink), strict=True))
    return to_hex((red, green, blue))
