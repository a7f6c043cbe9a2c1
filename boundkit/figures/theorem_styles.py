"""How theorems look beside each other: they are no causes, so they have colours and dashes of their own."""

from __future__ import annotations

from boundkit.figures.cause_styles import Dashes

LIGHT = ("#1B6CA8", "#C4472B", "#3F7D20", "#7A3E9D", "#B07A00", "#4A4A4A")
DARK = ("#6CB8F0", "#FF8A6B", "#9BD770", "#CFA2EC", "#F2C14E", "#C9CDD3")
"""By the place of a theorem in a comparison; from the seventh on they begin again, with other dashes."""

DASHES: tuple[Dashes, ...] = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.2, 1.5, 1.2)), (0, (3, 2.5)))
"""One less than the colours, so that thirty theorems look different."""


def shade(place: int, dark: bool) -> str:
    """The colour of a theorem."""
    palette = DARK if dark else LIGHT
    return palette[place % len(palette)]


def dashes(place: int) -> Dashes:
    """The line style of a theorem."""
    return DASHES[place % len(DASHES)]


def in_lines(name: str, most: int) -> str:
    """A long name in lines of at most ``most`` letters, broken after an underscore where that can be.

    >>> in_lines("fedavg_nonconvex_partial", 17).splitlines()
    ['fedavg_nonconvex_', 'partial']
    """
    lines = [""]
    for word in name.split("_"):
        piece = word if lines == [""] else f"_{word}"
        if lines[-1] and len(lines[-1]) + len(piece) > most:
            lines[-1] += "_"
            lines.append(word)
        else:
            lines[-1] += piece
    return "\n".join(lines)
