"""Aggregation weights of the server, and their first two moments over client participation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.algorithms import WeightInputs
from boundkit.simulation.arrays import Array, Clients
from boundkit.simulation.participation import Distribution, NoClosedForm
from boundkit.simulation.participation.normalised_weights import mean_share_products, mean_shares
from boundkit.simulation.run import Run

ENUMERATION_LIMIT = 10**6
"""Most outcomes that are enumerated for an exact expectation."""
LISTED = 4096
"""Most outcomes that are enumerated where a closed form exists."""
_CACHED = 2**24
"""Most clients of the moments that are cached for later rounds."""


class TooManySubsets(BoundkitError):
    """An expectation over participation that cannot be enumerated."""


@dataclass(frozen=True)
class WeightMoments:
    """E w_i and E w_i w_j, where w_i is 0 if client i does not participate.

    ``mean``: (m,). The second moment is diag(``diagonal``) + sum_k s_k v_k v_k' over ``factors``.
    """

    mean: Array
    diagonal: Array
    factors: tuple[tuple[float, Array], ...] = field(default=())

    @property
    def square(self) -> Array:
        """E w_i^2, (m,)."""
        return self.diagonal + sum((s * v * v for s, v in self.factors), np.zeros_like(self.mean))


class AggregationWeights:
    """Aggregation weights of one run."""

    def __init__(self, run: Run) -> None:
        self.run, self.algorithm, self.p, self.m = run, run.algorithm, run.problem.p, run.problem.m
        self._cache: dict[tuple[Distribution, bytes], WeightMoments] = {}
        given = run.algorithm.settings.get("probabilities")
        self.probabilities = _probabilities(run) if given is None else np.array(given, dtype=np.float64)

    def weights(self, clients: Clients, counts: Clients | None, steps: Clients, rates: Array) -> Array:
        """The weights of the participating clients, in the shape of ``clients``; ``steps`` are theirs."""
        times = np.ones(clients.shape) if counts is None else counts.astype(np.float64)
        q = None if self.probabilities is None else self.probabilities[clients]
        return self.algorithm.weights(WeightInputs(self.p[clients], times, steps, self.m, rates, q))

    def moments(self, t: int) -> WeightMoments:
        """The exact moments in round t, computed once for each distribution and set of local steps.

        Raises TooManySubsets beyond a million outcomes, NoClosedForm where a round has no known distribution.
        """
        distribution, steps = self.run.participation.distribution(t), self.run.steps(t)
        key = distribution, self.run.steps_key(t)
        if key not in self._cache:
            if len(self._cache) > _CACHED // self.m:
                self._cache.clear()
            self._cache[key] = self._moments(distribution, steps, self.run.rates(t))
        return self._cache[key]

    def mean(self, t: int) -> Array:
        """E w_i in round t, (m,), without the more expensive second moments."""
        run = self.run
        distribution, steps, rates = run.participation.distribution(t), run.steps(t), run.rates(t)
        dependence = self.dependence(steps)
        fixed_size = dependence == "count" and distribution.fixed_size
        if self._is_ratio(dependence, distribution) and not fixed_size:
            v, total = self._shared(steps, rates)
            return np.asarray(total * mean_shares(distribution, v))
        return self.moments(t).mean

    def _weights_of_all(self, counts: Array, steps: Clients, rates: Array) -> Array:
        """The weights of all clients, (K, m), for outcomes (K, m)."""
        p, q = np.broadcast_to(self.p, counts.shape), self.probabilities
        probabilities = None if q is None else np.broadcast_to(q, counts.shape)
        taken = np.broadcast_to(steps, counts.shape)
        weights: Array = self.algorithm.weights(WeightInputs(p, counts, taken, self.m, rates, probabilities))
        return weights

    def _moments(self, distribution: Distribution, steps: Clients, rates: Array) -> WeightMoments:
        dependence = self.dependence(steps)
        if dependence == "client" or (dependence == "count" and distribution.fixed_size):
            return self._separable(distribution, steps, rates)
        if self._is_ratio(dependence, distribution):
            v, total = self._shared(steps, rates)
            self._refuse_covariance()
            return _factored(
                total * mean_shares(distribution, v), total**2 * mean_share_products(distribution, v)
            )
        if distribution.outcomes > ENUMERATION_LIMIT:
            some = "some" if distribution.fixed_size is None else str(distribution.fixed_size)
            raise TooManySubsets(
                f"the expectation over {some} of {self.m} clients with unequal weights, "
                f"renormalised over the participants, "
                f"needs {distribution.outcomes:.3g} subsets, more than {ENUMERATION_LIMIT:,}."
            )
        return self._enumerated(distribution, steps, rates)

    def sampled_mean(self, t: int, draws: int, rng: np.random.Generator) -> Array:
        """Estimate E w_i from ``draws`` random outcomes, where there are too many to enumerate."""
        distribution = self.run.participation.distribution(t)
        weights = self._weights_of_all(distribution.sample(draws, rng), self.run.steps(t), self.run.rates(t))
        return np.asarray(weights.mean(axis=0))

    def _separable(self, distribution: Distribution, steps: Clients, rates: Array) -> WeightMoments:
        """Moments of w_i = c_i v_i."""
        v, pairs = self._client_factors(distribution.fixed_size or self.m, steps, rates), distribution.pairs
        return WeightMoments(
            distribution.first * v, pairs.diagonal * v * v, tuple((s, f * v) for s, f in pairs.factors)
        )

    def factors(self, size: int, steps: Clients, rates: Array) -> tuple[Array, float | None]:
        """v, (m,), and s: ``size`` clients, each once, have weights s v_i/sum v, or v_i where s is None."""
        if self.dependence(steps) == "client":
            return self._client_factors(size, steps, rates), None
        return self._shared(steps, rates)

    def dependence(self, steps: Clients) -> str:
        """``weight_dependence`` of the algorithm with these local steps of all clients."""
        return self.algorithm.weight_dependence(bool(np.ptp(self.p) <= 1e-12 and np.ptp(steps) == 0))

    def _client_factors(self, size: int, steps: Clients, rates: Array) -> Array:
        """v_i of weights c_i v_i, read off outcomes of ``size`` clients that together contain all."""
        row = min(size, self.m)
        clients = (np.arange(-(-self.m // row) * row) % self.m).reshape(-1, row)
        counts = np.ones(clients.shape)
        counts[:, 0] += size - row  # draws with replacement may be more than there are clients
        probabilities = None if self.probabilities is None else self.probabilities[clients]
        inputs = WeightInputs(self.p[clients], counts, steps[clients], self.m, rates, probabilities)
        v = np.empty(self.m)
        v[clients] = self.algorithm.weights(inputs) / counts
        return v

    def _is_ratio(self, dependence: str, distribution: Distribution) -> bool:
        """Whether w_i is a ratio c_i v_i / sum c v, and enumeration is too expensive."""
        return dependence in ("count", "ratio") and distribution.outcomes > LISTED

    def _shared(self, steps: Clients, rates: Array) -> tuple[Array, float]:
        """v_i and the sum of the weights, read off the outcome of full participation."""
        w = self._weights_of_all(np.ones((1, self.m)), steps, rates)[0]
        return w, float(w.sum())

    def _enumerated(self, distribution: Distribution, steps: Clients, rates: Array) -> WeightMoments:
        if distribution.deterministic:
            ((_, counts),) = distribution.enumerate()
            w = self._weights_of_all(counts, steps, rates)[0]
            return WeightMoments(w, np.zeros(self.m), ((1.0, w),))
        self._refuse_covariance()
        first, second = np.zeros(self.m), np.zeros((self.m, self.m))
        for probability, counts in distribution.enumerate():
            w = self._weights_of_all(counts, steps, rates)
            first += probability @ w
            second += (w * probability[:, None]).T @ w
        return _factored(first, second)

    def _refuse_covariance(self) -> None:
        """Refuse a covariance of all weights, and its eigenvectors, where it would not fit."""
        what = f"the covariance of the weights of {self.m:,} clients"
        refuse_larger(48 * self.m**2, what, "use fewer clients, or another engine")


def _probabilities(run: Run) -> Array | None:
    try:
        return run.participation.mean_counts()
    except NoClosedForm:
        return None


def _factored(first: Array, second: Array) -> WeightMoments:
    values, vectors = np.linalg.eigh(second)
    factors = [(float(s), v) for s, v in zip(values, vectors.T, strict=True) if s > 1e-15 * values[-1]]
    return WeightMoments(first, np.zeros(len(first)), tuple(factors))
