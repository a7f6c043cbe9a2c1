"""How a verdict looks wherever a ratio measured/bound is a dot: its colour and its mark."""

from __future__ import annotations

from typing import NamedTuple

LEAST = 1e-6
"""Smaller ratios stand here."""


class VerdictLook(NamedTuple):
    """A colour on light paper, one on dark, and a marker."""

    light: str
    dark: str
    marker: str

    def colour(self, dark: bool) -> str:
        """The colour of the dot."""
        return self.dark if dark else self.light


ANSWERS = {
    "holds": VerdictLook("#0A58CC", "#3D96FF", "o"),
    "violated": VerdictLook("#C8102E", "#FF6B7A", "X"),
    "undecided": VerdictLook("#AE6A00", "#FFC14D", "D"),
}
"""By the answer."""

HOLDING = {
    "upper": ANSWERS["holds"],
    "lower": VerdictLook("#98381A", "#FF9A7A", "<"),
    "order": VerdictLook("#0E7A5F", "#2CEBB0", "d"),
}
"""By the kind of the bound, where it holds."""


def verdict_look(kind: str, answer: str) -> VerdictLook:
    """The look of a theorem: what went wrong, else its kind."""
    return HOLDING[kind] if answer == "holds" else ANSWERS[answer]
