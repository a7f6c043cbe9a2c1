"""The server's weights: of the clients that came, and their first two moments over who comes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.algorithms import Came
from boundkit.simulation.participation import Clients, Law, NoLaw
from boundkit.simulation.participation.normalised_weights import mean_shares, shares_together
from boundkit.simulation.run import Run

Array = NDArray[np.float64]
ENUMERATION_LIMIT = 10**6
"""How many outcomes are enumerated before an expectation is no longer taken exactly."""
LISTED = 4096
"""How many are enumerated where there is a closed form."""
_KEPT = 2**24
"""Clients in the moments that are kept for later rounds."""


class TooManySubsets(BoundkitError):
    """An expectation over participation that cannot be enumerated."""


@dataclass(frozen=True)
class WeightMoments:
    """E w_i and E w_i w_j, where w_i is 0 if client i stays away.

    ``first``: (m,). The second moment is diag(``diagonal``) + sum_k s_k v_k v_k' over ``factors``.
    """

    first: Array
    diagonal: Array
    factors: tuple[tuple[float, Array], ...] = field(default=())

    @property
    def square(self) -> Array:
        """E w_i^2, (m,)."""
        return self.diagonal + sum((s * v * v for s, v in self.factors), np.zeros_like(self.first))


class Weighing:
    """How one run weighs its clients."""

    def __init__(self, run: Run) -> None:
        self.run, self.algorithm, self.p, self.m = run, run.algorithm, run.problem.p, run.problem.m
        self._made: dict[tuple[Law, bytes], WeightMoments] = {}
        known = run.algorithm.settings.get("probabilities")
        self.chances = _chances(run) if known is None else np.array(known, dtype=np.float64)

    def of(self, clients: Clients, counts: Clients | None, steps: Clients, rates: Array) -> Array:
        """The weights of those who came, in the shape of ``clients``; ``steps`` are theirs."""
        times = np.ones(clients.shape) if counts is None else counts.astype(np.float64)
        q = None if self.chances is None else self.chances[clients]
        return self.algorithm.weights(Came(self.p[clients], times, steps, self.m, rates, q))

    def moments(self, t: int) -> WeightMoments:
        """The exact moments in round t, made once for each law and set of local steps.

        Raises TooManySubsets where they need more than a million outcomes, NoLaw where a round has no law.
        """
        law, steps = self.run.participation.law(t), self.run.steps(t)
        key = law, self.run.steps_key(t)
        if key not in self._made:
            if len(self._made) > _KEPT // self.m:
                self._made.clear()
            self._made[key] = self._moments(law, steps, self.run.rates(t))
        return self._made[key]

    def first(self, t: int) -> Array:
        """E w_i in round t, (m,), without the second moments, which take longer."""
        law, steps, rates = self.run.participation.law(t), self.run.steps(t), self.run.rates(t)
        equal = bool(np.ptp(self.p) <= 1e-12 and np.ptp(steps) == 0)
        on = self.algorithm.separable(equal)
        if self._is_share(on, law) and not (on == "many" and law.fixed_size):
            v, total = self._shared(steps, rates)
            return np.asarray(total * mean_shares(law, v))
        return self.moments(t).first

    def _of_all(self, counts: Array, steps: Clients, rates: Array) -> Array:
        """The weights of all clients, (K, m), for outcomes (K, m)."""
        p, q = np.broadcast_to(self.p, counts.shape), self.chances
        chances = None if q is None else np.broadcast_to(q, counts.shape)
        taken = np.broadcast_to(steps, counts.shape)
        weights: Array = self.algorithm.weights(Came(p, counts, taken, self.m, rates, chances))
        return weights

    def _moments(self, law: Law, steps: Clients, rates: Array) -> WeightMoments:
        equal = bool(np.ptp(self.p) <= 1e-12 and np.ptp(steps) == 0)
        on = self.algorithm.separable(equal)
        if on == "who" or (on == "many" and law.fixed_size):
            return self._separable(law, steps, rates)
        if self._is_share(on, law):
            v, total = self._shared(steps, rates)
            self._refuse_covariance()
            return _factored(total * mean_shares(law, v), total**2 * shares_together(law, v))
        if law.outcomes > ENUMERATION_LIMIT:
            some = "some" if law.fixed_size is None else str(law.fixed_size)
            raise TooManySubsets(
                f"the expectation over {some} of {self.m} clients with unequal weights, "
                f"renormalised over those who came, "
                f"needs {law.outcomes:.3g} subsets, more than {ENUMERATION_LIMIT:,}."
            )
        return self._enumerated(law, steps, rates)

    def sampled_first(self, t: int, draws: int, rng: np.random.Generator) -> Array:
        """E w_i estimated from that many random outcomes, for where they are too many to enumerate."""
        law = self.run.participation.law(t)
        weights = self._of_all(law.sample(draws, rng), self.run.steps(t), self.run.rates(t))
        return np.asarray(weights.mean(axis=0))

    def _separable(self, law: Law, steps: Clients, rates: Array) -> WeightMoments:
        """w_i = c_i v_i: v_i is read off outcomes of as many clients as the law says, all of them in turn."""
        size = law.fixed_size or self.m
        row = min(size, self.m)
        clients = (np.arange(-(-self.m // row) * row) % self.m).reshape(-1, row)
        counts = np.ones(clients.shape)
        counts[:, 0] += size - row  # draws with replacement may be more than there are clients
        chances = None if self.chances is None else self.chances[clients]
        came = Came(self.p[clients], counts, steps[clients], self.m, rates, chances)
        v = np.empty(self.m)
        v[clients] = self.algorithm.weights(came) / counts
        pairs = law.pairs
        return WeightMoments(law.first * v, pairs.alone * v * v, tuple((s, f * v) for s, f in pairs.factors))

    def _is_share(self, on: str, law: Law) -> bool:
        """Whether w_i is a share c_i v_i / sum c v, and outcomes are too many to be worth a list."""
        return on in ("many", "share") and law.outcomes > LISTED

    def _shared(self, steps: Clients, rates: Array) -> tuple[Array, float]:
        """v_i and what the weights sum to, read off the outcome in which everybody comes."""
        w = self._of_all(np.ones((1, self.m)), steps, rates)[0]
        return w, float(w.sum())

    def _enumerated(self, law: Law, steps: Clients, rates: Array) -> WeightMoments:
        if law.certain:
            ((_, counts),) = law.enumerate()
            w = self._of_all(counts, steps, rates)[0]
            return WeightMoments(w, np.zeros(self.m), ((1.0, w),))
        self._refuse_covariance()
        first, second = np.zeros(self.m), np.zeros((self.m, self.m))
        for chance, counts in law.enumerate():
            w = self._of_all(counts, steps, rates)
            first += chance @ w
            second += (w * chance[:, None]).T @ w
        return _factored(first, second)

    def _refuse_covariance(self) -> None:
        """Refuse a covariance of all weights, and its eigenvectors, where it would not fit."""
        what = f"the covariance of the weights of {self.m:,} clients"
        refuse_larger(48 * self.m**2, what, "use fewer clients, or another engine")


def _chances(run: Run) -> Array | None:
    try:
        return run.participation.chances()
    except NoLaw:
        return None


def _factored(first: Array, second: Array) -> WeightMoments:
    values, vectors = np.linalg.eigh(second)
    kept = [(float(s), v) for s, v in zip(values, vectors.T, strict=True) if s > 1e-15 * values[-1]]
    return WeightMoments(first, np.zeros(len(first)), tuple(kept))
