"""Clients available at random: lemmas on random rounds, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem, vocabulary
from boundkit.algebra.notation import absence, availability, m, omega_i, pull, q_i, share_noise, sigma, w_i
from boundkit.algebra.sums import ClientMax, ClientSum
from boundkit.proofs.certificates.fedau_nonconvex import PROOF as WEIGHTED
from boundkit.proofs.certificates.fedavg_nonconvex_all import PROOF as ALL
from boundkit.proofs.certificates.fedavg_nonconvex_known_availability import PROOF as KNOWN
from boundkit.proofs.checker import check
from boundkit.proofs.lemmas import BETA_KAPPA, DESCENT, LOCAL_BIAS, Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, square
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import a, decrease, g, round_of
from boundkit.proofs.weighted_sampling import (
    SAMPLED_LOCAL_VARIANCE,
    SAMPLED_NOISE,
    SURROGATE_DISSIMILARITY,
    UNBIASED_SAMPLING,
    sampled_variance,
)
from tests.proofs.changes import assuming, defined, names_of, scaled, violations
from tests.proofs.rounds import RandomRound, random_round

PROOFS = (WEIGHTED, ALL, KNOWN)
LEMMAS = (
    BETA_KAPPA, DESCENT, LOCAL_BIAS, SAMPLED_LOCAL_VARIANCE, SAMPLED_NOISE, SURROGATE_DISSIMILARITY,
    UNBIASED_SAMPLING,
)  # fmt: skip
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    SAMPLED_LOCAL_VARIANCE.name: {"h": Rational(1, 8)},
    LOCAL_BIAS.name: WEIGHTED.step("error of a client").arguments,
}


@cache
def rounds(number: int) -> list[RandomRound]:
    return [random_round(seed, PROOFS[number].theorem) for seed in range(16)]


def violated(
    lemma: Lemma, change: Callable[[LinearForm], LinearForm] = lambda form: form, only: int | None = None
) -> int:
    """The number of random rounds on which a changed conclusion does not hold."""
    result = 0
    for number, proof in enumerate(PROOFS):
        if not lemma.missing(proof.theorem) and only in (None, number):
            form = lemma.conclude(round_of(proof.theorem), **ARGUMENTS.get(lemma.name, {})).form
            result += violations(Conclusion(change(form)), rounds(number))
    return result


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_random_rounds(lemma: Lemma) -> None:
    assert any(not lemma.missing(proof.theorem) for proof in PROOFS)
    assert violated(lemma) == 0


def half(atom: Any) -> Callable[[LinearForm], LinearForm]:
    def change(form: LinearForm) -> LinearForm:
        return form - LinearForm({atom: form[atom] / 2})

    return change


def without_absence(form: LinearForm) -> LinearForm:
    """The form without the variance of the availability; the square of the mean and the noise remain."""
    (atom,) = square(g).coefficients
    left: LinearForm = form - form[atom] * square(a)
    return left


FALSE: Mapping[str, tuple[Lemma, Callable[[LinearForm], LinearForm]]] = {
    "descent by twice the decrease": (DESCENT, lambda form: form + LinearForm({decrease: -3})),
    "no variance of the availability": (UNBIASED_SAMPLING, without_absence),
    "half of the noise": (UNBIASED_SAMPLING, half(sampled_variance)),
    "half of the noise of the steps": (SAMPLED_LOCAL_VARIANCE, half(data(sigma**2))),
    "half of the noise of one step": (SAMPLED_NOISE, half(data(sigma**2))),
    "dissimilarity of twice the vectors": (SURROGATE_DISSIMILARITY, lambda form: form - square(g - g.mean)),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_lemma_fails_on_random_rounds(name: str) -> None:
    lemma, change = FALSE[name]
    for number, proof in enumerate(PROOFS):
        assert lemma.missing(proof.theorem) or violated(lemma, change, number) > 0


@pytest.mark.parametrize(
    ("proof", "definitions"),
    [
        (WEIGHTED, {absence: ClientMax(w_i * (1 - q_i))}),
        (WEIGHTED, {share_noise: ClientSum(w_i**2)}),
        (ALL, {availability: ClientMax(q_i)}),
    ],
)
def test_other_factors_of_the_weights_are_refused(proof: Any, definitions: Any) -> None:
    result = check(defined(proof, definitions))
    assert not result.proved
    assert set(names_of(result)) <= {"available clients", "variance of a client"}


@pytest.mark.parametrize(
    ("theorem", "said"),
    [
        (defined(WEIGHTED, {pull: ClientSum(omega_i) / m}).theorem, "pull and w_i"),
        (defined(WEIGHTED, {w_i: 1 / m}).theorem, "pull and w_i"),
        (defined(ALL, {pull: ClientSum(omega_i * q_i) / m}).theorem, "pull and w_i"),
        (assuming(ALL.theorem, vocabulary.FIXED_WEIGHTS), "weighs in one way"),
        (assuming(KNOWN.theorem, vocabulary.FULL_PARTICIPATION), "weighs in one way"),
    ],
)
def test_other_rounds_are_refused(theorem: Theorem, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        round_of(theorem)


def test_what_is_left_out_is_missed_where_it_is_needed() -> None:
    for proof, name, where in (
        (WEIGHTED, "dissimilarity", END),
        (WEIGHTED, "directions of the clients", END),
        (ALL, "error against gradient", END),
        (KNOWN, "no drift", END),
    ):
        assert where in names_of(check(proof.without(name))), name
    for proof, factors in (
        (WEIGHTED, {"initial gap": 0.99, "partial participation": 0.45}),
        (KNOWN, {"initial gap": 0.99, "stochastic noise": 0.98, "partial participation": 0.98}),
    ):
        result = check(scaled(proof, factors))
        assert names_of(result) == [END]
        assert len(result.failed[0].failed) == len(factors)
