"""Where theorems and the conditions between them stand: general ones first, and no two on each other.

A condition is laid out as a box of its own between two layers of theorems, and a way that passes a layer
keeps a gap free there. So no label can come to lie on another, however many there are. ``along`` runs
from the general to the special, ``across`` at right angles to it; the unit is that of the sizes given.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from boundkit.figures.labels import spread

Key = Hashable
Size = tuple[float, float]

_SWEEPS = 24


@dataclass(frozen=True)
class Spot:
    """The centre of a box, and its size, along and across; ``column`` is the length of its whole layer."""

    along: float
    across: float
    size: Size
    column: float


@dataclass(frozen=True)
class Plan:
    """Spots by theorem, by edge (of its condition), and the way of each edge over spots."""

    nodes: dict[str, Spot]
    labels: dict[int, Spot]
    ways: dict[int, tuple[Spot, ...]]
    length: float
    breadth: float


def plan(
    layers: Mapping[str, int],
    edges: Sequence[tuple[str, str]],
    nodes: Mapping[str, Size],
    labels: Sequence[Size],
    gap: Size,
) -> Plan:
    """A place for every theorem and every condition.

    ``layers`` counts from the special end; edge k goes from the first of ``edges[k]`` to the second, with
    a condition of size ``labels[k]``. ``gap`` is the air along and across.
    """
    top = max(layers.values())
    level: dict[Key, int] = {name: 2 * (top - layer) for name, layer in layers.items()}
    sizes: dict[Key, Size] = dict(nodes.items())
    chains: dict[int, list[Key]] = {}
    for k, (start, end) in enumerate(edges):
        between = range(min(level[start], level[end]) + 1, max(level[start], level[end]))
        steps = list(between if level[start] < level[end] else reversed(between))
        middle = _label_place(steps)
        chain: list[Key] = [("label" if at == middle else "way", k, at) for at in steps]
        level |= dict(zip(chain, steps, strict=True))
        sizes |= {
            key: labels[k] if at == middle else (0.0, 0.0) for key, at in zip(chain, steps, strict=True)
        }
        chains[k] = [start, *chain, end]
    pairs = [pair for chain in chains.values() for pair in pairwise(chain)]
    rows = _ordered(level, pairs)
    across = _across(rows, pairs, sizes, gap[1])
    columns = [max((sizes[key][0] for key in row), default=0.0) for row in rows]
    along, length = _along(columns, gap[0])
    low = min(across[key] - sizes[key][1] / 2 for key in level)
    high = max(across[key] + sizes[key][1] / 2 for key in level)
    spots = {key: Spot(along[at], across[key] - low, sizes[key], columns[at]) for key, at in level.items()}
    return Plan(
        {name: spots[name] for name in layers},
        {k: spots[key] for k, chain in chains.items() for key in chain[1:-1] if _is_label(key)},
        {k: tuple(spots[key] for key in chain) for k, chain in chains.items()},
        length,
        high - low,
    )


def _label_place(steps: Sequence[int]) -> int | None:
    """The layer of conditions in the middle of a way; None where both ends share a layer."""
    free = [at for at in steps if at % 2]
    return free[len(free) // 2] if free else None


def _is_label(key: Key) -> bool:
    return isinstance(key, tuple) and key[0] == "label"


def _ordered(level: Mapping[Key, int], pairs: Sequence[tuple[Key, Key]]) -> list[list[Key]]:
    """The layers, each sorted by the mean place of its neighbours; the sweep with the fewest crossings."""
    near = _neighbours(level, pairs)
    rows = [[key for key in level if level[key] == at] for at in range(max(level.values()) + 1)]
    best, fewest = rows, _crossings(rows, pairs)
    for sweep in range(_SWEEPS):
        rows = _swept(rows, near, backwards=sweep % 2 == 1)
        if (found := _crossings(rows, pairs)) < fewest:
            best, fewest = rows, found
    return best


def _swept(
    rows: Sequence[Sequence[Key]], near: Mapping[Key, Sequence[Key]], backwards: bool
) -> list[list[Key]]:
    """One layer after the other, sorted by the neighbours in the layer before it."""
    result = [list(row) for row in rows]
    numbers = list(reversed(range(len(rows)))) if backwards else list(range(len(rows)))
    for before, at in pairwise(numbers):
        place = _places([result[before], result[at]])
        there = set(result[before])
        means = {k: _mean([place[n] for n in near[k] if n in there], place[k]) for k in result[at]}
        result[at].sort(key=means.__getitem__)
    return result


def _neighbours(keys: Iterable[Key], pairs: Sequence[tuple[Key, Key]]) -> dict[Key, list[Key]]:
    near: dict[Key, list[Key]] = {key: [] for key in keys}
    for one, other in pairs:
        near[one].append(other)
        near[other].append(one)
    return near


def _places(rows: Sequence[Sequence[Key]]) -> dict[Key, float]:
    return {key: (k + 0.5) / len(row) for row in rows for k, key in enumerate(row)}


def _crossings(rows: Sequence[Sequence[Key]], pairs: Sequence[tuple[Key, Key]]) -> int:
    level = {key: at for at, row in enumerate(rows) for key in row}
    place = {key: k for row in rows for k, key in enumerate(row)}
    lines = [sorted(((level[a], place[a]), (level[b], place[b]))) for a, b in pairs]
    return sum(
        one[0][0] == other[0][0] and (one[0][1] - other[0][1]) * (one[1][1] - other[1][1]) < 0
        for k, one in enumerate(lines)
        for other in lines[:k]
    )


def _across(
    rows: Sequence[Sequence[Key]], pairs: Sequence[tuple[Key, Key]], sizes: Mapping[Key, Size], gap: float
) -> dict[Key, float]:
    """Centres at right angles: each as near to the mean of its neighbours as its row allows."""
    near = _neighbours([key for row in rows for key in row], pairs)
    place: dict[Key, float] = {}
    for row in rows:
        heights = [sizes[key][1] + gap for key in row]
        place |= dict(zip(row, spread([0.0] * len(row), heights, -1e6, 1e6), strict=True))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            wanted = [_mean([place[n] for n in near[key]], place[key]) for key in row]
            heights = [sizes[key][1] + gap for key in row]
            place |= dict(zip(row, spread(wanted, heights, -1e6, 1e6), strict=True))
    return place


def _along(columns: Sequence[float], gap: float) -> tuple[list[float], float]:
    """The centre of each layer, and the length of all."""
    centres, end = [], 0.0
    for long in columns:
        centres.append(end + long / 2)
        end += long + gap
    return centres, end - gap


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
