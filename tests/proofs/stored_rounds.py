"""Rounds with stored updates or controls by boundkit's own server step, for all samples and noise signs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from math import comb

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    control_error,
    control_error_star,
    correction_error,
    distance,
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
    staleness,
    tau,
    update_error,
)
from boundkit.proofs import control_variates
from boundkit.proofs import rounds as of_round
from boundkit.proofs.linear_form import Atom, Vector, data
from boundkit.proofs.stored_updates import G, next_stored_error
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.simulation.algorithms.round import Received, Round
from tests.proofs.rounds import Problem, RandomRound, Values, gram_values, random_hessians


def stored_round(seed: int, theorem: Theorem) -> RandomRound:
    """The first rounds of a run in the mean, over every path that the run can take, equally likely.

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
    chosen, steps, rounds = int(rng.integers(1, clients + 1)), int(rng.integers(1, 6)), 2 if noise else 3
    chosen = clients if theorem.assumes("full-participation") else chosen
    smooth = float(rng.choice([0.5, 1.0, 3.0]))
    step = float(rng.choice([0.02, 0.1, 0.12])) / (smooth * steps)
    server = float(rng.choice([0.01, 0.2])) / (smooth * steps * step)
    server = 1.0 if theorem.assumes("server-step-one") else server
    curved = theorem.assumes("strongly-convex")
    low = 0.1 * smooth if curved else 0.0 if theorem.assumes("convex") else -smooth
    problem = Problem(
        random_hessians(rng, clients, dimension, low, smooth),
        rng.normal(size=(clients, dimension)) * rng.choice([0.0, 1.0, 3.0]),
        step, server, steps, noise, chosen,
    )  # fmt: skip
    start = problem.optimum + rng.normal(size=dimension) * rng.choice([0.2, 2.0])
    gradients = _gradients(problem, start[None, :])
    state = {"x": start[None, :], LAST: np.broadcast_to(start, gradients.shape)}
    kept = np.zeros((1, len(clusters), dimension))
    if theorem.algorithm in _CORRECTED:
        kept = gradients + rng.normal(size=gradients.shape) * rng.choice([0.1, 1.0])
        kept = kept - kept.mean(axis=1, keepdims=True) if theorem.algorithm == "vrlsgd" else kept
    state[_KEPT[theorem.algorithm]] = kept
    found = []
    for _ in range(rounds):
        state, values = _round(theorem, problem, clusters, state)
        found.append(values)
    atoms = {atom: float(np.mean([values[atom] for values in found])) for atom in found[0]}
    wrong = gradients - kept if theorem.algorithm in _CORRECTED else gradients
    apart = wrong - wrong.mean(axis=1, keepdims=True)
    best = _gradients(problem, problem.optimum[None, :])
    atoms |= {
        data(control_error**2): _square(wrong) / clients,
        data(correction_error**2): _square(apart) / clients,
        data(control_error_star**2): _square(wrong - gradients + best) / clients,
        data(distance**2): float(np.sum((start - problem.optimum) ** 2)),
        data(gap): problem.loss(start) - problem.loss(problem.optimum),
        data(sigma**2): noise**2,
        data(gradients_start**2): _square(gradients) / clients,
        data(update_error**2): found[0][_SAMPLING],
        data(sigma_g**2): max(values[_DISPERSION] for values in found),
        data(sigma_c**2): max(values[_INSIDE] for values in found),
    }
    quantities = {
        C: chosen / clients, m: clients, tau: steps, eta: step, eta_s: server, L: smooth, T: rounds,
        mu: low if curved else smooth, mu_pl: smooth, beta: 1.0,
        missed: comb(clients - size, chosen) / comb(clients, chosen),
    }  # fmt: skip
    return RandomRound(quantities, atoms)


LAST = "last"
"""The server's model at each client's last participation, in the state of a path."""
_CORRECTED = ("scaffold", "vrlsgd")
_KEPT = {"fedvarp": "y", "clusterfedvarp": "y", "scaffold": "controls", "vrlsgd": "D"}
"""Where the state of an algorithm has the stored updates or controls."""
_DISPERSION, _INSIDE = Atom("largest dispersion", ""), Atom("largest dispersion in a cluster", "")
_SAMPLING = Atom("error of the server's direction by sampling", "")
"""At most its whole error, by Jensen: of its means over the noise, given the participants."""


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
    corrected = theorem.algorithm in _CORRECTED
    stored = state[_KEPT[theorem.algorithm]]
    fix = stored.mean(axis=1, keepdims=True) - stored if corrected else np.zeros_like(state[LAST])
    local = [problem.directions(x, u) for x, u in zip(state["x"], fix, strict=True)]
    each = len(samples) * len(signs)
    means = np.stack([mean for mean, _, _ in local]).repeat(each, axis=0)
    spreads = np.stack([covariance for _, covariance, _ in local]).repeat(each, axis=0)
    directions = means + sign[:, :, None] * np.sqrt(spreads[:, :, :1, 0])
    at = chosen[:, :, None]
    steps = directions + fix.repeat(each, axis=0)
    updates = length * np.take_along_axis(steps, at, axis=1)
    this = Round(
        0, clients, chosen, None, np.full(chosen.shape, problem.steps),
        np.full(chosen.shape, 1 / problem.chosen), np.full(problem.steps, problem.step), problem.server,
    )  # fmt: skip
    options = {"clusters": clusters.tolist()} if theorem.algorithm == "clusterfedvarp" else {}
    sent = {"update": updates, "control": np.take_along_axis(directions, at, axis=1)}
    if "D" in before:
        sent["D"] = np.take_along_axis(before["D"], at, axis=1)
    after = ALGORITHMS[theorem.algorithm](options).server_step(before, Received(sent, this))
    last = before[LAST].copy()
    np.put_along_axis(last, at, before["x"][:, None, :], axis=1)
    after = {**after, LAST: last}
    gradients, later = _gradients(problem, before["x"]), _gradients(problem, after["x"])
    size = clusters.shape[1]
    inside, later = _means(gradients, clusters), _means(later, clusters)
    unit = 1.0 if corrected else length
    stored, new = (s[_KEPT[theorem.algorithm]].repeat(size, axis=1) / unit for s in (before, after))
    own, next_own = (_gradients(problem, s[LAST]) - y for s, y in ((before, stored), (after, new)))
    age, next_age = (s["x"][:, None, :] - s[LAST] for s in (before, after))
    best = np.broadcast_to(_gradients(problem, problem.optimum[None, :]), gradients.shape)
    loss, next_loss = (_mean_loss(problem, s["x"]) for s in (before, after))
    least = problem.loss(problem.optimum)
    move = (before["x"] - after["x"]) / (problem.server * length)
    spread = gradients - gradients.mean(axis=1, keepdims=True)
    sampled = move.reshape(paths, len(samples), len(signs), -1).mean(axis=2)
    sampled = sampled - sampled.mean(axis=1, keepdims=True)
    result = {
        _SAMPLING: float(np.mean(np.sum(sampled**2, axis=-1))),
        of_round.direction: float(np.mean(np.sum(move**2, axis=-1))),
        of_round.client_variance: float(np.mean(np.trace(spreads, axis1=2, axis2=3))),
        of_round.decrease: float(loss - next_loss),
        of_round.loss_gap: float(loss - least),
        of_round.next_loss_gap: float(next_loss - least),
        of_round.square_distance: _square((before["x"] - problem.optimum)[:, None, :]),
        of_round.next_square_distance: _square((after["x"] - problem.optimum)[:, None, :]),
        of_round.displacement: float(np.mean([displacement for _, _, displacement in local])),
        next_stored_error: _square(later - new) / clients,
        control_variates.next_age: _square(next_age) / clients,
        control_variates.next_own_error: _square(next_own) / clients,
        control_variates.next_mean_own_error: _square(next_own.mean(axis=1, keepdims=True)),
        control_variates.next_correction_error: _square(next_own - next_own.mean(axis=1, keepdims=True))
        / clients,
        of_round.next_error_at_optimum: _square(new - best) / clients,
        _DISPERSION: float(np.max(np.sum(spread**2, axis=(1, 2)))) / clients,
        _INSIDE: float(np.max(np.sum((gradients - inside) ** 2, axis=(1, 2)))) / clients,
    }
    away = np.broadcast_to((before["x"] - problem.optimum)[:, None, :], gradients.shape)
    vectors = {
        of_round.g: gradients, of_round.e: gradients - means, of_round.y: stored, of_round.X: away, G: inside,
        control_variates.z: age, control_variates.q: own, of_round.o: best,
    }  # fmt: skip
    result |= _gram(vectors)
    return after, result


def _means(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """The mean of each client's cluster; clusters are consecutive clients."""
    return np.asarray(
        np.concatenate(
            [values[:, c] * 0 + values[:, c].mean(axis=1, keepdims=True) for c in clusters], axis=1
        )
    )


def _gram(vectors: Mapping[Vector, np.ndarray]) -> Values:
    """The Gram atoms of vectors of all clients, (paths, clients, d), in the mean over paths."""
    both = [(u, one, u.mean, one.mean(axis=1, keepdims=True)) for u, one in vectors.items()]
    result: Values = {}
    for place, (u, one, of_u, mean_one) in enumerate(both):
        for v, other, of_v, mean_other in both[place:]:
            result |= gram_values(u, v, float(np.mean(np.sum(one * other, axis=2))))
            result |= gram_values(of_u, of_v, float(np.mean(np.sum(mean_one * mean_other, axis=2))))
    return result


def _mean_loss(problem: Problem, x: np.ndarray) -> float:
    away = x[:, None, :] - problem.centres
    total = float(np.einsum("ria,iab,rib->", away, problem.hessians, away))
    return total / (2 * len(x) * len(problem.centres))


def _gradients(problem: Problem, x: np.ndarray) -> np.ndarray:
    """The gradients at one model of each path, or at one of each of its clients."""
    each = x if x.ndim == 3 else x[:, None, :]
    return np.asarray(np.einsum("iab,rib->ria", problem.hessians, each - problem.centres))


def _square(values: np.ndarray) -> float:
    """The mean over paths of the squared norm of all clients' vectors together."""
    return float(np.mean(np.sum(values**2, axis=(1, 2))))


def stale_round(seed: int, theorem: Theorem) -> RandomRound:
    """The mean over a run of MIFA with full gradients, one local step, and clients away for some rounds."""
    rng = np.random.default_rng(seed)
    clients, dimension, rounds = int(rng.integers(1, 5)), int(rng.integers(1, 4)), 12
    smooth, longest = float(rng.choice([0.5, 1.0, 3.0])), int(rng.integers(0, 4))
    step = float(rng.choice([0.1, 0.5, 1.0])) / (smooth * (1 + longest))
    hessians = random_hessians(rng, clients, dimension, -smooth, smooth)
    problem = Problem(hessians, rng.normal(size=(clients, dimension)), step, 1.0, 1, 0.0, clients)
    x = start = problem.optimum + rng.normal(size=dimension)
    ages, stored = np.full(clients, longest), np.zeros((clients, dimension))
    found = []
    for _ in range(rounds):
        gradients = _gradients(problem, x[None, :])[0]
        present = (ages == longest) | (rng.random(clients) < 0.3)
        ages, stored = np.where(present, 0, ages + 1), np.where(present[:, None], gradients, stored)
        after = x - step * stored.mean(axis=0)
        least = problem.loss(problem.optimum)
        values = {
            of_round.decrease: problem.loss(x) - problem.loss(after),
            of_round.loss_gap: problem.loss(x) - least,
            of_round.next_loss_gap: problem.loss(after) - least,
            of_round.direction: float(np.sum(stored.mean(axis=0) ** 2)),
            of_round.client_variance: 0.0,
        }
        away = np.broadcast_to(x - problem.optimum, gradients.shape)
        vectors = {
            of_round.g: gradients,
            of_round.e: gradients - stored,
            of_round.X: away,
        }
        values |= _gram({vector: each[None] for vector, each in vectors.items()})
        found.append(values)
        x = after
    atoms = {atom: float(np.mean([values[atom] for values in found])) for atom in found[0]}
    atoms[data(gap)] = problem.loss(start) - problem.loss(problem.optimum)
    quantities = {m: clients, tau: 1, eta: step, eta_s: 1.0, L: smooth, T: rounds, staleness: longest}
    return RandomRound(quantities, atoms)
