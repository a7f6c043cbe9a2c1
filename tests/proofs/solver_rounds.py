"""Random rounds of FedNova on quadratics, with local solvers that are linear in their gradients.

A client's model before step k is x - eta sum_{s<k} A_{k,s} (H (y_s - c) + noise_s): linear in the noise, so
that means and variances are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import (
    A_noise,
    B_drift,
    B_walk,
    C_drift,
    C_walk,
    L,
    T,
    beta,
    chi2,
    eta,
    gap,
    kappa,
    m,
    sigma,
    tau_eff,
)
from boundkit.proofs import local_solvers
from boundkit.proofs import rounds as of_round
from boundkit.proofs.linear_form import data
from tests.proofs.rounds import RandomRound, gram_values, random_hessians

SOLVERS = ("sgd", "proximal", "momentum", "proximal_momentum", "decay")


def solver_weights(solver: str, steps: int, rate: float) -> np.ndarray:
    """A_{k,s} for k = 0, ..., steps: the weight of gradient s in the model before step k."""
    result = np.zeros((steps + 1, steps))
    shrink = {"proximal": 1 - rate, "proximal_momentum": 1 - rate / 3}.get(solver, 1.0)
    momentum = rate / 2 if "momentum" in solver else 0.0
    for k in range(steps + 1):
        for s in range(k):
            if solver == "decay":
                result[k, s] = rate**s
            else:
                result[k, s] = sum(shrink ** (k - s - 1 - j) * momentum**j for j in range(k - s))
    return result


@dataclass(frozen=True)
class Local:
    """A client's direction: mean given x, covariance, and the variance of the mean of exact gradients."""

    mean: np.ndarray
    covariance: np.ndarray
    path_variance: float


def direction(
    hessian: np.ndarray, gradient: np.ndarray, weights: np.ndarray, step: float, noise: float
) -> Local:
    steps, dimension = weights.shape[1], len(gradient)
    shares = weights[-1] / weights[-1].sum()
    means: list[np.ndarray] = []
    by_noise: list[np.ndarray] = []  # of the gradient at step k: a matrix for the noise of each step
    for k in range(steps):
        means.append(
            gradient - step * hessian @ sum((weights[k, s] * means[s] for s in range(k)), gradient * 0)
        )
        moved = np.zeros((steps, dimension, dimension))
        for s in range(k):
            moved += weights[k, s] * by_noise[s]
            moved[s] += weights[k, s] * np.eye(dimension)
        by_noise.append(np.stack([-step * hessian @ each for each in moved]))
    path = sum(share * each for share, each in zip(shares, by_noise, strict=True))
    own = path + shares[:, None, None] * np.eye(dimension)
    unit = noise**2 / dimension
    return Local(
        np.asarray(shares @ np.stack(means)),
        unit * np.einsum("sab,scb->ac", own, own),
        unit * float(np.sum(np.asarray(path) ** 2)),
    )


def solver_round(seed: int, theorem: Theorem) -> RandomRound:
    """A round of a theorem's algorithm within its conditions, at a random point."""
    rng = np.random.default_rng(seed)
    clients, dimension = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    plain = theorem.assumes("plain-local-steps")
    solver = "sgd" if plain else str(rng.choice(SOLVERS))
    smooth, rate = float(rng.choice([0.5, 2.0])), float(rng.uniform(0.2, 0.95))
    tables = [solver_weights(solver, int(n), rate) for n in rng.integers(1, 7, size=clients)]
    final = [table[-1] for table in tables]
    sums, squares = np.array([a.sum() for a in final]), np.array([np.sum(a**2) for a in final])
    last = np.array([a[-1] for a in final])
    walks = np.array([table[:-1].sum(axis=1).max() for table in tables])
    square_walks = np.array([np.sum(table[:-1] ** 2, axis=1).max() for table in tables])
    p = rng.dirichlet(np.ones(clients)) * 0.9 + 0.1 / clients
    length = float(p @ sums)
    w = p * sums / length if theorem.algorithm == "fedavg" else rng.dirichlet(np.ones(clients))
    w = 0.9 * w + 0.1 / clients if theorem.algorithm != "fedavg" else w
    w = p if theorem.claim.name == "mean squared gradient" and chi2 not in theorem.quantities else w
    drifts = [float(w @ square_walks), float(np.max(walks**2))]
    if "proximal" not in solver:
        drifts += [float(w @ (squares - last**2)), float(np.max(sums * (sums - last)))]
    else:
        drifts += drifts
    slope = float(rng.choice([1.0, 1.5]))
    largest = drifts[3] if C_walk not in theorem.definitions else drifts[1]
    limit = min(1 / (2 * length), 1 / np.sqrt(4 * (2 * slope**2 + 1) * max(largest, 1e-9)))
    step = float(rng.choice([0.1, 0.99])) * limit / smooth
    noise = float(rng.choice([0.0, 0.3, 2.0]))
    hessians = random_hessians(rng, clients, dimension, -smooth, smooth)
    centres = rng.normal(size=(clients, dimension)) * rng.choice([0.0, 1.0, 3.0])
    x = rng.normal(size=dimension)
    gradients = np.einsum("iab,ib->ia", hessians, x - centres)
    local = [
        direction(h, gradient, table, step, noise)
        for h, gradient, table in zip(hessians, gradients, tables, strict=True)
    ]
    means = np.stack([each.mean for each in local])
    covariance = sum(share**2 * each.covariance for share, each in zip(w, local, strict=True))
    mean, s = w @ means, step * length
    surrogate = np.einsum("i,iab->ab", w, hessians)
    fall = s * (w @ gradients) @ mean - s**2 / 2 * (
        mean @ surrogate @ mean + np.trace(surrogate @ covariance)
    )
    values = {
        of_round.decrease: float(fall),
        of_round.direction: float(mean @ mean + np.trace(covariance)),
        local_solvers.weighted_noise: float(np.trace(covariance)),
        local_solvers.path_variance: float(
            sum(a * each.path_variance for a, each in zip(w, local, strict=True))
        ),
        data(sigma**2): noise**2,
        data(gap): float(abs(fall)),
    }
    vectors = {
        of_round.g: gradients,
        of_round.e: gradients - means,
        of_round.P: (p @ gradients)[None] + 0 * means,
    }
    for u, one in vectors.items():
        for v, other in vectors.items():
            values |= gram_values(u, v, float(w @ np.sum(one * other, axis=1)))
            values |= gram_values(u.mean, v.mean, float((w @ one) @ (w @ other)))
    spread = float(w @ np.sum(gradients**2, axis=1) - slope**2 * np.sum((w @ gradients) ** 2))
    values[data(kappa**2)] = max(0.0, spread)
    quantities = {
        A_noise: clients * length * float(np.sum(w**2 * squares / sums**2)),
        B_walk: drifts[0], C_walk: drifts[1],
        B_drift: drifts[2], C_drift: drifts[3], L: smooth, T: 1, beta: slope, eta: step, m: clients,
        chi2: float(np.sum((p - w) ** 2 / w)), tau_eff: length,
    }  # fmt: skip
    return RandomRound(quantities, values)
