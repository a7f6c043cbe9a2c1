"""How long the slowest takes: the mean of a maximum, by quadrature of the chance that it is not done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boundkit.analysis.runtime.distributions import Array, Total

NODES = 40
"""Nodes of Gauss and Legendre in each panel."""

_CHANCES = np.concatenate([10.0 ** -np.arange(18, 0, -1.0), np.arange(0.2, 0.95, 0.1)])
"""Panels end where the chance that the slowest is not done has one of these values, or that it is done."""


def mean_maximum(totals: Sequence[Total], among: int, floor: float = 0.0) -> float:
    """E max(floor, times) over ``among`` of the clients, drawn uniformly without replacement.

    Exact where every time is certain; else to about 1e-12 relative, for laws with a density that is
    smooth but for its ends.
    """
    if all(t.certain for t in totals):
        return _of_numbers(np.array([t.mean for t in totals]), among, floor)
    start = max(floor, 0.0)
    ends = _ends(totals, among)
    ends = np.unique(np.concatenate([[start], ends[ends > start]]))
    if ends.size == 1:
        return start
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(ends)[:, None] / 2
    at = ends[:-1, None] + half * (1 + nodes)
    late = _late(totals, among, at.ravel()).reshape(at.shape)
    return start + float(np.sum(half * weights * late))


def _late(totals: Sequence[Total], among: int, t: Array) -> Array:
    """The chance that the slowest of ``among`` is not done at t; sums of positive parts alone."""
    # A distribution may miss 0 and 1 by a rounding.
    survival = {total: np.clip(total.survival(t), 0.0, 1.0) for total in totals}
    if len(survival) == 1:
        one = next(iter(survival.values()))
        with np.errstate(divide="ignore"):
            return np.asarray(-np.expm1(among * np.log1p(-one)))
    # late[k]: among k drawn from the clients seen so far
    late = np.zeros((among + 1, t.size))
    for seen, total in enumerate(totals, start=1):
        own = survival[total]
        for k in range(min(seen, among), 0, -1):
            with_it = own + (1 - own) * late[k - 1]
            late[k] = with_it if k == seen else late[k] + (k / seen) * (with_it - late[k])
    return np.asarray(late[among])


def _ends(totals: Sequence[Total], among: int) -> Array:
    """Where panels end: at levels of each kind of client, and at the ends of its range."""
    # Of the slowest of M alike clients 1 - (1 - s)^M is left where s is left of one; log d where it is 1 - d.
    logs = np.concatenate([np.log1p(-_CHANCES), np.log(_CHANCES)])
    each = np.unique(np.clip(-np.expm1(logs / among), 1e-300, 1 - 1e-16))
    found = [np.array([0.0])]
    for total in dict.fromkeys(totals):
        if total.certain:
            found.append(np.array([total.mean]))
            continue
        found.append(total.level(each))
        found.append(np.array([e for e in (total.low, total.high) if np.isfinite(e)]))
    return np.concatenate(found)


def _of_numbers(times: Array, among: int, floor: float) -> float:
    """The mean over subsets of their largest, by the chance that the k-th slowest is the slowest who came."""
    ordered = np.sort(times)[::-1]
    count = ordered.size
    chance, left = among / count, 1.0
    mean = 0.0
    for place, time in enumerate(ordered):
        # none of the slower ones came, so all who came are among the rest
        chance = min(among / (count - place), 1.0)
        mean += left * chance * max(float(time), floor)
        left *= 1 - chance
    return mean
