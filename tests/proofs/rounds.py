"""Random rounds of FedAvg on quadratics, with exact values of the atoms that lemmas are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from sympy import lambdify, sympify

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    distance,
    eta,
    eta_s,
    gap,
    kappa,
    m,
    missed,
    mu,
    mu_pl,
    pull,
    sampling_error,
    sampling_slack,
    sampling_spread,
    share_noise,
    sigma,
    sigma_g,
    tau,
)
from boundkit.proofs import mean_models
from boundkit.proofs import rounds as of_round
from boundkit.proofs.linear_form import Atom, LinearForm, Vector, data, inner, square
from boundkit.proofs.rounds import o
from boundkit.proofs.weighted_sampling import sampled_variance
from tests.proofs.samplings import Sampling, available_clients, random_sampling, uniform_sampling

Values = dict[Atom, float]


@dataclass(frozen=True)
class RandomRound:
    """A round at x: the values of the quantities, and of all atoms of the library."""

    quantities: Mapping[Quantity, float]
    atoms: Values


def evaluator(form: LinearForm) -> Callable[[RandomRound], tuple[float, float]]:
    """A function of a round: the value of a form, and the sum of the magnitudes of its summands."""
    factors = [sympify(factor) for factor in form.coefficients.values()]
    letters = sorted(set().union(*(factor.free_symbols for factor in factors)), key=str)
    coefficients = lambdify(letters, factors)

    def value(this: RandomRound) -> tuple[float, float]:
        found = coefficients(*(this.quantities[letter] for letter in letters))
        parts = [factor * this.atoms[atom] for factor, atom in zip(found, form.coefficients, strict=True)]
        return float(sum(parts)), float(sum(map(abs, parts)))

    return value


def random_round(seed: int, theorem: Theorem, rounds: int = 20) -> RandomRound:
    """A round of a theorem's algorithm; the means over ``rounds`` rounds where there is no noise."""
    rng = np.random.default_rng(seed)
    clients, dimension = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    chosen = clients if theorem.assumes("full-participation") else int(rng.integers(1, clients + 1))
    steps, smooth = int(rng.integers(1, 7)), float(rng.choice([0.5, 1.0, 3.0]))
    steps = 1 if theorem.assumes("one-local-step") else steps
    curved = theorem.assumes("strongly-convex")
    low = 0.1 * smooth if curved else 0.0 if theorem.assumes("convex") else -smooth
    hessians = random_hessians(rng, clients, dimension, low, smooth)
    centres = rng.normal(size=(clients, dimension)) * rng.choice([0.0, 1.0, 3.0])
    noise = float(rng.choice([0.0, 0.3, 2.0]))
    step = float(rng.choice([0.02, 0.1, 0.12])) / (smooth * steps)
    server = float(rng.choice([0.3, 1.0])) / 24 / (smooth * steps * step)
    server = 1.0 if theorem.assumes("server-step-one") else server
    sampling, available = _sampling(rng, clients, theorem)
    while (
        sampling is not None and np.linalg.eigvalsh(np.average(hessians, 0, sampling.p)).min() < 0.05 * smooth
    ):
        hessians = 0.7 * hessians + 0.3 * smooth * np.eye(dimension)
    problem = Problem(hessians, centres, step, server, steps, noise, chosen, sampling)
    x = problem.optimum + rng.normal(size=dimension) * rng.choice([0.2, 2.0])
    if noise == 0 and len(problem.sampling.probabilities) == 1:
        results = []
        for _ in range(rounds):
            results.append(problem.atoms(x))
            x = problem.after(x)
    else:
        results, rounds = [problem.atoms(x)], 1
    mean = {atom: float(np.mean([r[atom] for r in results])) for atom in results[0]}
    first = results[0]
    mean[data(gap)] = first[of_round.loss_gap]
    mean[data(distance**2)] = first[of_round.square_distance]
    mean[data(sigma**2)] = noise**2
    dissimilar = square(of_round.g - of_round.g.mean)
    mean[data(sigma_g**2)] = max(
        sum(r[atom] * float(c) for atom, c in dissimilar.coefficients.items()) for r in results
    )
    mean[data(sampling_error**2)] = max(r[data(sampling_error**2)] for r in results)
    slope = float(rng.choice([1.0, 1.5]))
    gradients = (square(of_round.g), square(of_round.g.mean))
    excess = []
    for each in results:
        all_, mean_ = (each[atom] for form in gradients for atom in form.coefficients)
        excess.append(all_ - slope**2 * mean_)
    mean[data(kappa**2)] = max(0.0, *excess)
    slack = float(rng.choice([0.0, 0.1, 1.0]))
    values = {
        sampling_slack: slack, sampling_spread: problem.sampling.spread(slack),
        share_noise: problem.sampling.share_noise,
        beta: slope, missed: 0.0,
        C: chosen / clients, m: clients, tau: steps, eta: step, L: smooth, T: rounds,
        **available, eta_s: server / available.get(pull, 1.0),
        mu: low if curved else smooth, mu_pl: float(np.linalg.eigvalsh(problem.hessian).min()),
    }  # fmt: skip
    return RandomRound(values, mean)


def _sampling(
    rng: np.random.Generator, clients: int, theorem: Theorem
) -> tuple[Sampling | None, dict[Quantity, float]]:
    """The sampling of clients that a theorem assumes beside a uniform one, with its quantities."""
    if theorem.assumes("unbiased-sampling"):
        return random_sampling(rng, clients), {}
    for name, weights in (
        ("fixed-weights", "fixed"),
        ("average-over-all", "equal"),
        ("known-availability", "inverse"),
    ):
        if theorem.assumes(name):
            return available_clients(rng, clients, weights)
    return None, {}


def random_hessians(
    rng: np.random.Generator, clients: int, dimension: int, low: float, smooth: float
) -> np.ndarray:
    """Hessians with eigenvalues from ``low`` to ``smooth``; their mean loss is bounded below."""
    hessians = np.stack([_hessian(rng, dimension, low, smooth) for _ in range(clients)])
    if low < 0:
        hessians[0] = smooth * np.eye(dimension)
        while np.linalg.eigvalsh(hessians.mean(axis=0)).min() < 0.05 * smooth:
            hessians = 0.7 * hessians + 0.3 * smooth * np.eye(dimension)
    return hessians


def _hessian(rng: np.random.Generator, dimension: int, low: float, high: float) -> np.ndarray:
    basis = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    return np.asarray((basis * rng.choice([low, high, (low + high) / 2], size=dimension)) @ basis.T)


@dataclass(frozen=True)
class Problem:
    """Quadratic losses with noise, and the local steps on them."""

    hessians: np.ndarray
    centres: np.ndarray
    step: float
    server: float
    steps: int
    noise: float
    chosen: int
    given: Sampling | None = None

    @property
    def sampling(self) -> Sampling:
        """The sampling of the clients: uniform without replacement by default."""
        return uniform_sampling(len(self.centres), self.chosen) if self.given is None else self.given

    @property
    def hessian(self) -> np.ndarray:
        """The Hessian of the objective."""
        return np.asarray(np.einsum("i,iab->ab", self.sampling.p, self.hessians))

    @property
    def optimum(self) -> np.ndarray:
        linear = np.einsum("i,iab,ib->a", self.sampling.p, self.hessians, self.centres)
        return np.asarray(np.linalg.solve(self.hessian + 1e-12 * np.eye(len(linear)), linear))

    def loss(self, x: np.ndarray) -> float:
        away = x - self.centres
        return float(np.einsum("i,ia,iab,ib->", self.sampling.p, away, self.hessians, away)) / 2

    def directions(
        self, x: np.ndarray, corrections: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Mean and covariance of every client's direction, and the mean squared displacement.

        ``corrections`` are added to the gradients by which the clients step.
        """
        identity = np.eye(dimension := self.centres.shape[1])
        fixed = np.zeros_like(self.centres) if corrections is None else corrections
        means, covariances, displacement = [], [], 0.0
        clients = zip(self.hessians, self.centres, self.sampling.p, fixed, strict=True)
        for hessian, centre, p, correction in clients:
            y, spread, total = x.copy(), np.zeros((dimension, dimension)), np.zeros(dimension)
            shrink = identity - self.step * hessian
            for _ in range(self.steps):
                displacement += p * (np.sum((y - x) ** 2) + np.trace(spread)) / self.steps
                gradient = hessian @ (y - centre)
                total, y = total + gradient, y - self.step * (gradient + correction)
                spread = shrink @ spread @ shrink.T + self.step**2 * self.noise**2 / dimension * identity
            means.append(total / self.steps)
            covariances.append(spread / (self.step * self.steps) ** 2)
        return np.stack(means), np.stack(covariances), float(displacement)

    def models(self, x: np.ndarray) -> Values:
        """What is squared of the local models' means, and their variance."""
        identity, dimension = np.eye(len(x)), len(x)
        squares, variance, drift = 0.0, 0.0, np.zeros(dimension)
        for hessian, centre, p in zip(self.hessians, self.centres, self.sampling.p, strict=True):
            y, spread = x.copy(), np.zeros((dimension, dimension))
            shrink = identity - self.step * hessian
            for _ in range(self.steps):
                squares += p * np.sum((y - x) ** 2) / self.steps
                variance += p * np.trace(spread) / self.steps
                drift += p * (y - x) / self.steps
                y = y - self.step * hessian @ (y - centre)
                spread = shrink @ spread @ shrink.T + self.step**2 * self.noise**2 / dimension * identity
        return {
            mean_models.mean_displacement: float(squares),
            mean_models.model_variance: float(variance),
            mean_models.mean_drift: float(np.sum(drift**2)),
        }

    def after(self, x: np.ndarray) -> np.ndarray:
        means, _, _ = self.directions(x)
        return np.asarray(x - self.server * self.step * self.steps * self.sampling.p @ means)

    def atoms(self, x: np.ndarray) -> Values:
        """The values of all atoms at x; expectations over participants by enumeration."""
        means, covariances, displacement = self.directions(x)
        p, probabilities, weights = self.sampling.p, self.sampling.probabilities, self.sampling.weights
        own = zip(self.hessians, self.centres, strict=True)
        gradients = np.stack([hessian @ (x - centre) for hessian, centre in own])
        sampled = weights @ means
        noises = np.einsum("s,si,iab->ab", probabilities, weights**2, covariances)
        second = np.einsum("s,sa,sb->ab", probabilities, sampled, sampled) + noises
        mean = probabilities @ sampled
        length = self.server * self.step * self.steps
        later = x - length * mean
        covariance = second - np.outer(mean, mean)
        least = self.loss(self.optimum)
        next_loss = self.loss(later) + length**2 * float(np.trace(self.hessian @ covariance)) / 2
        away = x - self.optimum
        next_distance = np.sum((later - self.optimum) ** 2) + length**2 * np.trace(covariance)
        result = {
            of_round.direction: float(np.trace(second)),
            of_round.client_variance: float(p @ np.trace(covariances, axis1=1, axis2=2)),
            sampled_variance: float(np.trace(noises)),
            of_round.decrease: self.loss(x) - next_loss,
            of_round.loss_gap: self.loss(x) - least,
            of_round.next_loss_gap: next_loss - least,
            of_round.square_distance: float(np.sum(away**2)),
            of_round.next_square_distance: float(next_distance),
            of_round.displacement: displacement,
            data(sampling_error**2): self.sampling.variance(gradients),
        } | self.models(x)
        vectors = {
            of_round.g: gradients,
            of_round.e: gradients - means,
            of_round.X: np.broadcast_to(away, gradients.shape),
            o: np.einsum("iab,ib->ia", self.hessians, self.optimum - self.centres),
        }
        for u, one in vectors.items():
            for v, other in vectors.items():
                for first, second_ in ((u, v), (u.mean, v.mean)):
                    pair = (mean_values(first, one, p), mean_values(second_, other, p))
                    result |= gram_values(first, second_, float(p @ np.sum(pair[0] * pair[1], axis=1)))
        return result


def mean_values(vector: Vector, values: np.ndarray, p: np.ndarray | None = None) -> np.ndarray:
    return np.broadcast_to(np.average(values, 0, p), values.shape) if vector.is_mean else values


def gram_values(u: Vector, v: Vector, value: float) -> Values:
    (atom,) = inner(u, v).coefficients
    return {atom: value}
