"""The virtual average: lemmas on random rounds, certificates, rounds that differ, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sympy import Rational

from boundkit.algebra import Theorem
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import (
    L,
    T,
    distance,
    eta,
    gap,
    m,
    sigma,
    sigma_g,
    tau,
    tau_eff,
    tau_felt,
    tau_max,
)
from boundkit.proofs import rounds as of_round
from boundkit.proofs import virtual_average as virtual
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.adacomm_nonconvex import PROOF as VARYING
from boundkit.proofs.certificates.fedavg_convex_sharp import PROOF as CONVEX
from boundkit.proofs.certificates.fednova_nonconvex_varying import PROOF as NOVA
from boundkit.proofs.certificates.local_sgd_nonconvex import PROOF as ALIKE
from boundkit.proofs.checker import check
from boundkit.proofs.corollaries import VaryingRounds, check_derivation
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, inner, square
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import round_of
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
from tests.proofs.rounds import RandomRound, gram_values

HALF = Rational(1, 2)


@cache
def virtual_round(seed: int, convex: bool) -> RandomRound:
    """A round of local SGD on quadratics, in exact moments.

    With Hessians that differ the clients' gradients differ without bound, and sigma_g is 10^4.
    """
    rng = np.random.default_rng(seed)
    clients, dimension, steps = int(rng.integers(1, 5)), int(rng.integers(1, 3)), int(rng.integers(1, 8))
    smooth, noise = float(rng.choice([0.5, 2.0])), float(rng.choice([0.0, 0.3, 2.0]))
    differ = convex and seed % 2 == 0
    curvatures = rng.uniform(0.05 if convex else -1.0, 1.0, size=(clients if differ else 1, dimension))
    curvatures[0, 0] = 1.0
    curvatures = np.broadcast_to(curvatures * smooth, (clients, dimension))
    step = float(rng.choice([0.1, 0.95])) / (smooth * (1 if convex else steps))
    centres = rng.normal(size=(clients, dimension)) * (float(rng.choice([0.0, 2.0])) if convex else 0.0)
    average = curvatures.mean(axis=0)
    optimum = (curvatures * centres).mean(axis=0) / average
    x = optimum + rng.normal(size=dimension) * float(rng.choice([0.0, 2.0]))
    models, variances = np.tile(x, (clients, 1)), np.zeros((clients, dimension))
    totals: dict[Any, float] = {}

    def square_of(mean: np.ndarray, variance: np.ndarray) -> float:
        return float(np.sum(mean**2 + variance)) / max(1, mean.size // dimension)

    def loss(y: np.ndarray, variance: np.ndarray) -> float:
        return float(average @ ((y - optimum) ** 2 + variance)) / 2

    def add(values: dict[Any, float]) -> None:
        for atom, value in values.items():
            totals[atom] = totals.get(atom, 0.0) + value / steps

    for _ in range(steps):
        y, of_mean = models.mean(axis=0), variances.sum(axis=0) / clients**2
        gradients = curvatures * (models - centres)
        mean, gradient = gradients.mean(axis=0), average * (y - optimum)
        of_gradient = (curvatures**2 * variances).sum(axis=0) / clients**2
        together = (curvatures * variances).sum(axis=0) / clients**2  # of the mean gradient with y
        around = square_of(models - y, variances - 2 * variances / clients + of_mean)
        errors = average**2 * of_mean - 2 * average * curvatures * variances / clients
        errors = errors + curvatures**2 * variances
        mean_error = average**2 * of_mean - 2 * average * together + of_gradient
        add(gram_values(virtual.Q, virtual.Q, square_of(gradient, average**2 * of_mean)))
        add(gram_values(virtual.V, virtual.V, square_of(gradient - gradients, errors)))
        add(gram_values(virtual.V.mean, virtual.V.mean, square_of(gradient - mean, mean_error)))
        product = gradient @ (gradient - mean) + np.sum(average**2 * of_mean - average * together)
        add(gram_values(virtual.Q, virtual.V.mean, float(product)))
        ahead = mean @ (y - optimum) + np.sum(together)
        models = models - step * gradients
        variances = (1 - step * curvatures) ** 2 * variances + step**2 * noise**2 / dimension
        add({
            virtual.virtual_loss_gap: loss(models.mean(axis=0), variances.sum(axis=0) / clients**2),
            virtual.spread: around,
            virtual.approach: float(ahead),
        })  # fmt: skip
    end, of_end = models.mean(axis=0), variances.sum(axis=0) / clients**2
    totals |= {
        of_round.decrease: loss(x, 0 * of_end) - loss(end, of_end),
        of_round.square_distance: square_of(x - optimum, 0 * of_end),
        of_round.next_square_distance: square_of(end - optimum, of_end),
        data(sigma**2): noise**2,
        data(sigma_g**2): 1e8 if differ else float(
            np.max(np.sum((curvatures * (centres - optimum)) ** 2, axis=1))
        ),
        data(gap): 0.0,
        data(distance**2): square_of(x - optimum, 0 * of_end),
    }  # fmt: skip
    return RandomRound({L: smooth, T: 1, eta: step, m: clients, tau: steps}, totals)


def violated(conclude: Callable[..., Conclusion], theorem: Theorem, **arguments: Any) -> int:
    rounds = (virtual_round(seed, theorem.assumes("convex")) for seed in range(24))
    return violations(conclude(round_of(theorem), **arguments), rounds, zero=1e-15)


USED = {
    step.lemma.name: (proof.theorem, dict(step.arguments))
    for proof in (ALIKE, CONVEX)
    for step in proof.steps
    if proof is CONVEX or not step.lemma.over_rounds
}
"""Lemmas with a theorem and arguments; those over rounds hold for one round, where the loss is convex."""


@each("name", USED)
def test_a_lemma_holds_on_random_rounds(name: str) -> None:
    setting, arguments = USED[name]
    assert violated(LEMMAS[name].conclude, setting, **arguments) == 0


S, C = eta * tau, virtual.local_gradient
FALSE = {
    "descent with an eighth of the squared step": (
        virtual.VIRTUAL_DESCENT,
        Rational(7, 8) * S * eta * L / 2 * (square(C.mean) + LinearForm({data(sigma**2): 1 / m})),
    ),
    "descent without the averaging of noise": (
        virtual.VIRTUAL_DESCENT, LinearForm({data(sigma**2): S * eta * L / 2 * (1 / m - 1 / m**2)}),
    ),
    "noise of homogeneous clients, a quarter": (
        virtual.ALIKE_SPREAD, LinearForm({data(sigma**2): Rational(3, 4) * (eta * L) ** 2 * (tau - 1)}),
    ),
    "three points without the spread": (virtual.VIRTUAL_THREE_POINTS, LinearForm({virtual.spread: L / 2})),
    "three points by twice the cocoercivity": (
        virtual.VIRTUAL_THREE_POINTS, 1 / (2 * L) * square(C.mean),
    ),
    "three points without the ends": (
        virtual.VIRTUAL_THREE_POINTS, LinearForm({of_round.decrease: -1 / tau}),
    ),
    "approach without noise": (virtual.VIRTUAL_APPROACH, LinearForm({data(sigma**2): eta / (2 * m)})),
    "approach without the move": (virtual.VIRTUAL_APPROACH, eta / 2 * square(C.mean)),
    "telescoping the distance to half": (
        virtual.TELESCOPING_DISTANCE_AND_LOSS, LinearForm({data(distance**2): HALF / T}),
    ),
    "telescoping twice the decrease": (
        virtual.TELESCOPING_DISTANCE_AND_LOSS, LinearForm({of_round.decrease: -2 / L}),
    ),
    "distance of clients, dissimilarity by 1/50": (
        virtual.CONVEX_SPREAD,
        LinearForm({data(sigma_g**2): Rational(7203, 32_000) * (tau - 1) * (2 * tau - 1) * eta**2}),
    ),
    "distance of clients, noise by 1/5": (
        virtual.CONVEX_SPREAD, LinearForm({data(sigma**2): Rational(42, 55) * (tau - 1) * eta**2}),
    ),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_random_rounds(name: str) -> None:
    lemma, by = FALSE[name]
    setting, arguments = USED[lemma.name]
    assert violated(less(lemma, by), setting, **arguments) > 0


LIMITS = {
    ALIKE: {"initial gap": 1.0, "stochastic noise": 1.0, "noise drift": 1.0},
    CONVEX: {"initial gap": 1.0, "stochastic noise": 1.0},
}
"""Shares of the theorem's constants that its certificate reaches."""


@each("proof", LIMITS, ids=lambda proof: proof.theorem.name)
def test_constants_below_their_limits_are_refused(proof: Certificate) -> None:
    assert check(proof).proved
    result = check(scaled(proof, 0.99))
    assert names_of(result) == [END]
    assert all(label in refused_constants(result) for label in LIMITS[proof])


ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(ALIKE),
    **left_out(CONVEX),
    "a step twice as long": (
        conditions(ALIKE, at_most(eta, 2 / (L * tau))), START,
    ),
    "clients that differ": (without(ALIKE, "alike-clients"), "descent"),
    "half of the spread": (ALIKE.changed("spread of the clients", weight=HALF), END),
    "steps twice as long": (conditions(CONVEX, at_most(eta, 2 / L)), START),
    "Young without a rest": (
        CONVEX.changed("distance of the clients", {"a": Rational(9, 10)}), "distance of the clients",
    ),
    "more of the loss at the end": (CONVEX.changed("telescoping", {"part": 1 + eta * L}), "telescoping"),
    "without convexity": (without(CONVEX, "convex"), "three points"),
    "without a bound at local models": (without(CONVEX, "uniform-dissimilarity"), "distance of the clients"),
}  # fmt: skip


@each("error", thinned(ERRORS, len(ERRORS) // 3))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


def refused(proof: VaryingRounds, **changes: Any) -> str:
    """What is refused of rounds that differ, with another statement."""
    theorem = replace(proof.theorem, **changes)
    steps = check_derivation(replace(proof, theorem=theorem))
    return "; ".join(each.text for step in steps for each in step.failed)


def test_means_over_rounds_that_differ_follow() -> None:
    assert refused(VARYING) == refused(NOVA) == ""
    own = VARYING.theorem
    definitions = {**own.definitions, tau_felt: own.definitions[tau_max]}
    assert "noise drift: its mean over the rounds" in refused(VARYING, definitions=definitions)
    steps = (at_most(eta, 1 / (L * tau_felt)),)
    assert "in every round" in refused(VARYING, step_size=steps)
    terms = tuple(replace(each, expr=each.expr / 2) for each in own.terms)
    assert "initial gap: its mean over the rounds" in refused(VARYING, terms=terms)
    assert "the claim is" in refused(VARYING, claim=NOVA.theorem.claim)
    assert "the algorithm is" in refused(VARYING, algorithm="fedavg")
    assert "the local solvers are the same" in refused(NOVA, solvers={})


def test_a_weight_that_depends_on_the_round_does_not_telescope() -> None:
    left = 1 - eta * L * tau_eff / 4
    base = NOVA.base
    assert isinstance(base, Certificate)
    own = base.step("descent").weight
    assert own is not None
    changed = base.changed("descent", weight=own / left)
    steps = check_derivation(replace(NOVA, base=changed))
    assert [each.text for step in steps for each in step.failed] == [
        "the loss decreases at a constant weight over the length"
    ]


def test_a_mean_over_other_weights_is_refused() -> None:
    form = inner(virtual.Q, virtual.V)
    assert form[next(iter(form.coefficients))] == 1
    steps = check_derivation(replace(NOVA, length=tau))
    assert any(each.failed for each in steps)
