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

LEANS = np.array([0.0, 0.1, -0.1, 0.2, -0.2, 0.32, -0.32, 0.46, -0.46])
MIDDLES = np.array([0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74])
"""Where on its way an arrow may carry its cross."""

UNDER, CLASH, TWIN = 1.0, 6.0, 8.0
"""What it costs: a piece of a line under a box, a cross on something, two lines that are one."""

_T = np.linspace(0.06, 0.94, 16)


@dataclass(frozen=True)
class Bend:
    """How an arrow leans to the right of its way, as a share of it, and where on the way its cross is."""

    lean: float
    middle: float = 0.5


@dataclass(frozen=True)
class Arrows:
    """Arrows in the order in which they choose their way; ``crossed`` are those that carry a cross."""

    edges: Edges
    crossed: frozenset[int]


def bends(arrows: Arrows, boxes: dict[str, Box], size: float) -> tuple[list[Bend], float]:
    """The best bend for each arrow after those before it, and what is still wrong."""
    index = {n: k for k, n in enumerate(boxes)}
    centres = np.array([[box.x, box.y] for box in boxes.values()])
    halves = np.array([[box.width, box.height] for box in boxes.values()]) / 2
    pairs = np.array([[index[a], index[b]] for a, b in arrows.edges], dtype=np.intp).reshape(-1, 2)
    costs = _lines(centres, halves, pairs, size)
    places = points(centres[pairs[:, 0]], centres[pairs[:, 1]], LEANS, MIDDLES)
    taken = CLASH * _inside(places, centres, halves + 0.45 * size).any(axis=-1) + 0.3 * np.abs(MIDDLES - 0.5)
    chosen: list[Bend] = []
    crosses: list[Array] = []
    wrong = 0.0
    for number, edge in enumerate(arrows.edges):
        cost = costs[number]
        for k, other in enumerate(arrows.edges[:number]):
            if set(other) == set(edge):
                same = chosen[k].lean if other == edge else -chosen[k].lean
                cost = cost + TWIN * (np.abs(LEANS - same) < 0.09)
        middle = np.zeros(len(LEANS), dtype=np.intp)
        if number in arrows.crossed:
            clash = taken[number]
            for cross in crosses:
                away = np.linalg.norm(places[number] - cross, axis=-1)
                clash = clash + CLASH * (away < 1.2 * size)
            middle = clash.argmin(axis=-1)
            cost = cost + clash.min(axis=-1)
        best = int(cost.argmin())
        chosen.append(Bend(float(LEANS[best]), float(MIDDLES[middle[best]])))
        wrong += float(cost[best])
        if number in arrows.crossed:
            crosses.append(places[number, best, middle[best]])
    return chosen, wrong


def _lines(centres: Array, halves: Array, pairs: NDArray[np.intp], size: float) -> Array:
    """What each lean costs each arrow: under boxes, beyond the panel, and for being bent."""
    a, b = centres[pairs[:, 0]], centres[pairs[:, 1]]
    way = points(a, b, LEANS, _T)
    inside = _inside(way, centres, halves + 0.25 * size)
    for k in (0, 1):
        np.put_along_axis(inside, pairs[:, k, None, None, None], False, axis=-1)
    low, high = (centres - halves).min(axis=0) - 0.4 * size, (centres + halves).max(axis=0) + 0.4 * size
    beyond = ((way < low) | (way > high)).any(axis=-1)
    length = np.hypot(*(b - a).T)[:, None]
    bent = 0.8 * np.abs(LEANS) * (1 + length / (18 * size))
    total: Array = UNDER * (inside.any(axis=-1) | beyond).sum(axis=-1) + bent
    return total


def points(a: Array, b: Array, leans: Array, t: Array) -> Array:
    """Points on bent lines from a to b, each of shape (n, 2): shape (n, leans, t, 2)."""
    way = b - a
    aside = np.stack([way[:, 1], -way[:, 0]], axis=-1)
    middle = ((a + b) / 2)[:, None, :] + 2 * leans[None, :, None] * aside[:, None, :]
    s = t[None, None, :, None]
    bent: Array = (
        (1 - s) ** 2 * a[:, None, None] + 2 * s * (1 - s) * middle[:, :, None] + s**2 * b[:, None, None]
    )
    return bent


def improved(rows: Rows, solid: Edges, cost: Callable[[Rows], float], rounds: int = 4) -> Rows:
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
