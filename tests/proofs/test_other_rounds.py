"""Rounds of other algorithms: the lemmas on random instances, false versions of them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from sympy import Expr, Max, Rational, lambdify, sqrt

from boundkit.algebra import BoundkitError
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta_s,
    clip,
    clip_excess,
    comp_keep,
    comp_noise,
    control_error,
    d,
    distance,
    eta,
    eta_s,
    exchange,
    fresh,
    gradients_start,
    m,
    mu,
    mu_prox,
    nesterov,
    privacy_noise,
    robustness,
    sigma,
    tau,
)
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.checker import check, round_quantity
from boundkit.proofs.compressed_messages import next_message_error, unsent
from boundkit.proofs.exchanged_models import next_square_distances, square_distances, uncontrolled
from boundkit.proofs.lemmas import DESCENT
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import Atom, LinearForm, Vector, data, inner, square
from boundkit.proofs.named_letters import letter_for, named, positive_parts
from boundkit.proofs.private_updates import clipped_part
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.robust_aggregation import aggregate_error
from boundkit.proofs.rounds import (
    X,
    client_variance,
    decrease,
    direction,
    e,
    g,
    loss_gap,
    next_error_at_optimum,
    next_loss_gap,
    o,
    old_directions,
    round_of,
    y,
)
from boundkit.proofs.server_momentum import approach_of_sequence, decrease_of_sequence, mean_factor
from boundkit.proofs.similar_solver import along_move, along_optimum, bregman, moved_bregman, next_bregman
from tests.cases import each
from tests.proofs.changes import names_of, scaled
from tests.proofs.rounds import random_hessians

Values = dict[Atom, float]
Instance = tuple[Mapping[Any, float], Values]
LETTERS = (
    L,
    T,
    beta_s,
    nesterov,
    eta,
    eta_s,
    tau,
    m,
    mu,
    mu_prox,
    robustness,
    comp_keep,
    exchange,
    C,
    comp_noise,
    clip,
    d,
    fresh,
)
DIMENSION, CLIENTS = 2, 3


def grams(vectors: Mapping[Vector, np.ndarray]) -> Values:
    """The values of all inner products of vectors of the clients, and of their means."""
    result: Values = {}
    for (u, p), (v, q) in combinations_with_replacement(list(vectors.items()), 2):
        for first, second, value in (
            (u, v, np.mean(np.sum(p * q, axis=-1))),
            (u.mean, v.mean, p.mean(0) @ q.mean(0)),
        ):
            (atom,) = inner(first, second).coefficients
            result[atom] = float(value)
    return result


def mean_of(values: list[Values]) -> Values:
    return {atom: sum(each[atom] for each in values) / len(values) for atom in values[0]}


class Clients:
    """Quadratics (1/2) (x - c_i)' H_i (x - c_i), with curvatures from ``low`` to 1."""

    def __init__(self, rng: np.random.Generator, low: float) -> None:
        self.rng = rng
        self.H = random_hessians(rng, CLIENTS, DIMENSION, low, 1.0)
        self.c = rng.normal(size=(CLIENTS, DIMENSION)) * rng.choice([0.1, 3.0])
        self.x = rng.normal(size=DIMENSION)
        self.mean = self.H.mean(0)

    @property
    def optimum(self) -> np.ndarray:
        return np.asarray(np.linalg.solve(self.mean, np.einsum("iab,ib->a", self.H, self.c) / CLIENTS))

    def gradients(self, x: np.ndarray) -> np.ndarray:
        """At a model of all clients, (d,), or at one of each, (m, d)."""
        return np.asarray(np.einsum("iab,ib->ia", self.H, x - self.c))

    def loss(self, x: np.ndarray) -> float:
        return float(np.mean(np.sum((x - self.c) * self.gradients(x), axis=-1))) / 2

    def small(self, size: tuple[int, ...] = (DIMENSION,)) -> np.ndarray:
        return np.asarray(self.rng.normal(size=size) * self.rng.choice([0.1, 1.0]))


def attacked(error: np.ndarray, sent: np.ndarray, coefficient: float) -> np.ndarray:
    """An error of the aggregate that is as large as the aggregator allows."""
    spread = np.mean(np.sum((sent - sent.mean(0)) ** 2, axis=-1))
    return np.asarray(error * np.sqrt(coefficient * spread) / np.linalg.norm(error))


def robust_round(rng: np.random.Generator) -> Instance:
    this = Clients(rng, -1.0)
    steps, rate, server, kappa = int(rng.integers(1, 4)), rng.choice([0.05, 0.3]), 1.0, rng.choice([0.1, 2.0])
    now = this.gradients(this.x)
    models = np.tile(this.x, (CLIENTS, 1))
    for _ in range(steps):
        models = models - rate * this.gradients(models)
    sent = (this.x - models) / (rate * steps)
    error = attacked(this.small(), sent, kappa)
    after = this.x - server * rate * steps * (sent.mean(0) + error)
    wrong = np.tile(error, (CLIENTS, 1))
    atoms = grams({g: now, e: now - sent, aggregate_error: wrong})
    atoms[decrease] = this.loss(this.x) - this.loss(after)
    return {eta: rate, eta_s: server, tau: steps, robustness: kappa}, atoms


def noisy_robust_round(rng: np.random.Generator) -> Instance:
    this = Clients(rng, -1.0)
    rate, kappa, noise = rng.choice([0.1, 1.0]), rng.choice([0.1, 2.0]), rng.choice([0.1, 2.0])
    now = this.gradients(this.x)
    along, hit = this.small((CLIENTS, DIMENSION)), this.small()
    along *= noise / np.linalg.norm(along, axis=1, keepdims=True)
    outcomes = []
    for signs in product((-1.0, 1.0), repeat=CLIENTS):
        sent = now + np.array(signs)[:, None] * along
        error = attacked(hit + rng.normal(size=DIMENSION), sent, kappa)
        atoms = grams({g: now, aggregate_error: np.tile(error, (CLIENTS, 1))})
        atoms[decrease] = this.loss(this.x) - this.loss(this.x - rate * (sent.mean(0) + error))
        outcomes.append(atoms | {data(sigma**2): noise**2})
    return {eta: rate, robustness: kappa}, mean_of(outcomes)


def compressed_run(rng: np.random.Generator) -> Instance:
    this, rounds, rate = Clients(rng, -1.0), 5, rng.choice([0.002, 0.5])
    stored = np.zeros((CLIENTS, DIMENSION))

    def send(x: np.ndarray) -> np.ndarray:
        left = this.gradients(x) - stored
        largest = np.argmax(np.abs(left), axis=1)
        return np.asarray(stored + left * (np.arange(DIMENSION) == largest[:, None]))

    x, start = this.x, np.mean(np.sum(this.gradients(this.x) ** 2, axis=-1))
    stored = send(x)
    values = []
    for _ in range(rounds):
        now, error = this.gradients(x), stored - this.gradients(x)
        after = x - rate * stored.mean(0)
        stored = send(after)
        atoms = grams({g: now, unsent: error})
        atoms[decrease] = this.loss(x) - this.loss(after)
        atoms[next_message_error] = np.mean(np.sum((stored - this.gradients(after)) ** 2, axis=-1))
        values.append(atoms | {data(control_error**2): start})
        x = after
    return {eta: rate, comp_keep: 1 / DIMENSION, T: rounds}, mean_of(values)


def quantised_round(rng: np.random.Generator) -> Instance:
    """Two of three clients send one of two coordinates, times 2; noise of two values."""
    this, steps, rate = Clients(rng, -1.0), int(rng.integers(1, 4)), 0.3
    now, models = this.gradients(this.x), np.tile(this.x, (CLIENTS, 1))
    for _ in range(steps):
        models = models - rate * this.gradients(models)
    sent, noise = (this.x - models) / (rate * steps), this.small((CLIENTS, DIMENSION))
    outcomes = []
    for signs in product((-1.0, 1.0), repeat=CLIENTS):
        drawn = sent + np.array(signs)[:, None] * noise
        for pair in combinations(range(CLIENTS), 2):
            for places in product(range(DIMENSION), repeat=2):
                v = sum(
                    DIMENSION * np.eye(DIMENSION)[k] * drawn[i] for i, k in zip(pair, places, strict=True)
                )
                outcomes.append({direction: float(v @ v) / 4})
    atoms = grams({g: now, e: now - sent}) | mean_of(outcomes)
    atoms[client_variance] = float(np.mean(np.sum(noise**2, axis=-1)))
    return {m: CLIENTS, C: 2 / CLIENTS, comp_noise: DIMENSION - 1, eta: rate, tau: steps}, atoms


def private_round(rng: np.random.Generator) -> Instance:
    """Clipped local steps, and noise of two values in each coordinate."""
    this, steps, rate = Clients(rng, -1.0), int(rng.integers(1, 4)), 0.3
    server, length, noise = rng.choice([0.5, 2.0]), rng.choice([0.1, 1.0]), rng.choice([0.5, 3.0])
    models = np.tile(this.x, (CLIENTS, 1))
    for _ in range(steps):
        models = models - rate * this.gradients(models)
    updates = this.x - models
    norms = np.linalg.norm(updates, axis=1, keepdims=True)
    clipped = updates * length / np.maximum(norms, length)
    part = (clipped.mean(0) - updates.mean(0)) / (rate * steps)
    excess = np.maximum(norms - length, 0).mean() / (rate * steps)
    now = this.gradients(this.x)
    atoms = grams({
        g: now, e: now - updates / (rate * steps), clipped_part: np.tile(part, (CLIENTS, 1)),
    })  # fmt: skip
    after = this.x - server * clipped.mean(0)
    deviation = server * noise * length / CLIENTS
    moved = [after + deviation * np.array(signs) for signs in product((-1.0, 1.0), repeat=DIMENSION)]
    atoms[decrease] = this.loss(this.x) - float(np.mean([this.loss(x) for x in moved]))
    constants = {data(privacy_noise**2): noise**2, data(clip_excess**2): excess**2}
    return {m: CLIENTS, eta: rate, tau: steps, eta_s: server, clip: length, d: DIMENSION}, atoms | constants


def corrected_round(rng: np.random.Generator) -> Instance:
    this = Clients(rng, 0.0)
    steps, rate, server = int(rng.integers(1, 5)), rng.choice([0.1, 1.9]), rng.choice([1.0, 2.0])
    now = this.gradients(this.x)
    models = np.tile(this.x, (CLIENTS, 1))
    for _ in range(steps):
        models = models - rate * (this.gradients(models) - now + now.mean(0))
    sent = (this.x - models) / (rate * steps)
    after = this.x - server * rate * steps * sent.mean(0)
    atoms = grams({g: now, e: now - sent}) | {decrease: this.loss(this.x) - this.loss(after)}
    return {eta: rate, eta_s: server, tau: steps}, atoms


def exchanging_step(rng: np.random.Generator) -> Instance:
    this, low = Clients(rng, 0.2), 0.2
    rate, p, noise = rng.choice([0.3, 2 / 1.2]), rng.choice([0.2, 0.9]), rng.choice([0.0, 1.0])
    best = this.optimum
    at_best, models = this.gradients(best), best + this.small((CLIENTS, DIMENSION))
    controls = this.small((CLIENTS, DIMENSION))
    controls -= controls.mean(0)
    signs = product((-1.0, 1.0), repeat=CLIENTS) if noise else [(0.0,) * CLIENTS]
    along = noise * np.eye(DIMENSION)[0]
    values = []
    for each_sign in signs:
        gradients = this.gradients(models) + np.array(each_sign)[:, None] * along
        own = models - rate * (gradients - controls)
        mean = np.tile(own.mean(0), (CLIENTS, 1))
        renewed = controls + p / rate * (mean - own)
        free = models - rate * gradients - best + rate * at_best
        atoms = grams({uncontrolled: free, y: controls, o: at_best})
        for atom, exchanged, kept in (
            (next_square_distances, mean - best, own - best),
            (next_error_at_optimum, renewed - at_best, controls - at_best),
        ):
            atoms[atom] = p * np.mean(np.sum(exchanged**2, axis=-1)) + (1 - p) * np.mean(
                np.sum(kept**2, axis=-1)
            )
        atoms[square_distances] = np.mean(np.sum((models - best) ** 2, axis=-1))
        values.append(atoms | {data(sigma**2): noise**2})
    return {eta: rate, mu: low, exchange: p}, mean_of(values)


def solved_round(rng: np.random.Generator) -> Instance:
    low, near = 0.1, rng.choice([0.01, 0.5])
    H = random_hessians(rng, 1, DIMENSION, low, 1.0)[0]
    Q = H + random_hessians(rng, 1, DIMENSION, -min(near, low), near)[0] + near * np.eye(DIMENSION)
    x = rng.normal(size=DIMENSION)
    after = x - np.linalg.solve(Q, H @ x)

    def form(M: np.ndarray, v: np.ndarray) -> float:
        return float(v @ M @ v) / 2

    return {mu: low, mu_prox: near}, {
        bregman: form(Q, x), next_bregman: form(Q, after), moved_bregman: form(Q, after - x),
        along_move: float((H @ x) @ (after - x)), along_optimum: float((H @ x) @ (-x)),
        loss_gap: form(H, x), next_loss_gap: form(H, after),
    }  # fmt: skip


def momentum_run(rng: np.random.Generator) -> Instance:
    """Five rounds of one client with errors and noise of two values, all their paths."""
    rounds, rate, beta, kind = 5, rng.choice([0.1, 0.5]), rng.choice([0.3, 0.8]), int(rng.integers(0, 2))
    server, noise, curvature = 1 - beta, rng.choice([0.0, 3.0]), np.array([1.0, rng.uniform(0.1, 1.0)])
    start, error = 10 * rng.normal(size=DIMENSION), rng.choice([0.0, 0.3]) * rng.normal(size=DIMENSION)
    gamma, flat = beta * (1 - kind * (1 - beta)), rng.choice([True, False])

    def loss(x: np.ndarray) -> float:
        return float(curvature @ (np.logaddexp(x, -x) if flat else x**2 / 2))

    values = []
    for signs in product((-1.0, 1.0), repeat=rounds if noise else 0):
        x, momentum = start, np.zeros(DIMENSION)
        for t in range(rounds):
            gradient = curvature * (np.tanh(x) if flat else x)
            sent = gradient - error + (noise * np.array([0.0, signs[t]]) if noise else 0)
            z = x - rate * gamma * momentum
            momentum = beta * momentum + sent
            moved = x - server * rate * (kind * (sent + beta * momentum) + (1 - kind) * momentum)
            after = z - rate * sent
            atoms = grams({g: gradient[None], e: error[None], X: x[None]})
            atoms[direction] = float(sent @ sent)
            atoms[decrease_of_sequence] = loss(z) - loss(after)
            atoms[approach_of_sequence] = float(z @ z - after @ after)
            values.append(atoms | {data(distance**2): float(start @ start)})
            x = moved
            assert np.allclose(x - rate * gamma * momentum, after)
    return {eta: rate, eta_s: server, beta_s: beta, nesterov: kind, T: rounds, m: 1}, mean_of(values)


def local_momentum_run(rng: np.random.Generator) -> Instance:
    """Three rounds of two local steps with a share of old directions and noise of two values, all paths."""
    rounds, tau_, f, rate = 3, 2, rng.choice([0.1, 0.5, 1.0]), rng.choice([0.01, 0.1])
    server, noise = rng.choice([0.5, 3.0]), rng.choice([0.0, 3.0])
    H = random_hessians(rng, CLIENTS, DIMENSION, -0.8, 1.0)
    pulls, start = rng.normal(size=(CLIENTS, DIMENSION)), 10 * rng.normal(size=DIMENSION)
    length = server * rate * tau_

    def gradients(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.einsum("ijk,ik->ij", H, np.broadcast_to(x, pulls.shape)) - pulls)

    def loss(x: np.ndarray) -> float:
        return float(x @ H.mean(0) @ x / 2 - pulls.mean(0) @ x)

    first, values = gradients(start), []
    for signs in product((-1.0, 1.0), repeat=rounds if noise else 0):
        x, average = start, np.zeros(DIMENSION)
        for t in range(rounds):
            y, sums = np.broadcast_to(x, pulls.shape), np.zeros_like(pulls)
            for _ in range(tau_):
                sums, y = sums + gradients(y) / tau_, y - rate * (f * gradients(y) + (1 - f) * average)
            sent = sums.mean(0) + (noise * np.array([0.0, signs[t]]) if noise else 0)
            z, old = x - length * (1 - f) / f * average, average
            average = (1 - f) * average + f * sent
            own = gradients(x)
            atoms = grams({g: own, e: own - sums, old_directions: np.broadcast_to(old, pulls.shape)})
            atoms[direction] = float(sent @ sent)
            atoms[decrease_of_sequence] = loss(z) - loss(z - length * sent)
            atoms[data(gradients_start**2)] = float((first**2).sum(-1).mean())
            values.append(atoms | {data(sigma**2): 0.0})
            x = x - length * average
            assert np.allclose(x - length * (1 - f) / f * average, z - length * sent)
    return {eta: rate, eta_s: server, tau: tau_, fresh: f, T: rounds}, mean_of(values)


LOST = sqrt(Rational(1, 2))
CASES: dict[str, tuple[str, Callable[[np.random.Generator], Instance], dict[str, Any], LinearForm]] = {
    "descent with a robust server": (
        "byzantine_fedavg_nonconvex", robust_round, {},
        L * (eta_s * eta * tau) ** 2 / 4 * square(g.mean - e.mean + aggregate_error),
    ),
    "error of a robust aggregate": (
        "byzantine_sgd_nonconvex", noisy_robust_round, {}, LinearForm({data(sigma**2): robustness}),
    ),
    "descent with a robust server and noise": (
        "byzantine_sgd_nonconvex", noisy_robust_round, {"w": 1},
        L * eta**2 * (Rational(1, 4) * square(aggregate_error) + LinearForm({data(sigma**2): 1 / m})),
    ),
    "descent along stored updates": (
        "ef21_nonconvex", compressed_run, {}, L * eta**2 / 4 * square(g.mean + unsent.mean),
    ),
    "error of compressed messages": (
        "ef21_nonconvex", compressed_run, {"r": LOST},
        LOST * square(unsent) + Rational(8, 5) * (L * eta) ** 2 * square(g.mean + unsent.mean),
    ),
    "participation with compressed updates": (
        "fedpaq_nonconvex", quantised_round, {}, comp_noise / (C * m) * square(g - e),
    ),
    "descent with clipped updates and noise": (
        "dp_fedavg_nonconvex", private_round, {},
        LinearForm({data(privacy_noise**2): L * eta_s**2 * d * clip**2 / (2 * m**2)}),
    ),
    "length that clipping takes off": (
        "dp_fedavg_nonconvex", private_round, {}, LinearForm({data(clip_excess**2): 1}),
    ),
    "telescoping of the error of messages": (
        "ef21_nonconvex", compressed_run, {}, LinearForm({data(control_error**2): (1 - comp_keep) / T}),
    ),
    "descent along corrected steps": (
        "fedlin_convex", corrected_round, {},
        L * (eta_s * eta * tau) ** 2 / 4 * square(g.mean - e.mean),
    ),
    "error of corrected steps": (
        "fedlin_convex", corrected_round, {}, (eta * L * (tau - 1) / 2) ** 2 / 2 * square(g.mean),
    ),
    "exchange by a coin": (
        "scaffnew_strongly_convex", exchanging_step, {}, eta**2 * square(y - o),
    ),
    "shrinking gradient step": (
        "scaffnew_strongly_convex", exchanging_step, {},
        LinearForm({square_distances: (1 - eta * mu) ** 2 / 2, data(sigma**2): eta**2 / 2}),
    ),
    "descent with server momentum": (
        "fedavgm_nonconvex_partial", momentum_run, {"w": 1},
        L * eta**2 / 2 * (mean_factor(1) - 1) * square(g.mean - e.mean),
    ),
    "descent with server momentum: in the local steps": (
        "fedcm_nonconvex", local_momentum_run, {"w": 1},
        L * (eta_s * eta * tau) ** 2 / 2 * (mean_factor(1, 1 - fresh, 1 - fresh) - 1)
        * square(g.mean - e.mean),
    ),
    "bias of local steps": (
        "fedcm_nonconvex", local_momentum_run,
        {"h": Rational(1, 5), "y": Rational(1, 11), "p": Rational(2, 5), "q": Rational(2, 3)},
        (eta * L * (tau - 1)) ** 2 / 5 * square(fresh * g + (1 - fresh) * old_directions),
    ),
    "average of earlier directions": (
        "fedcm_nonconvex", local_momentum_run, {}, fresh / 2 * LinearForm({direction: 1}),
    ),
    "dissimilarity from that at the start": (
        "fedcm_nonconvex", local_momentum_run, {"y": 3},
        LinearForm({data(gradients_start**2): Rational(7, 2)}),
    ),
    "squared distance with server momentum": (
        "fedavgm_convex_partial", momentum_run, {"w": 1, "u": 1},
        LinearForm({data(distance**2): eta * L * beta_s / ((1 - beta_s) * T)}),
    ),
    "solution of a Bregman step": ("dane_strongly_convex", solved_round, {}, LinearForm({bregman: 1})),
    "relative smoothness": (
        "dane_strongly_convex", solved_round, {}, LinearForm({moved_bregman: Rational(1, 2)}),
    ),
    "relative strong convexity": (
        "dane_strongly_convex", solved_round, {}, LinearForm({bregman: mu / (mu + 2 * mu_prox)}),
    ),
}  # fmt: skip
"""Lemma, with a setting or not: a theorem of its rounds, random instances, arguments, and a part without
which it is false."""


@cache
def instances(make: Callable[[np.random.Generator], Instance]) -> list[Instance]:
    return [make(np.random.default_rng(seed)) for seed in range(16)]


def violations(name: str, less: bool) -> int:
    theorem, make, arguments, part = CASES[name]
    lemma = LEMMAS[name.partition(": ")[0]]
    conclusion = lemma.conclude(round_of(certificate_of(theorem).theorem), **arguments)
    form = conclusion.form - (part if less else LinearForm())
    coefficients = lambdify(LETTERS, list(form.coefficients.values()))
    result = 0
    for letters, atoms in instances(make):
        known = {L: 1.0, m: CLIENTS, T: 1, **letters}
        factors = coefficients(*(known.get(letter, 1.0) for letter in LETTERS))
        parts = [factor * atoms[atom] for factor, atom in zip(factors, form.coefficients, strict=True)]
        off = -abs(sum(parts)) if conclusion.equality else sum(parts)
        result += off < -1e-9 * sum(map(abs, parts)) - 1e-15
    return result


@each("name", CASES)
def test_a_lemma_holds_and_a_false_version_fails(name: str) -> None:
    assert violations(name, less=False) == 0
    assert violations(name, less=True) > 0


def conditions(certificate: Certificate, *steps: Any) -> Certificate:
    return certificate.of(replace(certificate.theorem, step_size=steps))


GD, SGD, EF21, SCAFFNEW, DANE = (certificate_of(name) for name in (
    "byzantine_gd_nonconvex", "byzantine_sgd_nonconvex", "ef21_nonconvex", "scaffnew_strongly_convex",
    "dane_strongly_convex",
))  # fmt: skip


@each("certificate", {each.theorem.name: each for each in (GD, DANE)}.values())
def test_a_step_that_is_left_out_and_a_smaller_constant_are_refused(certificate: Certificate) -> None:
    for left in certificate.steps:
        assert not check(certificate.without(left.name)).proved
    (first, *_) = certificate.theorem.terms
    assert END in names_of(check(scaled(certificate, {first.label: 0.98})))


def test_longer_steps_and_other_rounds_are_refused() -> None:
    assert names_of(check(conditions(GD, at_most(eta, 2 / L))))[0] == START
    assert DESCENT.missing(SGD.theorem)
    for certificate, needed in ((GD, "robust-aggregation"), (EF21, "no-noise"), (DANE, "similar-solver")):
        left = tuple(each for each in certificate.theorem.assumptions if each.name != needed)
        with pytest.raises(BoundkitError, match=needed):
            round_of(replace(certificate.theorem, assumptions=left))


def test_loss_gap_is_a_part_of_the_claimed_sum_after_a_solve() -> None:
    quantity = round_quantity(DANE.theorem)
    assert quantity.later is not None
    assert quantity.later.coefficients == {next_bregman: 1, next_loss_gap: 1}
    ratios = []
    for curvature, near, share in product((0.1, 0.5, 1.0), (0.01, 0.5, 1.0), (0.0, 0.5, 1.0)):
        solver = max(curvature - near, 0.0) + share * (
            min(curvature + near, 1.0) - max(curvature - near, 0.0)
        )
        claimed = float(quantity.times.subs({L: 1, mu_prox: near})) * (solver + near + curvature) / 2
        ratios.append(curvature / 2 / claimed)
    assert max(ratios) == pytest.approx(1)  # at a flat solver: no smaller factor would do


def test_letters_stand_for_roots_minima_and_maxima_only() -> None:
    theorem = SCAFFNEW.theorem
    ((letter, expr),) = SCAFFNEW.names.items()
    facts = [str(each) for each in named(theorem, SCAFFNEW.names).requires[len(theorem.requires) :]]
    assert sorted(facts) == sorted(f"{letter} <= {each}" for each in expr.args)
    wrong: list[Expr] = [eta * mu, Max(eta * mu - 1, eta * L - 2), 2 * sqrt(eta * L)]
    for other in wrong:
        with pytest.raises(BoundkitError, match="stands for"):
            named(theorem, {letter_for("q", other): other})
    assert list(positive_parts(SCAFFNEW.names)) == list(expr.args)
