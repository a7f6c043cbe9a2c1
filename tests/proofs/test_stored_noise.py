"""MIFA with noise and local steps: lemmas on whole runs, certificates, and what is refused."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem, vocabulary
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import L, T, availability, eta, eta_s, m, sigma, staleness, tau
from boundkit.proofs.authoring import error_of_a_client
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.mifa_nonconvex_local_steps import PROOF as BOUNDED
from boundkit.proofs.certificates.mifa_nonconvex_random_availability import PROOF as RANDOM
from boundkit.proofs.checker import check
from boundkit.proofs.domain import conditions_of
from boundkit.proofs.lemmas import DESCENT, LOCAL_BIAS, Lemma
from boundkit.proofs.linear_form import Atom, LinearForm, Vector, data, square
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import a, decrease, e, g, round_of
from boundkit.proofs.stored_noise import STORED_AGE, STORED_ERROR_BY_AGE, STORED_NOISE_DESCENT, age
from tests.cases import each, thinned
from tests.proofs.changes import (
    assert_refused,
    assuming,
    conditions,
    left_out,
    less,
    names_of,
    scaled,
    violations,
    without,
)
from tests.proofs.rounds import RandomRound, gram_values

CLIENTS, ROUNDS = 2, 4
LEMMAS = (STORED_NOISE_DESCENT, STORED_AGE, STORED_ERROR_BY_AGE)


@cache
def run(seed: int, theorem: Theorem) -> RandomRound:
    """Means over a run from one model, over all signs of the noises and all availabilities.

    On quadratics in one dimension, where a direction is affine in the model, so that a noise of two points
    has the moments of any.
    """
    rng = np.random.default_rng(seed)
    smooth, steps = float(rng.choice([0.5, 2.0])), int(rng.choice([1, 2, 5]))
    noise = float(rng.choice([0.0, 0.3, 1.0, 5.0]))
    step = float(rng.choice([0.2, 1.0])) / (8 * smooth * steps)
    server = float(rng.choice([0.2, 1.0])) / (4 * smooth * steps * step)
    length = server * step * steps
    curvature = smooth * rng.choice([-1.0, -0.5, 0.5, 1.0], size=CLIENTS)
    if seed % 2:
        curvature = np.full(CLIENTS, smooth * float(rng.choice([-1.0, 1.0])))
    centre = rng.normal(size=CLIENTS) * float(rng.choice([0.0, 1.0]))
    longest, share = int(rng.integers(0, ROUNDS)), float(rng.choice([0.3, 0.6, 0.9, 1.0]))
    bounded = theorem.assumes("bounded-absence")
    patterns = _bounded_absence(rng, longest) if bounded else _every_pattern()
    signs = np.array(list(product((1.0, -1.0), repeat=CLIENTS * ROUNDS))).reshape(-1, ROUNDS, CLIENTS)
    present = patterns.repeat(len(signs), axis=0)
    sign = np.tile(signs, (len(patterns), 1, 1))
    often = np.where(patterns[:, 1:], share, 1 - share).prod(axis=(1, 2))
    weights = (np.ones(1) if bounded else often).repeat(len(signs)) / len(signs)
    shrink = (1 - step * curvature) ** np.arange(steps)[:, None]
    spread = noise * np.sqrt((shrink**2).sum(axis=0)) / steps
    x = np.full(len(sign), float(rng.normal()) * float(rng.choice([0.0, 3.0])))
    models, means, noises = (np.zeros((len(sign), CLIENTS)) for _ in range(3))
    found = []
    for t in range(ROUNDS):
        gradients = curvature * (x[:, None] - centre)
        now = present[:, t]
        models = np.where(now, x[:, None], models)
        means = np.where(now, gradients * shrink.mean(axis=0), means)
        noises = np.where(now, sign[:, t] * spread, noises)
        after = x - length * (means + noises).mean(axis=1)
        loss, later = ((curvature * (at[:, None] - centre) ** 2).mean(axis=1) / 2 for at in (x, after))
        vectors = {g: gradients, e: gradients - means, age: x[:, None] - models}
        found.append({decrease: float(weights @ (loss - later)), **_gram(vectors, weights)})
        x = after
    atoms = {atom: float(np.mean([values[atom] for values in found])) for atom in found[0]}
    atoms[data(sigma**2)] = noise**2
    quantities = {
        m: CLIENTS, T: ROUNDS, tau: steps, eta: step, eta_s: server, L: smooth, staleness: longest,
        availability: share,
    }  # fmt: skip
    return RandomRound(quantities, atoms)


def _bounded_absence(rng: np.random.Generator, longest: int) -> np.ndarray:
    """One availability, (1, T, m): all clients at first, then with ages of at most ``longest``."""
    ages, rows = np.zeros(CLIENTS, dtype=int), [np.ones(CLIENTS, dtype=bool)]
    for _ in range(ROUNDS - 1):
        rows.append((ages == longest) | (rng.random(CLIENTS) < 0.3))
        ages = np.where(rows[-1], 0, ages + 1)
    return np.array(rows)[None]


def _every_pattern() -> np.ndarray:
    """Every availability after a first round of all clients, (patterns, T, m)."""
    later = np.array(list(product((True, False), repeat=CLIENTS * (ROUNDS - 1))))
    later = later.reshape(-1, ROUNDS - 1, CLIENTS)
    return np.concatenate([np.ones((len(later), 1, CLIENTS), dtype=bool), later], axis=1)


def _gram(vectors: dict[Vector, np.ndarray], weights: np.ndarray) -> dict[Atom, float]:
    result: dict[Atom, float] = {}
    both = list(vectors.items())
    for place, (u, one) in enumerate(both):
        for v, other in both[place:]:
            result |= gram_values(u, v, float(weights @ (one * other).mean(axis=1)))
            mean = float(weights @ (one.mean(axis=1) * other.mean(axis=1)))
            result |= gram_values(u.mean, v.mean, mean)
    return result


def violated(lemma: Lemma, certificate: Certificate, by: LinearForm | None = None) -> int:
    """The number of runs on which the lemma, or one that is smaller by a form, does not hold."""
    (own,) = (each for each in certificate.steps if each.lemma is lemma)
    conclude = lemma.conclude if by is None else less(lemma, by)
    runs = [run(seed, certificate.theorem) for seed in range(40)]
    return violations(conclude(round_of(certificate.theorem), **own.arguments), runs)


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_runs(lemma: Lemma) -> None:
    assert violated(lemma, BOUNDED) == violated(lemma, RANDOM) == 0


s_ = round_of(BOUNDED.theorem).length
NOISE = LinearForm({data(sigma**2): 1 / (tau * m)})
DRIFT = (eta * L * (tau - 1)) ** 2
FALSE = {
    "descent without the squared direction": (
        STORED_NOISE_DESCENT, (s_ * Rational(6, 25) + L * s_**2 / 2) * square(a.mean),
    ),
    "each noise used once": (STORED_NOISE_DESCENT, L * s_**2 / 2 * staleness * NOISE),
    "no noise": (STORED_NOISE_DESCENT, L * s_**2 / 2 * (1 + staleness) * NOISE),
    "ages without their number": (
        STORED_AGE, s_**2 * Rational(3, 2) * staleness * (staleness + 1) * square(a.mean),
    ),
    "ages without noise": (
        STORED_AGE, s_**2 * staleness * (2 * staleness + 1) / 3 * NOISE,
    ),
    "errors without the age": (STORED_ERROR_BY_AGE, 3 * L**2 * square(age)),
    "errors without the drift": (STORED_ERROR_BY_AGE, DRIFT * Rational(5, 6) * square(g)),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_runs(name: str) -> None:
    lemma, by = FALSE[name]
    assert violated(lemma, BOUNDED, by) > 0


def test_constants_below_their_limits_are_refused() -> None:
    for label in ("initial gap", "stochastic noise", "noise drift", "client drift"):
        assert names_of(check(scaled(BOUNDED, {label: 0.97}))) == [END], label
        assert names_of(check(scaled(RANDOM, {label: 0.97}))) == [END], label


WALK = BOUNDED.theorem.step_size[1]
ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(BOUNDED),
    "steps that ignore the age": (
        conditions(BOUNDED, BOUNDED.theorem.step_size[0], at_most(eta_s * eta, 1 / (4 * L * tau))), START,
    ),
    "local steps that are too long": (conditions(BOUNDED, at_most(eta, 1 / (4 * L * tau)), WALK), START),
    "ages before the first update": (without(RANDOM, "initial-updates"), "descent"),
    "a root that is too small": (RANDOM.changed("age of the stored updates", {"r": 1 - availability}), ""),
    "bias of the last round": (
        BOUNDED.replaced("error of a client", error_of_a_client(Rational(1, 8))), "error of a client",
    ),
}  # fmt: skip


@each("error", thinned(ERRORS, len(ERRORS) // 2))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


def test_lemmas_on_fresh_directions_are_refused() -> None:
    for proof in (BOUNDED, RANDOM):
        assert DESCENT.missing(proof.theorem)
        assert LOCAL_BIAS.missing(proof.theorem)
    for wrong in (
        assuming(BOUNDED.theorem, vocabulary.CHANGING_AVAILABILITY),
        assuming(BOUNDED.theorem, but="bounded-absence"),
        assuming(BOUNDED.theorem, but="bounded-noise"),
        assuming(BOUNDED.theorem, vocabulary.SERVER_STEP_ONE),
    ):
        with pytest.raises(BoundkitError, match=r"in one way|no lemma is about"):
            round_of(wrong)
    with pytest.raises(BoundkitError, match="an r with"):
        check(RANDOM.changed("age of the stored updates", {"r": None}))


def test_a_condition_with_a_cube_root_is_cubed() -> None:
    limited = conditions(BOUNDED, at_most(eta, m ** Rational(1, 3) / (2 * L))).theorem
    facts = [each.expr for each in conditions_of(limited)]
    assert any((fact - (m / (8 * L**3) - eta**3)).expand() == 0 for fact in facts)
