"""Lattice of assumptions: stronger ones above weaker ones, with a cross on implications that do not hold.

A solid arrow: implies. A dashed one: implies with more, which ``boundkit graph`` names. A faint one
with a cross: does not imply, by a counterexample. A double line with a cross: cannot hold together on all of
space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boundkit.algebra.errors import unknown
from boundkit.analysis.assumptions import Subject
from boundkit.analysis.lattice import LATTICE, Lattice
from boundkit.figures.graph_drawing import (
    Dashes,
    GraphLayout,
    Size,
    draw_edge,
    draw_node,
    layered_layout,
    longest_path_layers,
    pack_rows,
    text_extent,
)
from boundkit.figures.style import Theme, empty_figure, finish, style, theme_of
from boundkit.report.formatting import join_names
from boundkit.simulation.arrays import Array

Kind = Literal["solid", "dashed", "struck", "against"]
"""Meaning of an arrow: implies; implies with more; does not imply; cannot hold together."""

Pair = tuple[str, str]
CROSS, PORT, GAP = (0.0, 1.0), 0.9, (1.3, 0.9)
"""In sizes of type: place of a cross, distance between two arrows at a box, distances of boxes."""


@dataclass(frozen=True)
class AssumptionPanel:
    """Assumptions of a subject and the arrows between them, in sizes of type.

    ``names``: the text in each box; ``guests``: assumptions of another subject.
    """

    title: str
    names: dict[str, str]
    guests: frozenset[str]
    arrows: tuple[tuple[Kind, str, str], ...]
    layout: GraphLayout


@lru_cache(maxsize=64)
def panel(subject: Subject, lattice: Lattice, width: float) -> AssumptionPanel:
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
            return AssumptionPanel(subject.name, names, frozenset(guests), arrows, layout)
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


_DASHES: dict[Kind, Dashes] = {
    "solid": "solid",
    "dashed": (0, (4, 2.5)),
    "struck": (0, (1.2, 1.5)),
    "against": "solid",
}
TITLE, PANEL_GAP = 2.2, 2.6
"""In sizes of type: height of a title, and distance between panels."""


def figure(subjects: Sequence[str] = (), preset: str = "presentation", lattice: Lattice = LATTICE) -> Figure:
    """Draw these subjects, or all.

    Raises BoundkitError for an unknown subject or preset.
    """
    for name in subjects:
        if name not in lattice.subjects:
            raise unknown("subject", name, lattice.subjects)
    chosen = [s for name, s in lattice.subjects.items() if name in subjects or not subjects]
    with style(preset):
        theme = theme_of(empty_figure().subplots())
        title = TITLE if len(chosen) > 1 else 0.0
        width = 0.95 * 72 * empty_figure().get_figwidth()
        for size in _sizes(len(chosen), theme):
            widest = width if title == 0 or theme.narrow else 0.5 * width
            panels = [panel(subject, lattice, widest / size) for subject in chosen]
            extents = [(size * p.layout.breadth, size * (p.layout.length + title)) for p in panels]
            corners, height = pack_rows(extents, (PANEL_GAP * size, PANEL_GAP * size), width)
            if height < 0.75 * 72 * empty_figure().get_figheight():
                break
        headline = _headline(panels, len(chosen) == len(lattice.subjects))
        page, axes = _page(height + PANEL_GAP * size, headline, _note(theme.narrow), theme)
        left = (axes.get_xlim()[1] - width) / 2
        top = axes.get_ylim()[1] - (axes.get_ylim()[1] - height) / 2
        for one, (x, down) in zip(panels, corners, strict=True):
            _draw_panel(axes, one, (left + x, top - down), size, theme, title)
    return page


def _sizes(panels: int, theme: Theme) -> list[float]:
    """Type sizes to be tried, the largest first: many panels on a slide need small type."""
    if theme.narrow or panels == 1:
        return [theme.label_size]
    return [share * theme.label_size for share in ((1.0, 0.8, 0.62) if panels < 4 else (0.62,))]


def _page(need: float, headline: str, note: str, theme: Theme) -> tuple[Figure, Axes]:
    """A page whose Axes have the point as their unit, at least ``need`` of them high."""
    usual = 72 * empty_figure().get_figheight()
    height = usual if not theme.narrow else 0.5 * usual
    for _ in range(2):
        page = empty_figure(height / usual)
        axes = page.subplots()
        axes.set_axis_off()
        finish(page, headline, note, theme)
        box = axes.get_position()
        available = 72 * box.height * page.get_figheight()
        axes.set_xlim(0, 72 * box.width * page.get_figwidth())
        axes.set_ylim(0, available)
        if available >= need:
            break
        height += need - available + 1
    return page, axes


def _draw_panel(
    axes: Axes, one: AssumptionPanel, corner: Size, size: float, theme: Theme, title: float
) -> None:
    """A panel by its upper left corner."""

    def at(along: float, across: float) -> Array:
        return np.array([corner[0] + size * across, corner[1] - size * (title + along)])

    if title:
        x, y = at(-0.7, one.layout.breadth / 2).tolist()
        axes.text(
            x, y, one.title, ha="center", va="bottom", color=theme.text,
            fontsize=1.15 * size, fontweight="bold", gid=f"title {one.title}",
        )  # fmt: skip
    for (kind, start, end), path, label in zip(one.arrows, one.layout.paths, one.layout.labels, strict=True):
        gid = f"{kind} {start} {end}"
        draw_edge(
            axes, gid, np.array([at(*point) for point in path]), size,
            theme.faint if kind == "struck" else theme.text, width=1 / 8 if kind == "against" else 1 / 13,
            dashes=_DASHES[kind], both_ends=kind == "against",
        )  # fmt: skip
        if kind in ("struck", "against"):
            axes.plot(
                *at(label.along, label.across), marker="x", color=theme.text, markersize=0.5 * size,
                markeredgewidth=size / 7, zorder=5, gid=f"cross {gid}",
            )  # fmt: skip
    for name, box in one.layout.nodes.items():
        guest = name in one.guests
        draw_node(
            axes, name, one.names[name], at(box.along, box.across), (size * box.size[1], size * box.size[0]),
            size, theme, colour=theme.faint if guest else theme.text,
            dashes=(0, (2, 1.5)) if guest else "solid",
        )  # fmt: skip


def _headline(panels: Sequence[AssumptionPanel], everything: bool) -> str:
    if everything:
        return "Assumptions: which implies which, and which does not"
    return f"Assumptions on {join_names([p.title for p in panels])}: which implies which"


def _note(narrow: bool) -> str:
    solid = "An arrow: implies" + ("" if narrow else ", with the constants that boundkit graph gives")
    return (
        f"{solid}. Dashed: only with more. Cross: does not, by example. "
        "Double-headed: never both on all of space. Dotted boxes: of another subject."
    )
