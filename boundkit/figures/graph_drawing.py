"""Layered drawings of directed graphs: boxes in layers, labels on edges, and no box or label on another.

Every label is a box of its own in a layer between two layers of nodes, and an edge that passes a layer keeps
a place free there. Places inside the layers start from networkx's spectral layout. ``along`` runs from the
first layer to the last, ``across`` at right angles to it; the unit is the size of the type.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.textpath import text_to_path
from scipy.interpolate import PchipInterpolator

from boundkit.figures.labels import spread
from boundkit.figures.style import Theme
from boundkit.simulation.arrays import Array

Edges = Sequence[tuple[str, str]]
Size = tuple[float, float]
Dashes = str | tuple[int, tuple[float, ...]]

LINE = 1.3
"""Distance between two lines of text, in sizes of type."""

STUB = 0.35
"""Length of the straight ends of an edge, in sizes of type."""
SWEEPS = 24
TIE = 1e-3
"""Weight of the edges between successive nodes of a layer: symmetric nodes keep their given order."""


@dataclass(frozen=True)
class Box:
    """A box by its centre and its size, along and across."""

    along: float
    across: float
    size: Size


@dataclass(frozen=True)
class GraphLayout:
    """Boxes of the nodes, and of each edge the box of its label and its path, (n, 2), along and across."""

    nodes: dict[str, Box]
    labels: list[Box]
    paths: list[Array]
    length: float
    breadth: float


def layered_layout(
    layers: Sequence[Sequence[str]],
    edges: Edges,
    sizes: Mapping[str, Size],
    labels: Sequence[Size],
    gap: Size,
    port: float,
) -> GraphLayout:
    """Compute a layered layout.

    Parameters
    ----------
    layers
        The nodes of each layer; the first layer is at 0.
    edges
        Pairs of nodes. An edge inside a layer turns round in the following label layer.
    sizes, labels
        Sizes of the nodes, and of the label of each edge.
    gap
        Distance between layers, and between boxes of a layer.
    port
        Distance between the ends of two edges at a node.
    """
    level: dict[Hashable, int] = {node: 2 * k for k, row in enumerate(layers) for node in row}
    extent: dict[Hashable, Size] = dict(sizes.items())
    places = _spectral_places(layers, edges)
    chains: list[list[Hashable]] = []
    label_keys: list[Hashable] = []
    for k, (start, end) in enumerate(edges):
        between = _levels_between(level[start], level[end])
        odd = [at for at in between if at % 2]
        chain: list[Hashable] = [(k, at) for at in between]
        level |= dict(zip(chain, between, strict=True))
        extent |= dict.fromkeys(chain, (0.0, 0.0)) | {(k, odd[len(odd) // 2]): labels[k]}
        way = np.linspace(places[start], places[end], len(chain) + 2)[1:-1]
        places |= dict(zip(chain, way.tolist(), strict=True))
        label_keys.append((k, odd[len(odd) // 2]))
        chains.append([start, *chain, end])
    rows = [[key for key in level if level[key] == at] for at in range(max(level.values()) + 1)]
    across = _place_across([row for row in rows if row], chains, places, extent, gap[1])
    depths = [max((extent[key][0] for key in row), default=0.0) for row in rows]
    starts = np.concatenate(([0.0], np.cumsum(np.array(depths) + gap[0])))
    low = min(across[key] - extent[key][1] / 2 for key in level)
    high = max(across[key] + extent[key][1] / 2 for key in level)
    boxes = {
        key: Box(float(starts[at] + depths[at] / 2), across[key] - low, extent[key])
        for key, at in level.items()
    }
    paths = [
        _path([boxes[key] for key in chain], [depths[level[key]] for key in chain], *ends)
        for chain, ends in zip(chains, _ports(edges, chains, boxes, port), strict=True)
    ]
    return GraphLayout(
        {node: boxes[node] for row in layers for node in row},
        [boxes[key] for key in label_keys],
        paths,
        float(starts[-1] - gap[0]),
        high - low,
    )


def longest_path_layers(nodes: Sequence[str], edges: Edges) -> list[list[str]]:
    """Layers by the longest path from a source; a source is just before its first successor.

    >>> longest_path_layers(["b", "a", "c", "d"], [("a", "b"), ("b", "c"), ("d", "c")])
    [['a'], ['b', 'd'], ['c']]
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    depth = {node: k for k, row in enumerate(nx.topological_generations(graph)) for node in row}
    for node in nodes:
        if not graph.in_degree(node) and graph.out_degree(node):
            depth[node] = min(depth[successor] for successor in graph.successors(node)) - 1
    return [[n for n in nodes if depth[n] == k] for k in range(max(depth.values(), default=-1) + 1)]


def _levels_between(start: int, end: int) -> list[int]:
    """Levels that an edge passes; the following one where both ends share a level."""
    if start == end:
        return [start + 1]
    return list(range(start + 1, end)) if start < end else list(range(start - 1, end, -1))


def _spectral_places(layers: Sequence[Sequence[str]], edges: Edges) -> dict[Hashable, float]:
    """Coordinates of the nodes across, by the Fiedler vector of the graph."""
    graph = nx.Graph()
    for row in layers:
        nx.add_path(graph, row, weight=TIE)
    nx.add_path(graph, [row[0] for row in layers], weight=TIE)
    graph.add_edges_from((a, b, {"weight": 1.0}) for a, b in edges if a != b)
    layout = nx.spectral_layout(graph, dim=1)
    places: dict[Hashable, float] = {node: float(at[0]) for node, at in layout.items()}
    rising = sum(places[b] - places[a] for row in layers for a, b in pairwise(row))
    return places if rising >= 0 else {node: -at for node, at in places.items()}


def _place_across(
    rows: Sequence[Sequence[Hashable]],
    chains: Sequence[Sequence[Hashable]],
    places: Mapping[Hashable, float],
    sizes: Mapping[Hashable, Size],
    gap: float,
) -> dict[Hashable, float]:
    """Centres across: each as near to the mean of its neighbours as its row allows, sorted by that mean."""
    graph = nx.Graph(pair for chain in chains for pair in pairwise(chain))
    place = dict(places)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            near = {key: [place[n] for n in graph[key]] if key in graph else [place[key]] for key in row}
            wanted = {key: float(np.mean(own)) for key, own in near.items()}
            keys = sorted(row, key=wanted.__getitem__)
            heights = [sizes[key][1] + gap for key in keys]
            place |= dict(zip(keys, spread([wanted[key] for key in keys], heights, -1e6, 1e6), strict=True))
    return place


def _ports(
    edges: Edges, chains: Sequence[Sequence[Hashable]], boxes: Mapping[Hashable, Box], port: float
) -> list[tuple[float, float]]:
    """Offsets across at which each edge leaves and enters, so that no two edges meet in a point."""
    ends: dict[tuple[str, bool], list[tuple[float, int, int]]] = {}
    for k, (chain, edge) in enumerate(zip(chains, edges, strict=True)):
        for side, (node, neighbour) in enumerate(zip(edge, (chain[1], chain[-2]), strict=True)):
            after = boxes[neighbour].along > boxes[node].along
            ends.setdefault((node, after), []).append((boxes[neighbour].across, k, side))
    offsets = [[0.0, 0.0] for _ in edges]
    for (node, _), own in ends.items():
        step = min(port, boxes[node].size[1] / (len(own) + 1))
        for place, (_, k, side) in enumerate(sorted(own)):
            offsets[k][side] = (place - (len(own) - 1) / 2) * step
    return [(leaves, enters) for leaves, enters in offsets]


def _path(boxes: Sequence[Box], depths: Sequence[float], leaves: float, enters: float) -> Array:
    """A smooth curve through the boxes of an edge, (n, 2), straight where it passes a layer."""
    first, *middle, last = boxes
    if first.along == last.along:
        return _turn(first, middle[0], last, leaves, enters)
    forward = float(np.sign(last.along - first.along))
    knots = {
        first.along + forward * (first.size[0] / 2 + stub): first.across + leaves for stub in (0.0, STUB)
    }
    for box, depth in zip(middle, depths[1:-1], strict=True):
        knots |= {box.along + side * depth / 2: box.across for side in (-forward, forward)}
    knots |= {last.along - forward * (last.size[0] / 2 + stub): last.across + enters for stub in (0.0, STUB)}
    along, across = np.array(sorted(knots.items())).T
    t = np.linspace(along[0], along[-1], 24 * len(along))
    path = np.stack([t, PchipInterpolator(along, across)(t)], axis=-1)
    return path if forward > 0 else path[::-1]


def _turn(first: Box, label: Box, last: Box, leaves: float, enters: float) -> Array:
    """A curve between two boxes of a layer that turns round at the label."""
    t = np.linspace(0.0, 1.0, 24)[:, None]
    deep, halves = np.array([label.along, label.across]), []
    for box, port in ((first, leaves), (last, enters)):
        start = np.array([box.along + box.size[0] / 2, box.across + port])
        corner = np.array([label.along, start[1]])
        halves.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * deep)
    return np.concatenate([halves[0], halves[1][::-1]])


def pack_rows(extents: Sequence[Size], gap: Size, width: float) -> tuple[tuple[Size, ...], float]:
    """Upper left corners of boxes side by side in rows, in their order, and the height of all rows."""
    rows: list[list[int]] = []
    left = -1.0
    for k, (wide, _) in enumerate(extents):
        if rows and wide + gap[0] <= left:
            rows[-1].append(k)
            left -= wide + gap[0]
        else:
            rows.append([k])
            left = width - wide
    corners: list[Size] = []
    top = 0.0
    for row in rows:
        free = (width - sum(extents[k][0] for k in row)) / (len(row) + 1)
        x = free
        for k in row:
            corners.append((x, top))
            x += extents[k][0] + free
        top += max(extents[k][1] for k in row) + gap[1]
    return tuple(corners), top - gap[1]


def text_extent(lines: Sequence[str], sizes: Sequence[float], padding: Size) -> Size:
    """Width and height of lines of text of these sizes, with padding."""
    width = max(size * _text_width(line) for line, size in zip(lines, sizes, strict=True))
    return width + padding[0], LINE * sum(sizes) + padding[1]


@lru_cache(maxsize=2000)
def _text_width(text: str) -> float:
    """Width of a text at size 1."""
    font = FontProperties(family="DejaVu Sans", size=10)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath="$" in text)[0]) / 10


def draw_node(
    axes: Axes, name: str, text: str, centre: Array, extent: Size, size: float, theme: Theme, *,
    colour: str = "", width: float = 1 / 14, dashes: Dashes = "solid",
) -> None:  # fmt: skip
    """Draw a rounded box around a text; ``width`` of its line and ``extent`` in points and sizes of type."""
    wide, high = extent
    axes.add_patch(FancyBboxPatch(
        (centre[0] - wide / 2, centre[1] - high / 2), wide, high,
        boxstyle=f"round,pad=0,rounding_size={0.35 * size}", facecolor=theme.background,
        edgecolor=colour or theme.text, linewidth=width * size, linestyle=dashes, zorder=3, gid=f"box {name}",
    ))  # fmt: skip
    axes.text(
        centre[0], centre[1], text, ha="center", va="center", color=colour or theme.text, fontsize=size,
        linespacing=1.1, zorder=4, gid=f"name {name}",
    )  # fmt: skip


def draw_edge(
    axes: Axes, gid: str, path: Array, size: float, colour: str, *, width: float = 1 / 13,
    dashes: Dashes = "solid", both_ends: bool = False,
) -> None:  # fmt: skip
    """Draw an arrow along a path; its head is apart from the body, so that its outline has no dashes."""
    axes.plot(*path.T, color=colour, linewidth=width * size, linestyle=dashes, zorder=1, gid=gid)
    for way in (path, path[::-1]) if both_ends else (path,):
        far = np.linalg.norm(way - way[-1], axis=1) > 0.5 * size
        axes.add_patch(FancyArrowPatch(
            way[far][-1], way[-1], arrowstyle="-|>", mutation_scale=0.9 * size, color=colour, linewidth=0,
            shrinkA=0, shrinkB=0, zorder=1, gid=f"head {gid}",
        ))  # fmt: skip
