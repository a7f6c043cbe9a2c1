"""The whole lecture, built once for all that look at it."""

from functools import cache

from boundkit.cli.lecture import checked_proofs
from boundkit.lecture.chapters import chapters
from boundkit.lecture.parts import Figure
from boundkit.lecture.site import Drawing, Site
from boundkit.theorems import catalogue

EVERY = chapters()
NUMBERS = "pictures/a.csv"
PICTURE = Drawing("pictures/a.svg", "pictures/b.svg", NUMBERS)
"""It stands for all; nothing is drawn."""


@cache
def proofs() -> dict[str, str]:
    return checked_proofs(c for c in EVERY if c.slug == "sampling")


@cache
def files() -> dict[str, str]:
    drawn = {part: PICTURE for c in EVERY for part in c.parts if isinstance(part, Figure)}
    return Site(EVERY, catalogue(), drawn, proofs=proofs()).files()
