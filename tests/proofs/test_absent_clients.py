"""FedAWE: lemmas on whole runs in expectation over availability and noise, certificates, what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from sympy import Rational, sqrt

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import L, T, availability, beta, eta, eta_s, kappa, m, mixing, sigma, tau
from boundkit.proofs.absent_clients import (
    AGES,
    AUXILIARY_DESCENT,
    AUXILIARY_DISSIMILARITY,
    AUXILIARY_GRADIENT,
    MISSED_GRADIENTS,
    MIXING,
    MODEL_OFFSETS,
    OWN_AUXILIARY,
    OWN_BIAS,
    OWN_GRADIENTS,
    apart,
    auxiliary,
    auxiliary_change,
    model_offset,
    own_bias,
    own_change,
    own_direction,
    own_gradient,
    sequence_gradient,
)
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedawe_consensus import PROOF as CONSENSUS
from boundkit.proofs.certificates.fedawe_nonconvex import PROOF as PUBLISHED
from boundkit.proofs.certificates.fedawe_nonconvex import VARIANTS
from boundkit.proofs.certificates.fedawe_nonconvex_auxiliary import PROOF as AUXILIARY
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import PROOF, root
from boundkit.proofs.checker import check
from boundkit.proofs.domain import ChartDomain
from boundkit.proofs.lemmas import DESCENT, LOCAL_BIAS, Lemma
from boundkit.proofs.linear_form import Atom, LinearForm, Vector, data, square
from boundkit.proofs.named_letters import named
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import decrease, g, round_of
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
)
from tests.proofs.rounds import RandomRound, gram_values

Affine = tuple[np.ndarray, np.ndarray]
"""A vector of every client as M x + o of the stored models x, (patterns, m, m) and (patterns, m)."""


@cache
def run(seed: int) -> RandomRound:
    """Means over a run from one model, over all availabilities, with exact moments of the noise.

    On quadratics in one dimension, of which a pattern of availability gives mean and covariance of the stored
    models: a direction is affine in the model, with noise of a constant variance.
    """
    rng = np.random.default_rng(seed)
    clients, rounds = (2, 5) if seed % 3 else (3, 3)
    smooth, steps = float(rng.choice([0.5, 2.0])), int(rng.choice([1, 2, 5]))
    noise = float(rng.choice([0.0, 0.3, 1.0, 5.0]))
    step = float(rng.choice([0.2, 1.0])) / (8 * smooth * steps)
    server = float(rng.choice([0.05, 0.2, 1.0])) / (2 * smooth * steps * step)
    length = server * step * steps
    curvature = smooth * rng.choice([-1.0, -0.5, 0.5, 1.0], size=clients)
    if seed % 2:
        curvature = np.full(clients, smooth * float(rng.choice([-1.0, 1.0])))
    centre = rng.normal(size=clients) * float(rng.choice([0.0, 1.0]))
    least = float(rng.choice([0.2, 0.5, 0.9, 1.0]))
    often = least + (1 - least) * rng.random((rounds, clients)) * float(rng.choice([0.0, 1.0]))
    shrink = (1 - step * curvature) ** np.arange(steps)[:, None]
    mean_shrink, spread = shrink.mean(axis=0), noise**2 * (shrink**2).sum(axis=0) / steps**2
    present = np.array(list(product((True, False), repeat=clients * rounds))).reshape(-1, rounds, clients)
    weights = np.where(present, often, 1 - often).prod(axis=(1, 2))
    own = np.eye(clients)[None]
    mean = np.full((len(present), clients), float(rng.normal()) * float(rng.choice([0.0, 3.0])))
    spreads = np.zeros((len(present), clients, clients))
    ages = np.zeros((len(present), clients))
    found = []
    for t in range(rounds):
        now = present[:, t]
        models: Affine = (np.broadcast_to(own, spreads.shape), np.zeros_like(mean))
        gradients = _times(curvature, _less(_mean(models), centre))
        own_gradients = _times(curvature, _less(models, centre))
        directions = _times(mean_shrink, own_gradients)
        missed = _times(length * ages, directions)
        moved_on = _minus(models, missed)
        at_auxiliary = _times(curvature, _less(_mean(moved_on), centre))
        sequence = _minus(models, _times(length * ages, own_gradients))
        vectors = {
            g: gradients,
            own_change: _minus(gradients, own_gradients),
            own_bias: _minus(own_gradients, directions),
            model_offset: _minus(models, _mean(moved_on)),
            auxiliary: at_auxiliary,
            auxiliary_change: _minus(at_auxiliary, own_gradients),
            sequence_gradient: _mean(_times(curvature, _less(_mean(sequence), centre))),
        }  # fmt: skip
        values = _gram(vectors, mean, spreads, weights)
        loss = _loss(_mean(moved_on), mean, spreads, curvature, centre) @ weights
        average = np.where(now[:, :, None] & now[:, None, :], 1.0, 0.0)
        average = average / np.maximum(now.sum(axis=1), 1)[:, None, None]
        average = average + own * ~now[:, :, None]
        echo = now * (ages + 1) * length
        moved = _minus(models, _times(echo, directions))
        change, shift = average @ moved[0], np.einsum("pij,pj->pi", average, moved[1])
        drawn = average @ (own * (echo**2 * spread)[:, :, None]) @ average.transpose(0, 2, 1)
        mean = np.einsum("pij,pj->pi", change, mean) + shift
        spreads = change @ spreads @ change.transpose(0, 2, 1) + drawn
        ages = np.where(now, 0.0, ages + 1)
        later = (np.broadcast_to(own, spreads.shape), np.zeros_like(mean))
        later = _minus(later, _times(length * ages, _times(mean_shrink * curvature, _less(later, centre))))
        found.append(
            {
                **values,
                decrease: float(loss - _loss(_mean(later), mean, spreads, curvature, centre) @ weights),
            }
        )
    atoms = {atom: float(np.mean([values[atom] for values in found])) for atom in found[0]}
    atoms[data(sigma**2)] = noise**2
    of_mean, of_each = (next(iter(square(u).coefficients)) for u in (auxiliary.mean, auxiliary))
    atoms[data(kappa**2)] = max(values[of_each] - values[of_mean] for values in found)
    rate = max(_second_eigenvalue(row) for row in often)
    quantities = {
        m: clients, T: rounds, tau: steps, eta: step, eta_s: server, L: smooth, availability: least,
        mixing: rate, root: rate**0.5, beta: 1.0,
    }  # fmt: skip
    return RandomRound(quantities, atoms)


def _second_eigenvalue(often: np.ndarray) -> float:
    """The second eigenvalue of the mean of the matrices that average the participants."""
    total = np.zeros((len(often), len(often)))
    for now in product((True, False), repeat=len(often)):
        there = np.array(now)
        weight = np.where(there, often, 1 - often).prod()
        total += weight * (np.outer(there, there) / max(there.sum(), 1) + np.diag(~there))
    return max(0.0, float(np.linalg.eigvalsh(total)[-2]) - 1e-15)  # of two clients it is at its limit


def _times(factor: np.ndarray, vector: Affine) -> Affine:
    factor = np.broadcast_to(factor, vector[1].shape)
    return factor[:, :, None] * vector[0], factor * vector[1]


def _minus(one: Affine, other: Affine) -> Affine:
    return one[0] - other[0], one[1] - other[1]


def _less(vector: Affine, offset: np.ndarray) -> Affine:
    return vector[0], vector[1] - offset


def _mean(vector: Affine) -> Affine:
    """The mean over clients, for every client."""
    return tuple(np.broadcast_to(each.mean(axis=1, keepdims=True), each.shape) for each in vector)  # type: ignore[return-value]


def _product(one: Affine, other: Affine, mean: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """The expectation of the mean over clients of a product, for every pattern."""
    first, second = (np.einsum("pij,pj->pi", each[0], mean) + each[1] for each in (one, other))
    both = np.einsum("pij,pjk,pik->pi", one[0], spreads, other[0])
    return np.asarray((first * second + both).mean(axis=1))


def _gram(
    vectors: dict[Vector, Affine], mean: np.ndarray, spreads: np.ndarray, weights: np.ndarray
) -> dict[Atom, float]:
    result: dict[Atom, float] = {}
    both = list(vectors.items())
    for place, (u, one) in enumerate(both):
        for v, other in both[place:]:
            result |= gram_values(u, v, float(_product(one, other, mean, spreads) @ weights))
            of_means = _product(_mean(one), _mean(other), mean, spreads)
            result |= gram_values(u.mean, v.mean, float(of_means @ weights))
    return result


def _loss(
    at: Affine, mean: np.ndarray, spreads: np.ndarray, curvature: np.ndarray, centre: np.ndarray
) -> np.ndarray:
    """The expected mean loss, for every pattern."""
    away = _less(at, centre)
    return _product(away, _times(curvature, away), mean, spreads) / 2


LEMMAS = (
    AUXILIARY_DESCENT, AUXILIARY_GRADIENT, MISSED_GRADIENTS, MODEL_OFFSETS, OWN_GRADIENTS, OWN_AUXILIARY,
    AUXILIARY_DISSIMILARITY, OWN_BIAS, MIXING,
)  # fmt: skip
PROOFS = (PROOF, PUBLISHED, AUXILIARY, CONSENSUS)


def violated(lemma: Lemma, by: LinearForm | None = None) -> int:
    """The number of runs on which the lemma, or one that is smaller by a form, does not hold."""
    own = next(each for proof in PROOFS for each in proof.steps if each.lemma is lemma)
    conclude = lemma.conclude if by is None else less(lemma, by)
    return violations(
        conclude(round_of(PROOF.theorem), **own.arguments), [run(seed) for seed in range(30)], zero=1e-20
    )


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_runs(lemma: Lemma) -> None:
    assert violated(lemma) == 0


s_ = round_of(PROOF.theorem).length
NOISE = LinearForm({data(sigma**2): Rational(8, 7) / tau})
RETURNS = (2 - availability) / availability
FALSE = {
    "descent without the squared direction": (AUXILIARY_DESCENT, L * s_**2 / 2 * square(own_direction.mean)),
    "descent without noise": (AUXILIARY_DESCENT, L * s_**2 / 2 * RETURNS / m * NOISE),
    "noise divided by the square of the clients": (
        AUXILIARY_DESCENT, L * s_**2 / 2 * RETURNS * (1 / m - 1 / m**2) * NOISE,
    ),
    "gradient at the auxiliary model": (AUXILIARY_GRADIENT, L**2 / 100 * square(model_offset.mean)),
    "no missed gradients": (MISSED_GRADIENTS, (s_ * L) ** 2 * AGES * square(own_gradient)),
    "offsets without directions": (MODEL_OFFSETS, s_**2 * (root / (1 - root)) ** 2 * square(own_direction)),
    "offsets of different directions alone": (
        MODEL_OFFSETS, s_**2 * (root / (1 - root)) ** 2 * square(own_direction.mean),
    ),
    "offsets without noise": (MODEL_OFFSETS, s_**2 * AGES / (m * (1 - root)) * NOISE),
    "gradients at the stored models": (OWN_GRADIENTS, L**2 / 100 * square(apart)),
    "gradients at the auxiliary models": (OWN_AUXILIARY, L**2 / 100 * square(model_offset)),
    "no dissimilarity": (AUXILIARY_DISSIMILARITY, LinearForm({data(kappa**2): 1})),
    "clients that mix sooner": (MIXING, LinearForm({data(sigma**2): availability * (1 - availability) / 10})),
    "no bias": (OWN_BIAS, (eta * L * (tau - 1)) ** 2 * Rational(5, 16) * square(own_gradient)),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_runs(name: str) -> None:
    lemma, by = FALSE[name]
    assert violated(lemma, by) > 0


def test_constants_below_their_limits_are_refused() -> None:
    for label in PROOF.theorem.bound.terms:
        assert names_of(check(scaled(PROOF, {label: 0.95}))) == [END], label


@pytest.mark.parametrize(("power", "proved"), [(1, True), pytest.param(2, False, marks=pytest.mark.slow)])
def test_mixing_leaves_one_factor_of_the_divisor_of_the_dissimilarity(power: int, proved: bool) -> None:
    statement, label = PUBLISHED.theorem, "stale-model dissimilarity"
    terms = tuple(
        replace(term, expr=term.expr * (1 - sqrt(mixing)) ** power) if term.label == label else term
        for term in statement.terms
    )
    own = VARIANTS[0].of(replace(statement, terms=terms, reductions=(), limits=()))
    assert check(own).proved is proved


LOCAL, SERVER, SPREAD = PROOF.theorem.step_size
ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(PROOF),
    "steps that ignore absent clients": (conditions(PROOF, LOCAL, SERVER), START),
    "local steps that are too long": (
        conditions(PROOF, at_most(eta, 1 / (2 * L * tau)), SERVER, SPREAD),
        START,
    ),
    "a root that is too small": (PROOF.changed("offsets", {"r": mixing}), "offsets"),
    "offsets that weigh less": (PROOF.changed("offsets", weight=3 * L**2), END),
}


@each("error", thinned(ERRORS, len(ERRORS) // 3))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


def test_lemmas_on_other_rounds_are_refused() -> None:
    assert DESCENT.missing(PROOF.theorem)
    assert LOCAL_BIAS.missing(PROOF.theorem)
    for wrong in (
        assuming(PROOF.theorem, vocabulary.BOUNDED_ABSENCE),
        assuming(PROOF.theorem, but="changing-availability"),
        assuming(PROOF.theorem, vocabulary.SERVER_STEP_ONE),
    ):
        with pytest.raises(BoundkitError, match="no lemma is about"):
            round_of(wrong)


def test_even_powers_that_may_be_0_are_bounded_by_their_largest_value() -> None:
    chart = PUBLISHED.charts[0]
    domain = ChartDomain(named(PUBLISHED.theorem, PUBLISHED.names), chart)
    half = domain.element(Rational(1, 2) - root)
    for part in (
        half,
        2 * half,
        domain.element(Rational(9, 10) - root),
        domain.element(root - Rational(1, 4)),
    ):
        least = domain.finite_part(1 / part**2)
        assert domain.may_vanish(1 / part**2) is not None
        assert domain.may_vanish(least) is None
        tight = 0
        for r in (Rational(k, 100) for k in range(100)):
            value = part.as_expr().subs(root, r)
            assert value == 0 or least.as_expr() <= 1 / value**2
            tight += bool(value != 0 and least.as_expr() >= Rational(97, 100) / value**2)
        assert tight
    for other in (-1 / half**2, 1 / half, 1 / half**3, 1 / (half * domain.element(L) - 1) ** 2):
        assert domain.finite_part(other) == other
