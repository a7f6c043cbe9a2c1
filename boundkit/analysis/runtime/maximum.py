"""Mean of the maximum of independent times, by quadrature of its survival function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boundkit.analysis.runtime.distributions import Array, Total

NODES = 40
"""Gauss-Legendre nodes in each panel."""

_PROBABILITIES = np.concatenate([10.0 ** -np.arange(18, 0, -1.0), np.arange(0.2, 0.95, 0.1)])
"""Panels end where the survival function of the maximum, or its complement, has one of these values."""


def mean_maximum(totals: Sequence[Total], count: int, minimum: float = 0.0) -> float:
    """E max(minimum, times) over ``count`` of the clients, sampled uniformly without replacement.

    Exact where every time is constant; else to about 1e-12 relative, for distributions with a density that
    is smooth inside its support.
    """
    if all(t.certain for t in totals):
        return _mean_of_constants(np.array([t.mean for t in totals]), count, minimum)
    start = max(minimum, 0.0)
    ends = _panel_ends(totals, count)
    ends = np.unique(np.concatenate([[start], ends[ends > start]]))
    if ends.size == 1:
        return start
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(ends)[:, None] / 2
    at = ends[:-1, None] + half * (1 + nodes)
    survival = _survival(totals, count, at.ravel()).reshape(at.shape)
    return start + float(np.sum(half * weights * survival))


def _survival(totals: Sequence[Total], count: int, t: Array) -> Array:
    """P(maximum of ``count`` times > t), by sums of positive parts."""
    # Survival functions may exceed [0, 1] by rounding.
    survival = {total: np.clip(total.survival(t), 0.0, 1.0) for total in totals}
    if len(survival) == 1:
        one = next(iter(survival.values()))
        with np.errstate(divide="ignore"):
            return np.asarray(-np.expm1(count * np.log1p(-one)))
    # maximum[k]: survival of the maximum of k of the first ``clients`` clients
    maximum = np.zeros((count + 1, t.size))
    for clients, total in enumerate(totals, start=1):
        own = survival[total]
        for k in range(min(clients, count), 0, -1):
            included = own + (1 - own) * maximum[k - 1]
            maximum[k] = included if k == clients else maximum[k] + (k / clients) * (included - maximum[k])
    return np.asarray(maximum[count])


def _panel_ends(totals: Sequence[Total], count: int) -> Array:
    """The ends of the panels: quantiles of each distribution, and the ends of its support."""
    # Where one time has survival s, the maximum of M has 1 - (1 - s)^M.
    logs = np.concatenate([np.log1p(-_PROBABILITIES), np.log(_PROBABILITIES)])
    each = np.unique(np.clip(-np.expm1(logs / count), 1e-300, 1 - 1e-16))
    ends = [np.array([0.0])]
    for total in dict.fromkeys(totals):
        if total.certain:
            ends.append(np.array([total.mean]))
            continue
        ends.append(total.quantile(each))
        ends.append(np.array([e for e in (total.low, total.high) if np.isfinite(e)]))
    return np.concatenate(ends)


def _mean_of_constants(times: Array, count: int, minimum: float) -> float:
    """The mean of the maximum over subsets, by the probability that each time is the largest sampled."""
    mean, none_larger = 0.0, 1.0
    for place, time in enumerate(np.sort(times)[::-1]):
        # all sampled clients are among the remaining ones
        probability = min(count / (times.size - place), 1.0)
        mean += none_larger * probability * max(float(time), minimum)
        none_larger *= 1 - probability
    return mean
