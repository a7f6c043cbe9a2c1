"""One subject of the lattice as boxes and arrows, before it is put on a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from boundkit.analysis.assumptions import Subject
from boundkit.analysis.lattice import Lattice
from boundkit.figures.lattice_layout import Box, Edges, broken, layers, ordered, placed
from boundkit.figures.lattice_search import Arrows, Bend, Rows, bends, hidden, improved

LINE = 1.25
"""From one line of type to the next, in heights of the type."""


Kind = Literal["solid", "dashed", "struck", "against"]
"""An arrow says: implies; implies with more; does not imply; cannot hold together."""


@dataclass(frozen=True)
class Arrow:
    """An arrow between two boxes, and how it bends."""

    kind: Kind
    start: str
    end: str
    bend: Bend


@dataclass(frozen=True)
class Panel:
    """Boxes by the names of assumptions, with their words, and the arrows between them.

    ``guests`` belong to another subject.
    """

    title: str
    boxes: dict[str, Box]
    words: dict[str, str]
    arrows: tuple[Arrow, ...]
    guests: frozenset[str]
    width: float
    height: float


@lru_cache(maxsize=64)
def panel(subject: Subject, lattice: Lattice, size: float, room: float) -> Panel:
    """The panel of a subject, in type of this size, at most about ``room`` wide (in points)."""
    edges, guests = _edges(subject, lattice)
    own = [a.name for a in subject.assumptions]
    words = {n: worded(n, subject.name if n in own else "") for n in (*own, *guests)}
    sizes = {n: boxed(words[n], size) for n in words}
    gap = (1.6 * size, 2.8 * size)
    kinds: list[Kind] = [kind for kind, found in edges.items() for _ in found]
    every = [edge for found in edges.values() for edge in found]
    ways = Arrows(every, frozenset(k for k, kind in enumerate(kinds) if kind in ("struck", "against")))

    def cost(rows: Rows) -> float:
        boxes, width, height = placed(rows, sizes, gap)
        too_wide = max(0.0, width - room) / size
        return bends(ways, boxes, size)[1] + 10 * too_wide + 0.02 * (width + height) / size

    linked = [n for n in words if any(n in edge for edge in every)]
    alone = [n for n in words if n not in linked]
    rows = ordered(layers(linked, edges["solid"], edges["against"]), every) if linked else []
    rows = broken([*rows, alone] if alone else rows, sizes, gap[0], room)
    found: list[tuple[int, float, int, dict[str, Box], list[Bend], float, float]] = []
    for start in (rows, [row[::-1] for row in rows], [row[1:] + row[:1] for row in rows]):
        boxes, width, height = placed(improved(start, edges["solid"], cost), sizes, gap)
        bent, wrong = bends(ways, boxes, size, fine=True)
        found.append((hidden(ways, bent, boxes), wrong, len(found), boxes, bent, width, height))
        if not found[-1][0]:
            break
    *_, boxes, bent, width, height = min(found)
    arrows = tuple(Arrow(kind, *edge, bend) for kind, edge, bend in zip(kinds, every, bent, strict=True))
    return Panel(subject.name, boxes, words, arrows, frozenset(guests), width, height)


def _edges(subject: Subject, lattice: Lattice) -> tuple[dict[Kind, Edges], list[str]]:
    """The arrows of each kind, and the assumptions of other subjects that they touch."""
    own = {a.name for a in subject.assumptions}
    rules = [(tuple(p.name for p in r.premises), r.conclusion.name) for r in lattice.implications]
    solid = reduced([(p[0], c) for p, c in rules if len(p) == 1 and c in own])
    against = [(c.assumptions[0].name, c.assumptions[-1].name) for c in subject.conflicts]
    inside = own | {n for edge in (*solid, *against) for n in edge}
    dashed = dict.fromkeys((p[0], c) for p, c in rules if len(p) > 1)
    struck = [e for e in _struck(lattice) if set(e) <= inside]
    edges: dict[Kind, Edges] = {
        "solid": solid,
        "dashed": [e for e in dashed if set(e) <= inside and e not in solid],
        "against": against,
        "struck": struck,
    }
    return edges, sorted(inside - own)


def _struck(lattice: Lattice) -> list[tuple[str, str]]:
    """What does not follow, without what is said by another: what D1 does not imply, D2 does not either."""
    found = list(dict.fromkeys((r.given[0], r.fails) for r in lattice.refutations))
    below = {a: set(lattice.weaker_than(a)) | {a} for a in lattice.assumptions.values()}
    return [
        (a.name, b.name)
        for a, b in found
        if not any((c, d) != (a, b) and a in below[c] and d in below[b] for c, d in found)
    ]


def reduced(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges without those that a longer way makes needless.

    >>> reduced([("a", "b"), ("b", "c"), ("a", "c")])
    [('a', 'b'), ('b', 'c')]
    """
    kept = list(dict.fromkeys(edges))
    for edge in list(kept):
        others = [e for e in kept if e != edge]
        if edge[1] in _below(edge[0], others):
            kept = others
    return kept


def _below(name: str, edges: list[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    fresh = {name}
    while fresh:
        fresh = {b for a, b in edges if a in fresh} - found
        found |= fresh
    return found


def worded(name: str, subject: str) -> str:
    r"""A name in short lines, without the word that it shares with the title above it.

    >>> worded("beta-kappa-dissimilarity", "dissimilarity")
    'beta-kappa'
    >>> worded("bounded-negative-curvature", "convexity")
    'bounded-\nnegative-\ncurvature'
    """
    short = name.removesuffix(f"-{subject}") if subject else name
    lines: list[str] = []
    for word in (short if len(short) > 2 else name).split("-"):
        if lines and len(lines[-1]) + len(word) < 12:
            lines[-1] += f"-{word}"
        else:
            lines.append(word)
    return "-\n".join(lines)


def boxed(words: str, size: float) -> tuple[float, float]:
    """The width and height of a box around words."""
    lines = words.split("\n")
    return max(_width(line, size) for line in lines) + 1.1 * size, (LINE * len(lines) + 0.7) * size


@lru_cache(maxsize=500)
def _width(text: str, size: float) -> float:
    font = FontProperties(family="DejaVu Sans", size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])
