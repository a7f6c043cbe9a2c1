"""Selection strategies by losses: random candidates, and the largest losses among them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import (
    Full,
    Participation,
    PowerOfChoice,
    WithoutReplacement,
    WithReplacement,
)
from boundkit.simulation.validation import checked_weights

_STEP = 0.1
_LEAST = 1e-200
_NUMBERS = 4_000_000
"""Most numbers in one array of the recursion."""


@lru_cache(maxsize=64)
def rank_shares(clients: int, count: int, candidates: int) -> Array:
    """P(rank j chosen)/count for j = 1, ..., clients, equal probabilities; (clients,), from fractions.

    Candidates A, |A| = d, are sampled sequentially without replacement; the ``count`` largest losses of A
    are selected. With equal probabilities only the rank matters,

        P(rank j chosen) = sum_{i < count} C(j-1, i) C(K-j, d-1-i) / C(K, d).
    """
    if count == candidates:  # every candidate is chosen
        ways = [comb(clients - 1, candidates - 1)] * clients
    else:
        ways = [
            sum(comb(j - 1, i) * comb(clients - j, candidates - 1 - i) for i in range(min(count, candidates)))
            for j in range(1, clients + 1)
        ]
    shares = np.array([float(Fraction(w, count * comb(clients, candidates))) for w in ways])
    shares.setflags(write=False)
    return shares


def race_shares(probabilities: Array, count: int, candidates: int) -> Array:
    """P(rank j chosen)/count for probabilities listed by rank, (n, K), all above 0; (n, K).

    Raises BoundkitError for a probability below 1e-200.

    With probabilities c_k the draws are a race: client k arrives at a time distributed Exp(c_k), and A are
    the first d. Of the j largest losses, W_j, min(|A and W_j|, count) are selected, so that

        P(rank j chosen) = Q_j - Q_{j-1},
        Q_j = E min(|A and W_j|, count) = sum_{i <= count} P(|A and W_j| >= i),

    and |A and W| >= i means that the i-th of W arrives while at most d - i others have: one integral over
    time, of a sum of positive terms. After a double-exponential substitution the trapezoidal rule is accurate
    to about 1e-14, for any number of clients, where sums over candidate sets are infeasible.
    """
    n, clients = probabilities.shape
    if probabilities.min() < _LEAST:
        raise BoundkitError(
            f"a client has the sampling probability {probabilities.min():.3g}, but probabilities "
            f"must be 0 or at least {_LEAST:g}, so that the integral over arrival times is accurate."
        )
    t, weight = _times(float(probabilities.min()))
    rows = max(1, _NUMBERS // (clients * count * len(t)))
    expected = np.concatenate(
        [_chosen(probabilities[a : a + rows], count, candidates, t, weight) for a in range(0, n, rows)]
    )
    return np.maximum(np.diff(expected, prepend=0.0, axis=1), 0.0) / count


def _times(least: float) -> tuple[Array, Array]:
    """Times t = exp(s - exp(-s)) on an even grid of s, and the weights of the trapezium rule."""
    s = np.arange(-4.0, log(45 / least), _STEP)
    t = np.exp(s - np.exp(-s))
    return t, _STEP * t * (1 + np.exp(-s))


def _chosen(c: Array, count: int, candidates: int, t: Array, weight: Array) -> Array:
    """Q_j for j = 1, ..., K; (n, K)."""
    n, clients = c.shape
    absent = np.exp(-c[..., None] * t)  # not yet arrived, (n, K, times)
    arrived = -np.expm1(-c[..., None] * t)
    others = _at_most(absent, arrived, count, candidates)
    ahead = np.zeros((n, count, len(t)))  # how many of W_j have arrived: 0, ..., count - 1
    ahead[:, 0] = 1
    density = np.zeros((n, count, len(t)))  # of the arrival of the i-th of W_j, i = 1, ..., count
    total = np.empty((n, clients))
    for j in range(clients):
        a, b = absent[:, j, None], arrived[:, j, None]
        earlier = density[:, :-1].copy()
        density = density * a + (c[:, j, None, None] * a) * ahead
        density[:, 1:] += b * earlier
        before = ahead[:, :-1].copy()
        ahead = ahead * a
        ahead[:, 1:] += b * before
        total[:, j] = ((density * others[j]).sum(1) * weight).sum(-1)
    return total


def _at_most(absent: Array, arrived: Array, count: int, candidates: int) -> list[Array]:
    """P(at most d - i of the clients after rank j have arrived), i = 1, ..., count; a list over j."""
    n, clients, times = absent.shape
    counts = np.zeros((n, candidates, times))  # how many have arrived: 0, ..., d - 1
    counts[:, 0] = 1
    tails: list[Array] = []
    for j in range(clients - 1, -1, -1):
        tails.append(np.cumsum(counts, axis=1)[:, candidates - count :][:, ::-1])
        before = counts[:, :-1].copy()
        counts = counts * absent[:, j, None]
        counts[:, 1:] += arrived[:, j, None] * before
    return tails[::-1]


def strategy_of(participation: Participation) -> Strategy:
    """The same selection as a Strategy, with its own probabilities.

    Raises BoundkitError for other kinds, for estimated or earlier losses (cpow, rpow), for
    the smallest losses, and for a varying number of candidates.
    """
    if isinstance(participation, WithReplacement):
        return Strategy(participation.count, replacement=True, probabilities=tuple(participation.p.tolist()))
    if isinstance(participation, (WithoutReplacement, Full)):
        m = participation.m
        return Strategy(
            participation.count if isinstance(participation, WithoutReplacement) else m,
            probabilities=(1 / m,) * m,
        )
    if not isinstance(participation, PowerOfChoice):
        raise BoundkitError(
            f"{participation.kind} participation has no skew in closed form; it is computed for "
            "power_of_choice, with_replacement, uniform and full."
        )
    if participation.variant != "pow" or participation.lowest:
        what = "the smallest losses" if participation.lowest else f"the variant {participation.variant!r}"
        raise BoundkitError(f"the skew is computed for the largest exact losses ('pow'), not for {what}.")
    if len(set(participation.d)) > 1:
        raise BoundkitError(
            f"the candidates change, d = {', '.join(map(str, participation.d))}: each has a skew of its own."
        )
    return Strategy(participation.count, participation.d[0], probabilities=tuple(participation.p.tolist()))


@dataclass(frozen=True)
class Strategy:
    """Power of choice: ``candidates`` sampled without replacement, of them the ``count`` largest losses.

    As many candidates as the count is random selection; with all clients of positive probability as
    candidates, the largest losses of all are selected.

    Parameters
    ----------
    count
        The number of selected clients, at least 1.
    candidates
        The number of candidates, at least ``count``, which is the default.
    replacement
        Whether ``count`` clients are drawn with replacement, independently of losses: unbiased where the
        probabilities are p.
    probabilities
        Candidates are sampled sequentially in proportion to those of the remaining clients; p by default.

    Raises
    ------
    BoundkitError
        For a count below 1, for fewer candidates than the count, for candidates with replacement, and, for
        given clients, for more candidates than clients of positive probability.

    References
    ----------
    Cho, Wang, Joshi, arXiv 2010.01243, section 4.

    Examples
    --------
    >>> Strategy(count=1, candidates=2)
    Strategy(count=1, candidates=2, replacement=False, probabilities=None)
    """

    count: int
    candidates: int | None = None
    replacement: bool = False
    probabilities: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for name, value in (("count", self.count), ("candidates", self.candidates)):
            if value is not None and not (_is_whole(value) and value >= 1):
                raise BoundkitError(f"{name} must be a whole number from 1, but it is {value!r}.")
        if self.replacement and self.candidates is not None:
            raise BoundkitError(
                f"candidates = {self.candidates} was given, but draws with replacement have no candidates."
            )
        if self.pool < self.count:
            raise BoundkitError(
                f"candidates = {self.candidates} was given, but at least count = {self.count} are needed."
            )
        if self.probabilities is not None:
            object.__setattr__(self, "probabilities", tuple(float(c) for c in self.probabilities))

    def _repr_html_(self) -> str:
        from boundkit.report.html import notes

        if self.replacement:
            text = f"{self.count} draws with replacement, whatever the losses"
        elif self.uses_losses:
            text = f"of {self.pool} candidates the {self.count} with the largest losses"
        else:
            text = f"{self.count} clients without replacement, whatever the losses"
        drawn = (
            "the weights p of the problem"
            if self.probabilities is None
            else ", ".join(map(str, self.probabilities))
        )
        return notes([f"Strategy: {text}", f"probabilities: {drawn}"])

    @property
    def pool(self) -> int:
        """d, the number of candidates."""
        return self.count if self.candidates is None else self.candidates

    @property
    def uses_losses(self) -> bool:
        """Whether the selection depends on losses."""
        return not self.replacement and self.pool > self.count

    def sampling_probabilities(self, p: Array) -> Array:
        """The sampling probabilities of candidates, (m,), for clients of weights p."""
        probabilities = p if self.probabilities is None else checked_weights(self.probabilities, len(p))
        eligible = int((probabilities > 0).sum())
        if not self.replacement and self.pool > eligible:
            raise BoundkitError(
                f"{self.pool} candidates were requested, but only {eligible} clients have a "
                "probability above 0."
            )
        return probabilities

    def shares(self, p: Array, orders: Any) -> Array:
        """q_k = P(k in S)/count for each order of losses, the largest first; (n, m) to (n, m).

        Every row of ``orders`` lists all clients. Rows of the result sum to 1.
        """
        probabilities, orders = self.sampling_probabilities(p), np.asarray(orders, dtype=np.intp)
        if self.replacement:
            return np.broadcast_to(probabilities, orders.shape).copy()
        eligible_clients = probabilities > 0
        ranked = orders[eligible_clients[orders]].reshape(len(orders), int(eligible_clients.sum()))
        shares = np.zeros(orders.shape)
        np.put_along_axis(shares, ranked, self._by_rank(probabilities, ranked), axis=1)
        return shares

    def _by_rank(self, probabilities: Array, ranked: NDArray[np.intp]) -> Array:
        """The shares of ranks 1, 2, ... for clients of positive probability, in the order of their losses."""
        clients = ranked.shape[1]
        if self.pool == clients or np.ptp(probabilities[probabilities > 0]) <= 1e-14:
            return np.broadcast_to(rank_shares(clients, self.count, self.pool), ranked.shape)
        if self.uses_losses:
            return race_shares(probabilities[ranked], self.count, self.pool)
        shares = np.zeros(len(probabilities))  # independent of losses: one order represents all
        shares[ranked[0]] = race_shares(probabilities[ranked[:1]], self.count, self.pool)[0]
        return shares[ranked]


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
