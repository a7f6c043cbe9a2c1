"""The table of letters, from the one place that has them."""

from __future__ import annotations

from boundkit.algebra.dimension import ONE
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import latex
from boundkit.algebra.quantity import Quantity, Vector

from .markdown import formula, plain, table

HEADER = ("letter", "keyword", "meaning", "may be", "unit", "typical")


def text() -> str:
    """The numbers, then what has one value a client."""
    numbers = [_row(q, f"{q.typical:g}") for q in ALPHABET.values()]
    vectors = [_row(v, formula(latex(v.typical))) for v in VECTORS.values()]
    return "\n\n".join(
        ["## One value", table(HEADER, numbers), "## One value a client", table(HEADER, vectors)]
    )


def _row(letter: Quantity | Vector, typical: str) -> list[str]:
    unit = "none" if letter.dimension == ONE else f"`{letter.dimension}`"
    shown = [formula(letter.latex), f"`{letter.name}`", plain(letter.meaning)]
    return [*shown, str(letter.domain), unit, typical]
