"""Stale gradients: lemmas on runs, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sympy import Le, Rational

from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import L, T, eta, gap, sigma, sigma_g, staleness
from boundkit.proofs import control_variates, stale_gradients
from boundkit.proofs import rounds as of_round
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.certificates.async_sgd_nonconvex import PROOF as ASYNC
from boundkit.proofs.checker import check
from boundkit.proofs.domain import conditions_of
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, inner, square
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import g, round_of
from boundkit.proofs.stale_gradients import STALE_DESCENT, STALENESS
from tests.cases import each, thinned
from tests.proofs.changes import (
    assert_refused,
    conditions,
    left_out,
    less,
    names_of,
    refused_constants,
    scaled,
    violations,
    without,
)
from tests.proofs.rounds import RandomRound, gram_values, random_hessians

DRAWN = certificate_of("async_sgd_heterogeneous_nonconvex")


@cache
def run(seed: int, rounds: int = 12) -> RandomRound:
    """Means over the rounds of a run on a quadratic with random ages, in exact moments."""
    rng = np.random.default_rng(seed)
    dimension = int(rng.integers(1, 3))
    smooth, oldest = float(rng.choice([0.5, 2.0])), int(rng.integers(0, 5))
    noise = float(rng.choice([0.0, 0.5]))
    step = float(rng.choice([0.1, 0.9])) / (smooth * (1 + oldest))
    hessian = random_hessians(rng, 1, dimension, -smooth, smooth)[0]
    centre = rng.normal(size=dimension)
    x = rng.normal(size=dimension) * float(rng.choice([0.1, 2.0]))
    # a model is its mean and its dependence on the noise of each round so far
    models = [(x, np.zeros((rounds, dimension, dimension)))]
    totals: dict[Any, float] = {}
    unit = noise**2 / dimension

    def loss(model: tuple[np.ndarray, np.ndarray]) -> float:
        spread = unit * np.einsum("sab,scb->ac", model[1], model[1])
        away = model[0] - centre
        return float(away @ hessian @ away + np.trace(hessian @ spread)) / 2

    def product(u: tuple[np.ndarray, np.ndarray], v: tuple[np.ndarray, np.ndarray]) -> float:
        return float(u[0] @ v[0] + unit * np.sum(u[1] * v[1]))

    for t in range(rounds):
        age = min(int(rng.integers(0, oldest + 1)), t)
        now, old = models[-1], models[t - age]
        mean, moved = hessian @ (old[0] - centre), hessian @ old[1]
        gradient = (hessian @ (now[0] - centre), hessian @ now[1])
        change = (gradient[0] - mean, gradient[1] - moved)
        own = moved.copy()
        own[t] += np.eye(dimension)
        models.append((now[0] - step * mean, now[1] - step * own))
        values = {
            **gram_values(g.mean, g.mean, product(gradient, gradient)),
            **gram_values(g.mean, stale_gradients.change.mean, product(gradient, change)),
            **gram_values(stale_gradients.change.mean, stale_gradients.change.mean, product(change, change)),
            of_round.decrease: loss(now) - loss(models[-1]),
            data(sigma**2): noise**2,
            data(gap): 0.0,
        }
        totals = {atom: totals.get(atom, 0.0) + value / rounds for atom, value in values.items()}
    return RandomRound({L: smooth, T: rounds, eta: step, staleness: oldest}, totals)


def violated(conclude: Callable[..., Conclusion], certificate: Certificate = ASYNC) -> int:
    """Runs on which the conclusion fails; a client that is drawn from equal curvatures is noise."""
    rounds = [run(seed) for seed in range(24)]
    if certificate is DRAWN:
        parts = [
            {data(sigma**2): 0.3 * noise, data(sigma_g**2): 0.7 * noise}
            for noise in (this.atoms[data(sigma**2)] for this in rounds)
        ]
        rounds = [replace(this, atoms=this.atoms | own) for this, own in zip(rounds, parts, strict=True)]
    return violations(conclude(round_of(certificate.theorem)), rounds, zero=1e-15)


USED = [step.lemma.name for step in ASYNC.steps if step.lemma in (STALE_DESCENT, STALENESS)]


@each("name", USED)
def test_a_lemma_holds_on_runs(name: str) -> None:
    assert violated(LEMMAS[name].conclude) == violated(LEMMAS[name].conclude, DRAWN) == 0


STEP = square(stale_gradients.used_gradient.mean)
FALSE = {
    "descent with an eighth of the step": (
        STALE_DESCENT,
        Rational(7, 16) * L * eta**2 * (STEP + LinearForm({data(sigma**2): 1})),
    ),
    "descent without noise": (
        STALE_DESCENT, LinearForm({data(sigma**2): L * eta**2 / 2}),
    ),
    "staleness as if of one round": (
        STALENESS,
        2 * (eta * L) ** 2 * ((staleness**2 - 1) * STEP + LinearForm({data(sigma**2): staleness})),
    ),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_runs(name: str) -> None:
    lemma, by = FALSE[name]
    assert violated(less(lemma, by)) > 0


def test_constants_below_their_limits_are_refused() -> None:
    result = check(scaled(ASYNC, 0.99))
    assert names_of(result) == [END]
    assert all(each.label in refused_constants(result) for each in ASYNC.theorem.terms)


ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(ASYNC),
    "steps that ignore the age": (conditions(ASYNC, at_most(eta, 1 / L)), START),
    "clients that differ": (without(ASYNC, "alike-clients"), "descent"),
    "ages without a bound": (without(ASYNC, "bounded-staleness"), "descent"),
    "the lemma of another algorithm": (
        ASYNC.changed("descent", lemma=control_variates.STORED_DESCENT), "descent",
    ),
}  # fmt: skip


@each("error", thinned(ERRORS, len(ERRORS) // 3))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


def test_a_root_in_a_denominator_is_read_as_two_conditions() -> None:
    facts = [each.expr for each in conditions_of(ASYNC.theorem)]
    a = eta * L
    assert (facts[0] - (4 - 4 * a - 8 * (a * staleness) ** 2)).expand() == 0
    assert 2 - a in [each.expand() for each in facts]
    (condition,) = ASYNC.theorem.step_size
    assert isinstance(condition, Le)
    assert inner(g.mean, g.mean).coefficients
