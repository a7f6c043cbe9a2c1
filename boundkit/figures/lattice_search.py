"""Where boxes go in their rows, and how arrows bend, so that no line runs under a box.

A search by exchange: every change of two places, or of one row, that makes the picture better is taken,
until none does, or it has gone round often enough. It is small, and the same every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from boundkit.figures.lattice_layout import Box, Edges

Array = NDArray[np.float64]
Rows = list[list[str]]

LEANS = (0.0, 0.1, -0.1, 0.2, -0.2, 0.32, -0.32, 0.46, -0.46)
FEW = np.array([(lean, 0.0) for lean in LEANS])
MANY = np.array([(lean, skew) for skew in (0.0, 0.25, -0.25, 0.45, -0.45) for lean in (*LEANS, 0.62, -0.62)])
"""Bends to choose from, in the search and at its end: how far a line leans out, and how far on."""

MIDDLES = np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74])
"""Where on its way an arrow may carry its cross."""

UNDER, CLASH, TWIN = 5.0, 6.0, 8.0
"""What it costs: a line under a box, a cross on something, two lines that are one."""

COARSE, FINE = 16, 96
"""In how many places a line is looked at, in the search and at its end."""


@dataclass(frozen=True)
class Bend:
    """How an arrow leans to the right of its way and on, as shares of it, and where its cross is."""

    lean: float
    skew: float = 0.0
    middle: float = 0.5

    def points(self, start: Box, end: Box, t: Array) -> Array:
        """Points from the centre of one box to that of the other, shape (t, 2)."""
        a, b = (np.array([[box.x, box.y]]) for box in (start, end))
        way: Array = points(a, b, np.array([[self.lean, self.skew]]), t)[0, 0]
        return way


@dataclass(frozen=True)
class Arrows:
    """Arrows in the order in which they choose their way; ``crossed`` are those that carry a cross."""

    edges: Edges
    crossed: frozenset[int]


def bends(arrows: Arrows, boxes: dict[str, Box], size: float, fine: bool = False) -> tuple[list[Bend], float]:
    """The best bend for each arrow after those before it, and what is still wrong."""
    index = {n: k for k, n in enumerate(boxes)}
    centres = np.array([[box.x, box.y] for box in boxes.values()])
    halves = np.array([[box.width, box.height] for box in boxes.values()]) / 2
    pairs = np.array([[index[a], index[b]] for a, b in arrows.edges], dtype=np.intp).reshape(-1, 2)
    ways = MANY if fine else FEW
    costs = _lines(centres, halves, pairs, size, ways, FINE if fine else COARSE)
    places = points(centres[pairs[:, 0]], centres[pairs[:, 1]], ways, MIDDLES)
    taken = CLASH * _inside(places, centres, halves + 0.45 * size).any(axis=-1) + 0.3 * np.abs(MIDDLES - 0.5)
    chosen: list[Bend] = []
    crosses: list[Array] = []
    wrong = 0.0
    for number, edge in enumerate(arrows.edges):
        cost = costs[number]
        for k, other in enumerate(arrows.edges[:number]):
            if set(other) == set(edge):
                same = chosen[k].lean if other == edge else -chosen[k].lean
                cost = cost + TWIN * (np.abs(ways[:, 0] - same) < 0.09)
        middle = np.zeros(len(ways), dtype=np.intp)
        if number in arrows.crossed:
            clash = taken[number]
            for cross in crosses:
                away = np.linalg.norm(places[number] - cross, axis=-1)
                clash = clash + CLASH * (away < 1.2 * size)
            middle = clash.argmin(axis=-1)
            cost = cost + clash.min(axis=-1)
        best = int(cost.argmin())
        lean, skew = ways[best].tolist()
        chosen.append(Bend(lean, skew, float(MIDDLES[middle[best]])))
        wrong += float(cost[best])
        if number in arrows.crossed:
            crosses.append(places[number, best, middle[best]])
    return chosen, wrong


def hidden(arrows: Arrows, bent: list[Bend], boxes: dict[str, Box]) -> int:
    """How many arrows run under a box that is none of theirs."""
    t = np.linspace(0.0, 1.0, 200)
    count = 0
    for (start, end), bend in zip(arrows.edges, bent, strict=True):
        way = bend.points(boxes[start], boxes[end], t)
        others = [box for name, box in boxes.items() if name not in (start, end)]
        count += any(box.holds(x, y, 0.5) for box in others for x, y in way)
    return count


def _lines(
    centres: Array, halves: Array, pairs: NDArray[np.intp], size: float, ways: Array, places: int
) -> Array:
    """What each bend costs each arrow: under boxes, beyond the panel, and for being bent."""
    a, b = centres[pairs[:, 0]], centres[pairs[:, 1]]
    way = points(a, b, ways, np.linspace(0.05, 0.95, places))
    inside = _inside(way, centres, halves + 0.25 * size)
    for k in (0, 1):
        np.put_along_axis(inside, pairs[:, k, None, None, None], False, axis=-1)
    low, high = (centres - halves).min(axis=0) - 0.4 * size, (centres + halves).max(axis=0) + 0.4 * size
    beyond = ((way < low) | (way > high)).any(axis=-1)
    length = np.hypot(*(b - a).T)[:, None]
    bent = (0.8 * np.abs(ways[:, 0]) + 0.3 * np.abs(ways[:, 1])) * (1 + length / (18 * size))
    hidden = inside.any(axis=-1) | beyond
    total: Array = UNDER * (hidden.any(axis=-1) + COARSE * hidden.mean(axis=-1) / 4) + bent
    return total


def points(a: Array, b: Array, ways: Array, t: Array) -> Array:
    """Points on bent lines from a to b, each of shape (n, 2), by rows of lean and skew: (n, ways, t, 2)."""
    way = b - a
    aside = np.stack([way[:, 1], -way[:, 0]], axis=-1)
    middle = ((a + b) / 2)[:, None] + 2 * ways[:, :1] * aside[:, None] + ways[:, 1:] * way[:, None]
    s = t[None, None, :, None]
    bent: Array = (
        (1 - s) ** 2 * a[:, None, None] + 2 * s * (1 - s) * middle[:, :, None] + s**2 * b[:, None, None]
    )
    return bent


def improved(rows: Rows, solid: Edges, cost: Callable[[Rows], float], rounds: int = 5) -> Rows:
    """The rows after every exchange that helps; stronger stays above weaker."""
    best, least = rows, cost(rows)
    for _ in range(rounds):
        before = least
        for change in range(len(list(_changes(best, solid)))):
            changed = next(islice(_changes(best, solid), change, None), best)
            if (found := cost(changed)) < least - 1e-9:
                best, least = changed, found
        if least >= before:
            break
    return best


def _changes(rows: Rows, solid: Edges) -> Iterator[Rows]:
    for k, row in enumerate(rows):
        for i, j in combinations(range(len(row)), 2):
            other = list(row)
            other[i], other[j] = other[j], other[i]
            yield [*rows[:k], other, *rows[k + 1 :]]
    level = {n: k for k, row in enumerate(rows) for n in row}
    for name, k in level.items():
        low = max((level[a] + 1 for a, b in solid if b == name), default=0)
        high = min((level[b] - 1 for a, b in solid if a == name), default=len(rows) - 1)
        for target in range(low, high + 1):
            if target != k and len(rows[k]) > 1:
                for place in range(len(rows[target]) + 1):
                    moved = [[n for n in row if n != name] for row in rows]
                    moved[target].insert(place, name)
                    yield moved


def _inside(places: Array, centres: Array, halves: Array) -> NDArray[np.bool_]:
    across, along = (np.abs(places[..., None, k] - centres[:, k]) <= halves[:, k] for k in (0, 1))
    found: NDArray[np.bool_] = across & along
    return found
