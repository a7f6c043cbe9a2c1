"""What a picture of reductions says on its arrows and in its boxes, and how much room that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from sympy import Expr, fraction, sympify, together

from boundkit.algebra import Quantity
from boundkit.algebra.printing import latex
from boundkit.analysis.reductions import Edge, Graph

LINE, SMALL = 1.3, 0.8
"""In heights of type: from one line to the next, and small type."""


@dataclass(frozen=True)
class Words:
    """What stands on an arrow: the condition, and below it the constants and what is left over."""

    condition: tuple[str, ...]
    below: tuple[str, ...]


def drawn_edges(graph: Graph) -> tuple[Edge, ...]:
    """The edges that a picture shows.

    What must not hold is left out where the same condition, with other constants, does hold.
    """
    holding = {(e.origin, e.to, _same(e.reduction.when)) for e in graph.edges if e.holds}
    return tuple(
        e for e in graph.edges if e.holds or (e.origin, e.to, _same(e.reduction.when)) not in holding
    )


def words_of(edge: Edge, on_a_line: int = 3, brief: bool = False) -> Words:
    r"""What stands on an arrow: so many equations on a line, and no constants where it is ``brief``.

    >>> from boundkit.algebra import Reduction
    >>> from boundkit.algebra.notation import C, tau
    >>> words_of(Edge("here", Reduction("there", {tau: 1}, {"initial gap": 2, "noise": 4 / C})))
    Words(condition=('$\\tau = 1$',), below=('2 × initial gap', '$4 / C$ × noise'))
    """
    when = [f"{latex(q)} = {_folded(v)}" for q, v in edge.reduction.when.items()]
    lines = [r",\ ".join(when[k : k + on_a_line]) for k in range(0, len(when), on_a_line)]
    condition = [f"${line}$" for line in lines] or ["for all values"]
    if not edge.holds:
        return Words((f"not at {condition[0]}" if when else "not so", *condition[1:]), ())
    below = [f"{_number(factor)} × {label}" for label, factor in edge.factors.items()]
    below += [f"+ {label}" for label in edge.reduction.leaves]
    return Words(tuple(condition), () if brief else tuple(below))


def worded(name: str, longest: int = 17) -> str:
    r"""A name in lines, broken after its underscores.

    >>> worded("fedavg_strongly_convex_partial")
    'fedavg_strongly_\nconvex_partial'
    """
    lines = [""]
    for part in name.replace("_", "_ ").split(" "):
        if lines[-1] and len(lines[-1]) + len(part) > longest:
            lines.append(part)
        else:
            lines[-1] += part
    return "\n".join(lines)


def lines_of(words: Words, size: float) -> tuple[list[str], list[float]]:
    """The lines on an arrow, and the size of each."""
    lines = [*words.condition, *words.below]
    return lines, [size] * len(words.condition) + [SMALL * size] * len(words.below)


def boxed(lines: Sequence[str], sizes: Sequence[float], wide: float, high: float) -> tuple[float, float]:
    """The width and height of lines of type, with so much air around them."""
    width = max(size * _width(line) for line, size in zip(lines, sizes, strict=True))
    return width + wide, LINE * sum(sizes) + high


@lru_cache(maxsize=2000)
def _width(text: str) -> float:
    """In heights of type."""
    font = FontProperties(family="DejaVu Sans", size=10)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath="$" in text)[0]) / 10


def _number(factor: Expr) -> str:
    return str(factor) if factor.is_Rational else f"${_folded(factor)}$"


def _folded(value: Expr | int) -> str:
    """LaTeX on one line, with fractions as 4/C."""
    above, below = fraction(together(sympify(value)))
    return latex(above) if below == 1 else f"{_grouped(above)} / {_grouped(below, product=True)}"


def _grouped(expr: Expr, product: bool = False) -> str:
    return f"({latex(expr)})" if expr.is_Add or (product and expr.is_Mul) else latex(expr)


def _same(when: Mapping[Quantity, Expr | int]) -> frozenset[tuple[str, str]]:
    return frozenset((str(q), str(v)) for q, v in when.items())
