"""The table of letters, from the one place that has them."""

from __future__ import annotations

from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import latex

from .markdown import plain, table


def text() -> str:
    """The numbers, then what has one value a client."""
    numbers = [
        [f"${q.latex}$", f"`{q.name}`", plain(q.meaning), str(q.domain), f"`{q.dimension}`", f"{q.typical:g}"]
        for q in ALPHABET.values()
    ]
    vectors = [
        [f"${v.latex}$", f"`{v.name}`", plain(v.meaning), str(v.domain), f"`{v.dimension}`", f"${latex(v.typical)}$"]
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
