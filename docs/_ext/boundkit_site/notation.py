"""The table of letters, from the one place that has them."""

from __future__ import annotations

from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import latex

from .markdown import formula, plain, table


def text() -> str:
    """The numbers, then what has one value a client."""
    numbers = [
        [
            formula(q.latex),
            f"`{q.name}`",
            plain(q.meaning),
            str(q.domain),
            f"`{q.dimension}`",
            f"{q.typical:g}",
        ]
        for q in ALPHABET.values()
    ]
    vectors = [
        [
            formula(v.latex),
            f"`{v.name}`",
            plain(v.meaning),
            str(v.domain),
            f"`{v.dimension}`",
            formula(latex(v.typical)),
        ]
        for v in VECTORS.values()
    ]
    header = ["letter", "keyword", "meaning", "may be", "unit", "typical"]
    return "\n\n".join(
        [
            "## One value",
            table(header, numbers),
            "## One value a client",
            table(header, vectors),
        ]
    )
