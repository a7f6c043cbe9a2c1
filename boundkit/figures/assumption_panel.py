"""Layout of one subject of the lattice of assumptions: stronger assumptions above weaker ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import networkx as nx

from boundkit.analysis.assumptions import Subject
from boundkit.analysis.lattice import Lattice
from boundkit.figures.graph_drawing import GraphLayout, Size, layered_layout, longest_path_layers, text_extent

Kind = Literal["solid", "dashed", "struck", "against"]
"""Meaning of an arrow: implies; implies with more; does not imply; cannot hold together."""

Pair = tuple[str, str]
CROSS, PORT, GAP = (0.0, 1.0), 0.9, (1.3, 0.9)
"""In sizes of type: place of a cross, distance between two arrows at a box, distances of boxes."""


@dataclass(frozen=True)
class Panel:
    """Assumptions of a subject and the arrows between them, in sizes of type.

    ``names``: the text in each box; ``guests``: assumptions of another subject.
    """

    title: str
    names: dict[str, str]
    guests: frozenset[str]
    arrows: tuple[tuple[Kind, str, str], ...]
    layout: GraphLayout


@lru_cache(maxsize=64)
def panel(subject: Subject, lattice: Lattice, width: float) -> Panel:
    """Lay out a subject at most about ``width`` wide: layers that are too wide are divided."""
    arrows = _arrows(subject, lattice)
    own = [a.name for a in subject.assumptions]
    guests = sorted({name for _, *ends in arrows for name in ends} - set(own))
    names = {name: wrap_name(name, subject.name if name in own else "") for name in (*own, *guests)}
    extents = {name: _extent(text) for name, text in names.items()}
    linked = [name for name in names if any(name in ends for _, *ends in arrows)]
    layers = longest_path_layers(linked, _acyclic(arrows))
    if isolated := [name for name in names if name not in linked]:
        layers.append(isolated)
    sizes = {name: (high, wide) for name, (wide, high) in extents.items()}
    labels = [CROSS if kind in ("struck", "against") else (0.0, 0.0) for kind, _, _ in arrows]
    while True:
        layout = layered_layout(layers, [(a, b) for _, a, b in arrows], sizes, labels, GAP, PORT)
        breadths = [sum(sizes[name][1] + GAP[1] for name in layer) for layer in layers]
        widest = breadths.index(max(breadths))
        if layout.breadth <= width or len(layers[widest]) == 1:
            return Panel(subject.name, names, frozenset(guests), arrows, layout)
        row = sorted(layers[widest], key=lambda name: layout.nodes[name].across)
        layers[widest : widest + 1] = [row[: len(row) // 2], row[len(row) // 2 :]]


def _acyclic(arrows: tuple[tuple[Kind, str, str], ...]) -> list[Pair]:
    """The solid arrows, and the dashed ones that close no cycle with those before them."""
    graph = nx.DiGraph((a, b) for kind, a, b in arrows if kind == "solid")
    for kind, a, b in arrows:
        if kind == "dashed" and not (a in graph and b in graph and nx.has_path(graph, b, a)):
            graph.add_edge(a, b)
    return list(graph.edges)


def _arrows(subject: Subject, lattice: Lattice) -> tuple[tuple[Kind, str, str], ...]:
    """The arrows between the assumptions of a subject, and between them and those of others."""
    own = {a.name for a in subject.assumptions}
    rules = [(tuple(p.name for p in r.premises), r.conclusion.name) for r in lattice.implications]
    solid = reduced([(p[0], c) for p, c in rules if len(p) == 1 and c in own])
    against = [(c.assumptions[0].name, c.assumptions[-1].name) for c in subject.conflicts]
    inside = own | {n for pair in (*solid, *against) for n in pair}
    dashed = dict.fromkeys((p[0], c) for p, c in rules if len(p) > 1)
    pairs: dict[Kind, list[Pair]] = {
        "solid": solid,
        "dashed": [pair for pair in dashed if set(pair) <= inside and pair not in solid],
        "against": against,
        "struck": [pair for pair in _refuted(lattice) if set(pair) <= inside],
    }
    return tuple((kind, *pair) for kind, own_pairs in pairs.items() for pair in own_pairs)


def _refuted(lattice: Lattice) -> list[Pair]:
    """Implications that do not hold, without those that follow from another by transitivity."""
    pairs = list(dict.fromkeys((r.given[0], r.fails) for r in lattice.refutations))
    below = {a: set(lattice.weaker_than(a)) | {a} for a in lattice.assumptions.values()}
    return [
        (a.name, b.name)
        for a, b in pairs
        if not any((c, d) != (a, b) and a in below[c] and d in below[b] for c, d in pairs)
    ]


def reduced(pairs: list[Pair]) -> list[Pair]:
    """The transitive reduction of a directed acyclic graph, in the given order.

    >>> reduced([("a", "b"), ("b", "c"), ("a", "c")])
    [('a', 'b'), ('b', 'c')]
    """
    edges = nx.transitive_reduction(nx.DiGraph(pairs)).edges
    return [pair for pair in dict.fromkeys(pairs) if pair in edges]


def wrap_name(name: str, subject: str) -> str:
    r"""Break a name into short lines, without the word that it shares with the title above it.

    >>> wrap_name("beta-kappa-dissimilarity", "dissimilarity")
    'beta-kappa'
    >>> wrap_name("bounded-negative-curvature", "convexity")
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


def _extent(text: str) -> Size:
    lines = text.split("\n")
    return text_extent(lines, [1.0] * len(lines), (1.1, 0.6))
