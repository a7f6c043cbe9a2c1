"""Local steps of all participants: lemmas on random steps, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from sympy import Rational, sqrt

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.notation import (
    C,
    G,
    Gamma,
    L,
    eta,
    m,
    mu,
    offset,
    rho_bar,
    rho_tilde,
    sigma,
    sigma_g,
    sigma_i,
    sigma_mean,
    tau,
)
from boundkit.algebra.sums import ClientSum
from boundkit.proofs import averaged_models as steps
from boundkit.proofs import rounds as of_round
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import proofs_of
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying import PROOF as PUBLISHED
from boundkit.proofs.certificates.biased_selection_strongly_convex_decaying_sharp import PROOF as SHARP
from boundkit.proofs.certificates.biased_selection_strongly_convex_fixed import PROOF as PUBLISHED_FIXED
from boundkit.proofs.certificates.biased_selection_strongly_convex_fixed_sharp import PROOF as FIXED
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying import PROOF as ALL
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_one_step import PROOF as ONE
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import PROOF as REPLACED
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_uniform import PROOF as UNIFORM
from boundkit.proofs.checker import check
from boundkit.proofs.corollaries import check_proof
from boundkit.proofs.lemmas import DESCENT, GRADIENT_AND_LOSS, STRONG_CONVEXITY, Lemma
from boundkit.proofs.linear_form import Atom, LinearForm, data, square
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import round_of
from tests.proofs.changes import assuming, conditions, names_of, scaled, violations
from tests.proofs.rounds import RandomRound

SETTINGS = tuple(proof.theorem for proof in (ALL, UNIFORM, REPLACED, SHARP, FIXED, ONE))
OF_STEPS = [each for each in vars(steps).values() if isinstance(each, Lemma)] + [
    GRADIENT_AND_LOSS,
    STRONG_CONVEXITY,
]
OF_STEPS.remove(steps.STEP_SPREAD_SAMPLING)  # it is about all steps of a round together

WITH_Y = (steps.STEP_MEAN_GRADIENT,)


@cache
def random_step(seed: int, number: int) -> RandomRound:
    """A local step of a round on quadratics: the last, or of selected clients the last but one, too."""
    theorem, rng = SETTINGS[number], np.random.default_rng(seed)
    clients, dimension = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    count = int(rng.choice([1, 2, 3, 4, 32]))
    count = 1 if theorem.assumes("one-local-step") else count
    low = float(rng.choice([0.05, 0.5]))
    basis = np.linalg.qr(rng.normal(size=(clients, dimension, dimension)))[0]
    values = rng.choice([low, 1.0], size=(clients, 1, dimension))
    hessians, centres = (basis * values) @ np.swapaxes(basis, -1, -2), rng.normal(size=(clients, dimension))
    equal = theorem.assumes("equal-weights")
    p = np.full(clients, 1 / clients) if equal else rng.dirichlet(np.ones(clients))
    optimum = np.linalg.solve(
        np.einsum("k,kab->ab", p, hessians), np.einsum("k,kab,kb->a", p, hessians, centres)
    )

    def losses(x: np.ndarray) -> np.ndarray:
        away = x - centres
        return np.asarray(np.einsum("ka,kab,kb->k", away, hessians, away)) / 2

    def gradients(models: np.ndarray) -> np.ndarray:
        return np.asarray(np.einsum("kab,kb->ka", hessians, models - centres))

    chosen = int(rng.integers(1, clients + 1))
    selected = theorem.assumes("biased-selection")
    if selected:
        members = rng.choice(clients, size=chosen, replace=False)
        weights = np.isin(np.arange(clients), members) / chosen
    else:
        weights, chosen = p, clients if theorem.assumes("full-participation") else chosen
    inside = int(rng.integers(2)) if selected and not theorem.assumes("one-local-step") else 0
    least = max(8 / low, float(count + inside))
    rates = np.full(count, rng.choice([0.1, 0.25]))
    if theorem.assumes("decaying-step"):
        rates = 2 / (low * (least + np.arange(count)))
    start = optimum + rng.normal(size=dimension) * rng.choice([0.1, 3.0])
    models, largest = np.repeat(start[None], clients, axis=0), 0.0
    for rate in rates[:-1]:
        largest = max(largest, float(np.max(np.sum(gradients(models) ** 2, axis=1))))
        models = models - rate * gradients(models)
    e, own = float(rates[-1]), gradients(models)
    largest = max(largest, float(np.max(np.sum(own**2, axis=1))))
    w, walked, moved = weights @ models, models - start, models - e * own
    noises = rng.choice([0.0, 2.0]) * np.ones(clients)
    noise = float(np.sum(weights**2 * noises**2))
    after = weights @ moved
    dispersed = float(p @ np.sum((moved - p @ moved) ** 2, axis=1))
    sampled = dispersed / chosen
    if theorem.assumes("partial-participation"):
        sampled = dispersed * (clients - chosen) / (chosen * max(clients - 1, 1))
    everybody = gradients(np.repeat(w[None], clients, axis=0))
    spread = float(p @ np.sum((everybody - p @ everybody) ** 2, axis=1))
    excess = float(p @ losses(optimum))
    next_distance = float(np.sum((after - optimum) ** 2)) + e**2 * noise
    if theorem is ONE.theorem:
        next_distance = (
            float(np.sum((after - optimum) ** 2)) + e**2 * (spread + float(noises[0]) ** 2) / chosen
        )
    elif theorem.assumes("partial-participation") or theorem.assumes("sampling-with-replacement"):
        next_distance += sampled
    gap, start_gap = (float(p @ losses(x)) - excess for x in (w, start))
    atoms = {
        of_round.square_distance: float(np.sum((w - optimum) ** 2)),
        of_round.next_square_distance: next_distance,
        of_round.loss_gap: gap,
        steps.local_approach: float((w - optimum) @ (weights @ own)),
        steps.local_gradients: float(weights @ np.sum(own**2, axis=1)),
        steps.mean_gradient: float(np.sum((weights @ own) ** 2)),
        steps.deviation: float(weights @ np.sum((models - w) ** 2, axis=1)),
        steps.next_deviation: inside
        * (float(weights @ np.sum((moved - after) ** 2, axis=1)) + e**2 * (float(noises[0]) ** 2 - noise)),
        steps.unaveraged: inside * float(noises[0]) ** 2,
        steps.walk: float(weights @ np.sum(walked**2, axis=1)),
        steps.local_excess: float(weights @ np.diag([losses(each) for each in models])),
        steps.towards_mean: float(weights @ np.sum((weights @ walked - walked) * own, axis=1)),
        steps.mean_excess: float(weights @ losses(w)),
        steps.start_excess: float(weights @ losses(start)),
        steps.start_gap: start_gap,
        steps.replaced: sampled,
        data(G**2): largest + float(noises[0]) ** 2,
        data(Gamma): excess,
        data(sigma_mean**2): noise,
        data(sigma**2): float(noises[0]) ** 2,
        data(sigma_g**2): spread,
    }
    (gradient,) = square(of_round.g.mean).coefficients
    atoms[gradient] = float(np.sum((p @ everybody) ** 2))
    skews = [float(weights @ losses(x)) / (float(p @ losses(x)) + 1e-300) for x in (w, start)]
    quantities = {
        C: chosen / clients, L: 1.0, eta: e, m: clients, mu: low, offset: least, rho_bar: min(skews),
        rho_tilde: float(weights @ losses(optimum)) / (excess + 1e-300), tau: count + inside,
    }  # fmt: skip
    return RandomRound(quantities, atoms)


def violated(lemma: Lemma, by: Mapping[Atom, Any] = {}) -> int:
    """The number of random steps on which a conclusion, less shares of its summands, does not hold."""
    settings = [number for number, theorem in enumerate(SETTINGS) if not lemma.missing(theorem)]
    assert settings
    result = 0
    for number in settings:
        given = {"y": 1} if lemma in WITH_Y else {}
        right = lemma.conclude(round_of(SETTINGS[number]), **given)
        form = right.form - LinearForm({atom: share * right.form[atom] for atom, share in by.items()})
        rounds = (random_step(seed, number) for seed in range(20))
        result += violations(replace(right, form=form), rounds, zero=1e-20)
    return result


@pytest.mark.parametrize("lemma", OF_STEPS, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_random_steps(lemma: Lemma) -> None:
    assert violated(lemma) == 0


HALF = Rational(1, 2)
FALSE: Mapping[str, tuple[Lemma, Mapping[Atom, Any]]] = {
    "squared distance without the gradients": (steps.STEP_DISTANCE, {steps.local_gradients: 1}),
    "noise, half": (steps.STEP_DISTANCE, {data(sigma_mean**2): HALF}),
    "sampling by a fiftieth": (steps.STEP_SAMPLING, {data(G**2): Rational(49, 50)}),
    "approach at the mean by twice the excess": (steps.STEP_APPROACH_AT_MEAN, {steps.mean_excess: -1}),
    "squared distance without the mean gradient": (steps.STEP_DISTANCE_BY_MEAN, {steps.mean_gradient: 1}),
    "approach at the mean without the deviation": (steps.STEP_APPROACH_AT_MEAN, {steps.deviation: 1}),
    "approach at the mean without Gamma": (steps.STEP_APPROACH_AT_MEAN, {data(Gamma): 1}),
    "mean gradient, a quarter": (steps.STEP_MEAN_GRADIENT, {of_round.loss_gap: Rational(3, 4)}),
    "noise by no gradients": (steps.STEP_DISTANCE_BY_GRADIENTS, {data(G**2): 1}),
    "approach by twice the excess at the local models": (steps.STEP_APPROACH, {steps.local_excess: -1}),
    "approach without the way to the mean": (steps.STEP_APPROACH, {steps.towards_mean: 1}),
    "approach without Gamma": (steps.STEP_APPROACH, {data(Gamma): 1}),
    "gradients by half the losses": (steps.STEP_LOCAL_GRADIENTS, {steps.local_excess: HALF}),
    "half of the largest gradients": (steps.STEP_LARGEST_GRADIENTS, {data(G**2): HALF}),
    "smoothness with L/4": (steps.STEP_EXCESS_AT_MEAN, {steps.deviation: HALF}),
    "smoothness without the way to the mean": (steps.STEP_EXCESS_AT_MEAN, {steps.towards_mean: 1}),
    "next deviation without the way to the mean": (steps.STEP_NEXT_DEVIATION, {steps.towards_mean: 1}),
    "next deviation with a quarter of the noise": (
        steps.STEP_NEXT_DEVIATION, {steps.unaveraged: Rational(3, 4)},
    ),
    "next deviation without the gradients": (steps.STEP_NEXT_DEVIATION, {steps.local_gradients: 1}),
    "half of the gradients for their mean": (steps.STEP_JENSEN, {steps.local_gradients: HALF}),
    "approach with 4 times the deviation": (steps.STEP_APPROACH, {steps.deviation: -3}),
    "a tenth of the way from the start": (steps.STEP_EXCESS_AT_START, {data(G**2): Rational(9, 10)}),
    "the gap at the start alone": (steps.START_GAP, {data(G**2): 1, steps.walk: 1}),
    "the gap at the start with 4 mu": (steps.START_GAP, {of_round.square_distance: -3}),
    "excess of all without Gamma": (steps.ALL_EXCESS, {data(Gamma): 1}),
    "twice the skew": (steps.SELECTED_EXCESS, {of_round.loss_gap: -1, data(Gamma): -1}),
    "twice the skew at the start": (steps.SELECTED_EXCESS_AT_START, {steps.start_gap: -1, data(Gamma): -1}),
    "convexity at the start with 4 mu": (steps.START_CONVEXITY, {of_round.square_distance: -3}),
    "half of the deviation": (steps.STEP_DEVIATION, {steps.walk: HALF}),
    "a fiftieth of the walk": (steps.STEP_WALK, {data(G**2): Rational(49, 50)}),
    "a fiftieth of the walk by the first step": (steps.STEP_WALK_BY_FIRST, {data(G**2): Rational(49, 50)}),
    "sampled noise, half": (steps.SAMPLED_STEP_DISTANCE, {data(sigma**2): HALF}),
    "sampled clients, half": (steps.SAMPLED_STEP_DISTANCE, {data(sigma_g**2): HALF}),
    "convexity with twice mu": (steps.SAMPLED_STEP_APPROACH, {of_round.square_distance: -1}),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_lemma_fails_on_random_steps(name: str) -> None:
    assert violated(*FALSE[name]) > 0


def test_steps_that_fall_sum_up_as_the_rule_says() -> None:
    """X+ = (1 - c B/s) X + (c B - 1) a/s^2 + (c B/s) b stays below b + (a + offset X_0)/s."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        rate, a, b, x, s = rng.uniform(1.01, 4), *rng.uniform(0, 5, size=3), rng.uniform(4, 9)
        first, start = x, s
        for _ in range(100):
            x, s = (1 - rate / s) * x + (rate - 1) * a / s**2 + rate / s * b, s + 1
            assert x <= (b + (a + start * first) / s) * (1 + 1e-12)


@pytest.mark.parametrize(("share", "holds"), [(1.0, True), (0.6, False)])
def test_the_variance_of_sampled_models_is_spread_over_a_round(share: float, holds: bool) -> None:
    """X+ = (1 - B e mu) X, with the square of the round's steps added at its end, for all B <= 2."""
    rng, above = np.random.default_rng(0), 0
    for _ in range(300):
        offset, B = float(rng.choice([8.0, 9.5, 40.0, 300.0])), float(rng.choice([0.5, 1.5, 2.0]))
        tau = int(rng.integers(1, int(offset) + 2)) if rng.random() < 0.5 else int(offset) + 1
        exact = spread = 0.0
        for first in offset + tau * np.arange(5):
            sizes = 2 / (first + np.arange(tau))
            for size in sizes:
                exact = (1 - B * size) * exact
                spread = (1 - B * size) * spread + share * float(steps.SPREAD) * size**2 * tau
            exact += sizes.sum() ** 2
            above += exact > spread * (1 + 1e-12)
    assert bool(above) is not holds


CONSTANTS: tuple[tuple[Certificate, Mapping[str, float]], ...] = (
    (ALL, {"stochastic noise": 0.49, "client drift": 0.05}),
    (REPLACED, {"partial participation": 0.2}),
    (ONE, {"stochastic noise": 0.99, "partial participation": 0.99}),
    (FIXED, {"stochastic noise": 0.99, "client drift": 0.99, "selection bias": 0.99}),
    (SHARP, {"stochastic noise": 0.99, "client drift": 0.99, "selection bias": 0.99}),
)


@pytest.mark.parametrize("number", range(len(CONSTANTS)))
def test_smaller_constants_are_refused(number: int) -> None:
    proof, factors = CONSTANTS[number]
    result = check(scaled(proof, factors))
    assert names_of(result) == [END]
    assert len(result.failed[0].failed) == len(factors)
    if proof is ONE:
        assert names_of(check(scaled(proof, {"initial gap": 0.99}))) == [END]


def test_all_clients_need_no_heterogeneity() -> None:
    """Gamma leaves the proof, and half of the loss gap adds to the contraction."""
    terms = [each for each in ALL.theorem.terms if each.label != "heterogeneity"]
    without = replace(ALL.theorem, terms=tuple(terms), reductions=(), limits=())
    assert check(scaled(ALL.of(without), {"stochastic noise": 0.5, "client drift": 0.06})).proved


@pytest.mark.parametrize(
    ("proof", "label"), [(FIXED, "heterogeneity"), (FIXED, "client drift"), (SHARP, "stochastic noise")]
)
def test_constants_of_selection_are_at_the_limit(proof: Certificate, label: str) -> None:
    assert check(proof).proved
    assert names_of(check(scaled(proof, {label: 0.99}))) == [END]


def test_any_selection_rule_has_the_published_bounds() -> None:
    """The comparison at the start of the round costs less than the published drift has to spare."""
    for proof in (PUBLISHED_FIXED, PUBLISHED, SHARP):
        assert not proof.theorem.assumes("deterministic-selection")
        assert check_proof(proof).proved
    sharper = {"client drift": 0.032, "heterogeneity": 0.5}
    assert check(scaled(PUBLISHED_FIXED, sharper)).proved
    for label, factor in (("initial gap", 0.99), ("stochastic noise", 0.99), ("client drift", 0.03)):
        assert names_of(check(scaled(PUBLISHED_FIXED, {label: factor}))) == [END], label
    for value in (5 * L / mu, 3 * L / mu):
        assert not check_proof(replace(PUBLISHED, values={offset: value})).proved


def test_proofs_with_other_numbers() -> None:
    fedavg = "fedavg_strongly_convex_decaying"
    for name in (fedavg, f"{fedavg}_replacement", "biased_selection_strongly_convex_fixed"):
        first, *others = proofs_of(name)
        assert others
        for each in others:
            assert each.theorem == first.theorem
            assert check_proof(each).proved


def test_what_a_proof_rests_on_is_needed() -> None:
    assert names_of(check(ALL.without("deviation")))[-1] == END
    other = replace(ALL.theorem, definitions={sigma_mean: sqrt(ClientSum(sigma_i**2))})
    assert names_of(check(ALL.of(other))) == ["squared distance"]
    with pytest.raises(BoundkitError, match="assumes clientwise-noise"):
        check(ALL.of(assuming(ALL.theorem, but="decaying-step")))
    free = [each for each in ALL.theorem.step_size if tau not in each.free_symbols]
    assert not check(conditions(ALL, *free)).proved
    random = assuming(FIXED.theorem, but="deterministic-selection")
    assert steps.SELECTED_EXCESS.missing(random)
    assert names_of(check(replace(ONE, contraction=eta * mu * (1 + eta * mu)))) == [END]
    assert names_of(check(replace(ONE, contraction=eta * mu / 2))) == [END]


def test_steps_are_no_rounds() -> None:
    assert DESCENT.missing(ALL.theorem)
    for added in (vocabulary.PARTIAL_PARTICIPATION, vocabulary.ONE_LOCAL_STEP):
        with pytest.raises(BoundkitError, match="in one way"):
            round_of(assuming(ALL.theorem, added))
    with pytest.raises(BoundkitError, match="assumes no-noise"):
        round_of(assuming(ALL.theorem, vocabulary.NO_NOISE))
