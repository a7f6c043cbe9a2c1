"""Long-run mean of FedAU's recorded participation intervals, under a run's distribution.

A clock counts rounds since the last record; it is read, recorded and reset to 0 when its client participates,
and when it reaches the cutoff K. In the long run the records of a client average period/(its participations
in a period) without K, and with K, for a constant probability q, (1 - (1 - q)^K)/q.
"""

from __future__ import annotations

import numpy as np

from boundkit.simulation.algorithms.round import Array

_DOUBLINGS = 60


def mean_intervals(probabilities: Array, cutoff: int | None) -> Array:
    """The long-run mean of the recorded intervals, (m,); 1 for a client without participation and cutoff.

    ``probabilities``: the inclusion probability of each client in each round of a period, (period, m). With a
    cutoff, participation is taken as independent from round to round, as it is under any schedule. The first
    clock starts before round 0.
    """
    q = np.clip(probabilities, 0.0, 1.0)
    if cutoff is None:
        visits = q.sum(axis=0)
        return np.asarray(np.divide(len(q), visits, out=np.ones_like(visits), where=visits > 0))
    return np.array([_cut(column, cutoff) for column in q.T])


def _cut(q: Array, cutoff: int) -> float:
    """The mean from the Markov chain of the phases of a period at which one client's clock is reset.

    From phase s the record is k < K rounds long with probability
    q(s + k - 1) prod_{j < k} (1 - q(s + j - 1)), and K rounds with the rest. Lengths that differ by whole
    periods share a phase and a factor.
    """
    period = len(q)
    phases, lengths = np.arange(period), np.arange(1, period + 1)
    ahead = q[(phases[:, None] + lengths - 1) % period]
    alive = np.cumprod(np.hstack([np.ones((period, 1)), 1 - ahead]), axis=1)
    whole = alive[:, -1]
    times = np.maximum(0, -((lengths - cutoff) // period))
    probability, mean_periods = _repeats(whole[:, None], times)
    first = alive[:, :-1] * ahead
    ends = (phases[:, None] + lengths) % period
    P = np.zeros((period, period))
    np.add.at(P, (phases[:, None], ends), first * probability)
    length = (first * (lengths * probability + period * mean_periods)).sum(axis=1)
    left = whole ** ((cutoff - 1) // period) * alive[:, (cutoff - 1) % period]
    P[phases, (phases + cutoff) % period] += left
    length += cutoff * left
    return float(_visited(P) @ length)


def _repeats(factor: Array, times: Array) -> tuple[Array, Array]:
    """sum_j factor^j and sum_j j factor^j over j < times."""
    n, f = times.astype(np.float64), np.broadcast_to(factor, (len(factor), len(times)))
    one = np.where(f < 1, 1 - f, 1.0)
    power = f**n
    probability = np.where(f < 1, (1 - power) / one, n)
    weighted = np.where(f < 1, (f * (1 - power) / one - n * power) / one, n * (n - 1) / 2)
    return probability, weighted


def _visited(P: Array) -> Array:
    """Long-run frequencies of the phases in the chain P, from phase 0."""
    mean, step = np.eye(len(P)), P
    for _ in range(_DOUBLINGS):
        mean = (mean + step @ mean) / 2
        step = step @ step
    return np.asarray(mean[0] / mean[0].sum())
