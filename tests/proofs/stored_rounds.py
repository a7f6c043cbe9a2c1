"""Rounds of FedVARP and ClusterFedVARP by boundkit's own server step, for all samples and signs of noise."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    eta,
    eta_s,
    gap,
    gradients_start,
    m,
    missed,
    mu,
    mu_pl,
    sigma,
    sigma_c,
    sigma_g,
    tau,
)
from boundkit.proofs import lemmas
from boundkit.proofs.linear_form import Atom, Vector, data
from boundkit.proofs.stored_updates import G, next_stored_error
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.simulation.algorithms.round import Received, Round
from tests.proofs.rounds import Problem, RandomRound, Values, gram_values, mean_values, random_hessians


def stored_round(seed: int, theorem: Theorem) -> RandomRound:
    """The first two rounds of a run in the mean, over every path that the run can take, equally likely.

    The noise of a client's direction is a sign times its standard deviation, in one dimension.
    """
    rng = np.random.default_rng(seed)
    noise = float(rng.choice([0.0, 0.5, 2.0]))
    dimension = 1 if noise else int(rng.integers(1, 4))
    clients = int(rng.integers(2, 4 if noise else 5))
    clustered = theorem.algorithm == "clusterfedvarp"
    clients, size = (
        ((2, int(rng.choice([1, 2]))) if noise else (4, int(rng.choice([1, 2, 4]))))
        if clustered
        else (clients, 1)
    )
    clusters = np.arange(clients).reshape(-1, size)
    chosen, steps, rounds = int(rng.integers(1, clients + 1)), int(rng.integers(1, 6)), 2
    smooth = float(rng.choice([0.5, 1.0, 3.0]))
    step = float(rng.choice([0.02, 0.1, 0.12])) / (smooth * steps)
    server = float(rng.choice([0.01, 0.2])) / (smooth * steps * step)
    problem = Problem(
        random_hessians(rng, clients, dimension, -smooth, smooth),
        rng.normal(size=(clients, dimension)) * rng.choice([0.0, 1.0, 3.0]),
        step, server, steps, noise, chosen,
    )  # fmt: skip
    start = problem.optimum + rng.normal(size=dimension) * rng.choice([0.2, 2.0])
    state = {"x": start[None, :], "y": np.zeros((1, len(clusters), dimension))}
    found = []
    for _ in range(rounds):
        state, values = _round(theorem, problem, clusters, state)
        found.append(values)
    atoms = {atom: float(np.mean([values[atom] for values in found])) for atom in found[0]}
    gradients = _gradients(problem, start[None, :])
    atoms |= {
        data(gap): problem.loss(start) - problem.loss(problem.optimum),
        data(sigma**2): noise**2,
        data(gradients_start**2): _square(gradients) / clients,
        data(sigma_g**2): max(values[_DISPERSION] for values in found),
        data(sigma_c**2): max(values[_INSIDE] for values in found),
    }
    quantities = {
        C: chosen / clients, m: clients, tau: steps, eta: step, eta_s: server, L: smooth, T: rounds,
        mu: smooth, mu_pl: smooth, beta: 1.0, missed: comb(clients - size, chosen) / comb(clients, chosen),
    }  # fmt: skip
    return RandomRound(quantities, atoms)


_DISPERSION, _INSIDE = Atom("largest dispersion", ""), Atom("largest dispersion in a cluster", "")


def _round(
    theorem: Theorem, problem: Problem, clusters: np.ndarray, state: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], Values]:
    """One round from every state: the states after it, and the means of the atoms."""
    clients = len(problem.centres)
    length = problem.step * problem.steps
    samples = np.array(list(combinations(range(clients), problem.chosen)))
    signs = np.array(list(product((1.0, -1.0), repeat=clients))) if problem.noise else np.zeros((1, clients))
    before = {name: value.repeat(len(samples) * len(signs), axis=0) for name, value in state.items()}
    paths = len(state["x"])
    chosen = np.tile(samples.repeat(len(signs), axis=0), (paths, 1))
    sign = np.tile(signs, (paths * len(samples), 1))
    local = [problem.directions(x) for x in state["x"]]
    each = len(samples) * len(signs)
    means = np.stack([mean for mean, _, _ in local]).repeat(each, axis=0)
    spreads = np.stack([covariance for _, covariance, _ in local]).repeat(each, axis=0)
    directions = means + sign[:, :, None] * np.sqrt(spreads[:, :, :1, 0])
    updates = length * np.take_along_axis(directions, chosen[:, :, None], axis=1)
    this = Round(
        0, clients, chosen, None, np.full(chosen.shape, problem.steps),
        np.full(chosen.shape, 1 / problem.chosen), np.full(problem.steps, problem.step), problem.server,
    )  # fmt: skip
    options = {"clusters": clusters.tolist()} if theorem.algorithm == "clusterfedvarp" else {}
    after = ALGORITHMS[theorem.algorithm](options).server_step(before, Received({"update": updates}, this))
    gradients, later = _gradients(problem, before["x"]), _gradients(problem, after["x"])
    size = clusters.shape[1]
    inside, later = _means(gradients, clusters), _means(later, clusters)
    stored, new = (s["y"].repeat(size, axis=1) / length for s in (before, after))
    loss, next_loss = (_mean_loss(problem, s["x"]) for s in (before, after))
    least = problem.loss(problem.optimum)
    move = (before["x"] - after["x"]) / (problem.server * length)
    spread = gradients - gradients.mean(axis=1, keepdims=True)
    result = {
        lemmas.direction: float(np.mean(np.sum(move**2, axis=-1))),
        lemmas.client_variance: float(np.mean(np.trace(spreads, axis1=2, axis2=3))),
        lemmas.decrease: float(loss - next_loss),
        lemmas.loss_gap: float(loss - least),
        lemmas.next_loss_gap: float(next_loss - least),
        lemmas.displacement: float(np.mean([displacement for _, _, displacement in local])),
        next_stored_error: _square(later - new) / clients,
        _DISPERSION: float(np.max(np.sum(spread**2, axis=(1, 2)))) / clients,
        _INSIDE: float(np.max(np.sum((gradients - inside) ** 2, axis=(1, 2)))) / clients,
    }
    away = np.broadcast_to((before["x"] - problem.optimum)[:, None, :], gradients.shape)
    vectors = {lemmas.g: gradients, lemmas.e: gradients - means, lemmas.y: stored, lemmas.X: away, G: inside}
    for u, one in vectors.items():
        for v, other in vectors.items():
            for first, second in ((u, v), (u.mean, v.mean)):
                pair = (_values(first, one), _values(second, other))
                result |= gram_values(first, second, float(np.mean(np.sum(pair[0] * pair[1], axis=2))))
    return after, result


def _means(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """The mean of each client's cluster; clusters are consecutive clients."""
    return np.asarray(
        np.concatenate(
            [values[:, c] * 0 + values[:, c].mean(axis=1, keepdims=True) for c in clusters], axis=1
        )
    )


def _values(vector: Vector, values: np.ndarray) -> np.ndarray:
    return np.stack([mean_values(vector, each) for each in values])


def _mean_loss(problem: Problem, x: np.ndarray) -> float:
    away = x[:, None, :] - problem.centres
    total = float(np.einsum("ria,iab,rib->", away, problem.hessians, away))
    return total / (2 * len(x) * len(problem.centres))


def _gradients(problem: Problem, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("iab,rib->ria", problem.hessians, x[:, None, :] - problem.centres))


def _square(values: np.ndarray) -> float:
    """The mean over paths of the squared norm of all clients' vectors together."""
    return float(np.mean(np.sum(values**2, axis=(1, 2))))
