"""Random unbiased samplings of clients, by enumeration of their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from boundkit.algebra import Quantity
from boundkit.algebra.notation import absence, availability, pull, share_noise
from boundkit.simulation.participation import Distribution, Draws, FixedSubset, Independent, UniformSubsets

SCHEMES = ("everybody", "multinomial", "importance", "bernoulli", "without replacement", "any")


@dataclass(frozen=True)
class Sampling:
    """Weights p of the objective, and the weights W of a round: an outcome a row, with probabilities."""

    p: np.ndarray
    probabilities: np.ndarray
    weights: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """Cov W."""
        away = self.weights - self.p
        return np.asarray(np.einsum("s,si,sj->ij", self.probabilities, away, away))

    @property
    def share_noise(self) -> float:
        """The sum over clients of E W_i^2."""
        return float(self.probabilities @ np.sum(self.weights**2, axis=1))

    def spread(self, slack: float) -> float:
        """The least Lambda for that nu."""
        root = np.sqrt(self.p)
        matrix = (self.covariance + slack * np.outer(self.p, self.p)) / np.outer(root, root)
        return float(np.linalg.eigvalsh(matrix).max())

    def variance(self, vectors: np.ndarray) -> float:
        """E||sum_i (W_i - p_i) u_i||^2."""
        return float(np.sum(self.covariance * (vectors @ vectors.T)))


def uniform_sampling(clients: int, chosen: int) -> Sampling:
    """Equal weights, uniform sampling without replacement."""
    subsets = list(combinations(range(clients), chosen))
    weights = np.zeros((len(subsets), clients))
    np.put_along_axis(weights, np.array(subsets), 1 / chosen, axis=1)
    return Sampling(np.full(clients, 1 / clients), np.full(len(subsets), 1 / len(subsets)), weights)


def random_sampling(rng: np.random.Generator, clients: int, scheme: str | None = None) -> Sampling:
    """A sampling of one of the schemes with random weights and probabilities."""
    scheme = str(rng.choice(SCHEMES)) if scheme is None else scheme
    p = random_weights(rng, clients)
    if scheme == "any":
        outcomes = int(rng.integers(2, 6))
        chances = random_weights(rng, outcomes)
        weights = rng.random((outcomes, clients)) * rng.integers(0, 2, size=(outcomes, clients))
        weights[0] += 0.1
        return Sampling(p, chances, weights * p / (chances @ weights))
    distribution = _distribution(rng, scheme, p)
    pairs = list(distribution.enumerate())
    counts = np.concatenate([each for _, each in pairs])
    chances = np.concatenate([each for each, _ in pairs])
    return Sampling(p, chances, counts * p / distribution.first)


def available_clients(
    rng: np.random.Generator, clients: int, weights: str
) -> tuple[Sampling, dict[Quantity, float]]:
    """Clients available at random, with the ``weights`` of the server: fixed, equal, inverse probabilities.

    With the quantities of the theorems; the weights p are those of the surrogate.
    """
    q = rng.uniform(0.2, 1.0, size=clients)
    omega = {"fixed": rng.uniform(0.2, 2.0, size=clients), "inverse": 1 / q}.get(weights, np.ones(clients))
    outcomes = list(Independent(tuple(q)).enumerate())
    counts, chances = (np.concatenate([each[part] for each in outcomes]) for part in (1, 0))
    mean = float(np.mean(omega * q))
    w = omega * q / (clients * mean)
    sampling = Sampling(w, chances, counts * omega / (clients * mean))
    values = {
        pull: mean, availability: float(q.min()), share_noise: float(np.sum(w**2 / q)),
        absence: float(np.max(w * (1 - q) / q)),
    }  # fmt: skip
    return sampling, values


def random_weights(rng: np.random.Generator, count: int) -> np.ndarray:
    """Positive numbers with the sum 1, equal in a third of the cases."""
    values = np.ones(count) if rng.random() < 1 / 3 else rng.uniform(0.1, 1.0, size=count)
    return np.asarray(values / values.sum())


def _distribution(rng: np.random.Generator, scheme: str, p: np.ndarray) -> Distribution:
    clients, chosen = len(p), int(rng.integers(1, len(p) + 1))
    if scheme == "everybody":
        return FixedSubset(tuple(range(clients)), clients)
    if scheme == "bernoulli":
        return Independent(tuple(rng.uniform(0.2, 1.0, size=clients)))
    if scheme == "without replacement":
        return UniformSubsets(clients, chosen)
    q = p if scheme == "multinomial" else random_weights(rng, clients)
    return Draws(tuple(q), min(chosen, 3))
