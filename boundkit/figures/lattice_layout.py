"""Where the boxes of a lattice stand: stronger above weaker, neighbours near each other.

Everything is in points. y grows upwards, and the first layer stands highest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Sizes = Mapping[str, tuple[float, float]]
Edges = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Box:
    """A box by its centre and its size."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point lies in it, or at most ``margin`` outside."""
        return abs(x - self.x) <= self.width / 2 + margin and abs(y - self.y) <= self.height / 2 + margin

    def moved(self, x: float, y: float) -> Box:
        """The same box elsewhere."""
        return Box(self.x + x, self.y + y, self.width, self.height)


def layers(names: Sequence[str], edges: Edges, beside: Edges = ()) -> list[list[str]]:
    """Names by the length of the longest way down to them; those of ``beside`` share a layer.

    >>> layers(["b", "a", "c"], [("a", "b"), ("a", "c"), ("b", "c")])
    [['a'], ['b'], ['c']]
    """
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for above, below in edges:
            depth[below] = max(depth[below], depth[above] + 1)
        for one, other in beside:
            depth[one] = depth[other] = max(depth[one], depth[other])
    rows = ([n for n in names if depth[n] == k] for k in range(max(depth.values()) + 1))
    return [row for row in rows if row]


def ordered(rows: Sequence[Sequence[str]], edges: Edges, sweeps: int = 8) -> list[list[str]]:
    """The rows, each sorted by the mean place of its neighbours, so that few lines cross."""
    best = [list(row) for row in rows]
    near: dict[str, list[str]] = {name: [] for row in best for name in row}
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    now, fewest = [list(row) for row in best], crossings(best, edges)
    for _ in range(sweeps):
        for k in range(len(now)):  # one row after another: all at once may turn over and over
            place = {n: (j + 0.5) / len(row) for row in now for j, n in enumerate(row)}
            pull = {n: _mean([place[b] for b in near[n]], place[n]) for n in now[k]}
            now[k] = sorted(now[k], key=pull.__getitem__)
        if (found := crossings(now, edges)) < fewest:
            best, fewest = [list(row) for row in now], found
    return best


def crossings(rows: Sequence[Sequence[str]], edges: Edges) -> int:
    """Pairs of lines that cross, where both join the same two rows."""
    level = {n: k for k, row in enumerate(rows) for n in row}
    place = {n: k for row in rows for k, n in enumerate(row)}
    lines = [(level[a], place[a], level[b], place[b]) for a, b in edges]
    return sum(
        a[0] == b[0] and a[2] == b[2] and (a[1] - b[1]) * (a[3] - b[3]) < 0
        for k, a in enumerate(lines)
        for b in lines[:k]
    )


def broken(rows: Sequence[Sequence[str]], sizes: Sizes, gap: float, room: float) -> list[list[str]]:
    """The rows, those wider than ``room`` in several of about equal length."""
    result: list[list[str]] = []
    for row in rows:
        total = sum(sizes[n][0] + gap for n in row) - gap
        parts = max(int(-(-total // room)), 1)
        cuts = [round(k * len(row) / parts) for k in range(parts + 1)]
        result += [list(row[a:b]) for a, b in pairwise(cuts)]
    return result


def placed(
    rows: Sequence[Sequence[str]], sizes: Sizes, gap: tuple[float, float]
) -> tuple[dict[str, Box], float, float]:
    """A box for each name, rows centred below each other; and the width and the height of them all."""
    width = max(sum(sizes[n][0] for n in row) + gap[0] * (len(row) - 1) for row in rows)
    height = sum(max(sizes[n][1] for n in row) for row in rows) + gap[1] * (len(rows) - 1)
    boxes: dict[str, Box] = {}
    top = height
    for row in rows:
        tall = max(sizes[n][1] for n in row)
        free = width - sum(sizes[n][0] for n in row)
        between = free / len(row)
        x = between / 2
        for name in row:
            boxes[name] = Box(x + sizes[name][0] / 2, top - tall / 2, *sizes[name])
            x += sizes[name][0] + between
        top -= tall + gap[1]
    return boxes, width, height


def shelves(widths: Sequence[float], gap: float, room: float) -> list[list[int]]:
    """Panels side by side in rows at most ``room`` wide, in their order.

    >>> shelves([4, 4, 9], 1, 10)
    [[0, 1], [2]]
    """
    rows: list[list[int]] = []
    left = -1.0
    for place, width in enumerate(widths):
        if rows and width + gap <= left:
            rows[-1].append(place)
            left -= width + gap
        else:
            rows.append([place])
            left = room - width
    return rows


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
