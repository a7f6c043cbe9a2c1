"""The lemmas on unbiased sampling: the variance of every scheme, and false versions, which fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import Theorem, vocabulary
from boundkit.algebra.notation import sampling_slack, sampling_spread, sigma
from boundkit.proofs.lemmas import Lemma
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, square
from boundkit.proofs.rounds import a, e, g, round_of
from boundkit.proofs.weighted_sampling import (
    CONVEX_SAMPLED_LOCAL_VARIANCE,
    SAMPLED_LOCAL_VARIANCE,
    UNBIASED_SAMPLING,
    UNBIASED_SAMPLING_OF_GRADIENTS,
    WEIGHTED_DISSIMILARITY,
)
from boundkit.theorems import theorem
from tests.cases import each
from tests.proofs.changes import violations
from tests.proofs.rounds import RandomRound, random_round
from tests.proofs.samplings import SCHEMES, random_sampling
from tests.proofs.test_lemmas import ARGUMENTS


def weighted(name: str) -> Theorem:
    """A theorem with weights and unbiased sampling in place of uniform sampling."""
    base = theorem(name)
    dropped = ("equal-weights", "partial-participation", "bounded-dissimilarity")
    kept = [each for each in base.assumptions if each.name not in dropped]
    added = (
        vocabulary.WEIGHTED_OBJECTIVE, vocabulary.WEIGHTED_DISSIMILARITY, vocabulary.UNBIASED_SAMPLING,
        vocabulary.SAMPLING_ERROR,
    )  # fmt: skip
    return replace(base, assumptions=(*kept, *added))


NONCONVEX = weighted("fedavg_nonconvex_partial_sharp")
CURVED = weighted("fedavg_strongly_convex_partial_sharp")
SEEDS = range(16)
H, Y = [{"h": Rational(1, 8)}], [{"y": Rational(1, 9)}]
OF_ALL = {
    **ARGUMENTS, SAMPLED_LOCAL_VARIANCE.name: H, CONVEX_SAMPLED_LOCAL_VARIANCE.name: H,
    UNBIASED_SAMPLING_OF_GRADIENTS.name: Y,
}  # fmt: skip
WEIGHTED = [each for each in LEMMAS.values() if not each.missing(CURVED) or not each.missing(NONCONVEX)]
"""The lemmas on rounds with weights; others are refused there."""


@cache
def rounds(curved: bool) -> list[RandomRound]:
    return [random_round(seed, CURVED if curved else NONCONVEX) for seed in SEEDS]


def violated(lemma: Lemma, change: Callable[[LinearForm], LinearForm] = lambda form: form) -> int:
    """The number of random rounds on which a changed conclusion does not hold."""
    arguments = OF_ALL.get(lemma.name, [{}])[0]
    result = 0
    for setting in (NONCONVEX, CURVED):
        if not lemma.missing(setting):
            right = lemma.conclude(round_of(setting), **arguments)
            wrong = replace(right, form=change(right.form))
            result += violations(wrong, rounds(setting is CURVED))
    return result


@each("lemma", WEIGHTED, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_random_rounds_with_weights(lemma: Lemma) -> None:
    assert violated(lemma) == 0


def test_lemmas_on_equal_weights_are_refused_with_weights() -> None:
    names = {each.name for each in WEIGHTED}
    assert {"descent", "three points", "unbiased sampling", "weighted dissimilarity"} <= names
    assert not {"client participation", "dissimilarity", "beta-kappa dissimilarity"} & names


FALSE: dict[str, tuple[Lemma, Callable[[LinearForm], LinearForm]]] = {
    "sampling with twice the slack": (
        UNBIASED_SAMPLING, lambda form: form - sampling_slack * square(a.mean),
    ),
    "sampling without the variance of the weights": (
        UNBIASED_SAMPLING, lambda form: form - sampling_spread * square(a),
    ),
    "sampling with the spread of the mean": (
        UNBIASED_SAMPLING, lambda form: form - sampling_spread * (square(a) - square(a.mean)),
    ),
    "sampling of gradients without the errors": (
        UNBIASED_SAMPLING_OF_GRADIENTS, lambda form: form - 10 * sampling_spread * square(e),
    ),
    "noise over the clients": (
        SAMPLED_LOCAL_VARIANCE, lambda form: form - LinearForm({data(sigma**2): form[data(sigma**2)] / 2}),
    ),
    "convex noise over the clients": (
        CONVEX_SAMPLED_LOCAL_VARIANCE,
        lambda form: form - LinearForm({data(sigma**2): form[data(sigma**2)] / 2}),
    ),
    "dissimilarity of twice the vectors": (
        WEIGHTED_DISSIMILARITY, lambda form: form - square(g - g.mean),
    ),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_random_rounds_with_weights(name: str) -> None:
    assert violated(*FALSE[name]) > 0


@each("scheme", SCHEMES)
def test_the_variance_of_a_weighted_sum_is_bounded_for_every_scheme(scheme: str) -> None:
    """Lambda and nu bound it for random vectors, and for the worst vectors no smaller Lambda does."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        sampling = random_sampling(rng, int(rng.integers(2, 5)), scheme)
        p = sampling.p
        assert sampling.probabilities @ sampling.weights == pytest.approx(p)
        slack = float(rng.choice([0.0, 0.3, 1.0]))
        spread = sampling.spread(slack)
        assert spread >= slack - 1e-12
        root = np.sqrt(p)
        matrix = (sampling.covariance + slack * np.outer(p, p)) / np.outer(root, root)
        worst = np.linalg.eigh(matrix)[1][:, -1:] / root[:, None]
        for vectors, tight in ((rng.normal(size=(len(p), 3)), False), (worst, True)):
            mean = p @ vectors
            bound = spread * p @ np.sum(vectors**2, axis=1) - slack * np.sum(mean**2)
            variance = sampling.variance(vectors)
            assert variance <= bound + 1e-9 * (1 + abs(bound))
            if tight:
                assert variance == pytest.approx(bound, abs=1e-9)
