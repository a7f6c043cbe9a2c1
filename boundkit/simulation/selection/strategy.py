"""Selection strategies by losses: random candidates, and the largest losses among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import Full, Participation, PowerOfChoice, Uniform, WithReplacement
from boundkit.simulation.selection.rank_probabilities import race_shares, rank_shares
from boundkit.simulation.validation import checked_weights


def strategy_of(participation: Participation) -> Strategy:
    """The same selection as a Strategy, with its own probabilities.

    Raises BoundkitError for other kinds, for estimated or earlier losses (cpow, rpow), for
    the smallest losses, and for a varying number of candidates.
    """
    if isinstance(participation, WithReplacement):
        return Strategy(participation.count, replacement=True, probabilities=tuple(participation.p.tolist()))
    if isinstance(participation, (Uniform, Full)):
        m = participation.m
        return Strategy(
            participation.count if isinstance(participation, Uniform) else m, probabilities=(1 / m,) * m
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

    Candidates are sampled sequentially in proportion to the ``probabilities`` of the remaining clients, by
    default the problem's p. As many candidates as the count (the default) is random selection; with all
    clients of positive probability as candidates, the largest losses of all are selected. ``replacement``
    draws ``count`` times with replacement, independently of losses: unbiased where the probabilities are p.

    Raises BoundkitError for a count below 1, for fewer candidates than the count, for candidates with
    replacement, and, for given clients, for more candidates than clients of positive probability.
    Source: Cho, Wang, Joshi, arXiv 2010.01243, section 4.
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
