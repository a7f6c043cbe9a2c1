"""Selection strategies by losses: random candidates, and the largest losses among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import Full, Participation, PowerOfChoice, Uniform, WithReplacement
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection.rank_probabilities import race_shares, rank_shares
from boundkit.simulation.validation import checked_weights


def strategy_of(participation: Participation) -> Strategy:
    """The same selection as a Strategy, with its own probabilities.

    Raises BoundkitError for other kinds, for estimated or earlier losses (cpow, rpow), for
    the smallest losses, and for a varying number of candidates.
    """
    if isinstance(participation, WithReplacement):
        return Strategy(participation.count, replacement=True, chances=tuple(participation.p.tolist()))
    if isinstance(participation, (Uniform, Full)):
        m = participation.m
        return Strategy(
            participation.count if isinstance(participation, Uniform) else m, chances=(1 / m,) * m
        )
    if not isinstance(participation, PowerOfChoice):
        raise BoundkitError(
            f"{participation.kind} participation has no skew that is computed; power_of_choice, "
            f"with_replacement, uniform and full have."
        )
    if participation.variant != "pow" or participation.lowest:
        what = "the smallest losses" if participation.lowest else f"the variant {participation.variant!r}"
        raise BoundkitError(f"the skew is computed for the largest exact losses ('pow'), not for {what}.")
    if len(set(participation.d)) > 1:
        raise BoundkitError(
            f"the candidates change, d = {', '.join(map(str, participation.d))}: each has a skew of its own."
        )
    return Strategy(participation.count, participation.d[0], chances=tuple(participation.p.tolist()))


@dataclass(frozen=True)
class Strategy:
    """Power of choice: ``candidates`` sampled without replacement, of them the ``count`` largest losses.

    Candidates are sampled sequentially in proportion to the ``chances`` of the remaining clients, by default
    the problem's p. As many candidates as the count (the default) is random selection; with all clients of
    positive probability as candidates, the largest losses of all are selected. ``replacement`` draws
    ``count`` times with replacement, independently of losses: unbiased where the probabilities are p.

    Raises BoundkitError for a count below 1, for fewer candidates than the count, for candidates with
    replacement, and, for given clients, for more candidates than clients of positive probability.
    Source: Cho, Wang, Joshi, arXiv 2010.01243, section 4.
    """

    count: int
    candidates: int | None = None
    replacement: bool = False
    chances: tuple[float, ...] | None = None

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
        if self.chances is not None:
            object.__setattr__(self, "chances", tuple(float(c) for c in self.chances))

    def _repr_html_(self) -> str:
        from boundkit.report.html import notes

        if self.replacement:
            said = f"{self.count} draws with replacement, whatever the losses"
        elif self.sees_losses:
            said = f"of {self.pool} candidates the {self.count} with the largest losses"
        else:
            said = f"{self.count} clients without replacement, whatever the losses"
        drawn = "the weights p of the problem" if self.chances is None else ", ".join(map(str, self.chances))
        return notes([f"Strategy: {said}", f"chances: {drawn}"])

    @property
    def pool(self) -> int:
        """d, the number of candidates."""
        return self.count if self.candidates is None else self.candidates

    @property
    def sees_losses(self) -> bool:
        """Whether the selection depends on losses."""
        return not self.replacement and self.pool > self.count

    def drawn(self, p: Array) -> Array:
        """The sampling probabilities of candidates, (m,), for clients of weights p."""
        chances = p if self.chances is None else checked_weights(self.chances, len(p))
        eligible = int((chances > 0).sum())
        if not self.replacement and self.pool > eligible:
            raise BoundkitError(
                f"{self.pool} candidates were asked for, but only {eligible} clients have a chance above 0."
            )
        return chances

    def shares(self, p: Array, orders: Any) -> Array:
        """q_k = P(k in S)/count for each order of losses, the largest first; (n, m) to (n, m).

        Every row of ``orders`` lists all clients. Rows of the result sum to 1.
        """
        chances, orders = self.drawn(p), np.asarray(orders, dtype=np.intp)
        if self.replacement:
            return np.broadcast_to(chances, orders.shape).copy()
        able = chances > 0
        ranked = orders[able[orders]].reshape(len(orders), int(able.sum()))
        shares = np.zeros(orders.shape)
        np.put_along_axis(shares, ranked, self._by_rank(chances, ranked), axis=1)
        return shares

    def _by_rank(self, chances: Array, ranked: NDArray[np.intp]) -> Array:
        """The shares of ranks 1, 2, ... for clients of positive probability, in the order of their losses."""
        clients = ranked.shape[1]
        if self.pool == clients or np.ptp(chances[chances > 0]) <= 1e-14:
            return np.broadcast_to(rank_shares(clients, self.count, self.pool), ranked.shape)
        if self.sees_losses:
            return race_shares(chances[ranked], self.count, self.pool)
        shares = np.zeros(len(chances))  # independent of losses: one order represents all
        shares[ranked[0]] = race_shares(chances[ranked[:1]], self.count, self.pool)[0]
        return shares[ranked]


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
