"""The limit of a run with clients available at random: lemmas, certificates, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.notation import chi2, p_i, q_i, w_i
from boundkit.algebra.sums import ClientSum
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.certificates.fedavg_all_bias import PROOF as ALL
from boundkit.proofs.checker import check
from boundkit.proofs.lemmas import DESCENT
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import round_of
from tests.proofs.changes import assuming, defined, names_of, scaled

INTERVALS = certificate_of("fedau_cutoff_bias")
PRESENT = certificate_of("fedavg_active_bias")

CUTOFF = 3


def mean_weights(rule: str, q: np.ndarray) -> np.ndarray:
    """The mean weights of clients in a round, by all outcomes."""
    if rule == "intervals":
        return q * sum((1 - q) ** k for k in range(CUTOFF)) / len(q)
    result = np.zeros(len(q))
    for outcome in product((0.0, 1.0), repeat=len(q)):
        present = np.array(outcome)
        chance = np.prod(np.where(present == 1, q, 1 - q))
        result += chance * present / (len(q) if rule == "all" else max(1.0, present.sum()))
    return result


def limit(rng: np.random.Generator, rule: str, step: float) -> tuple[float, float, float]:
    """Squared gradients of surrogate and objective at the limit of the mean model; chi^2 kappa^2."""
    clients, tau = int(rng.integers(2, 4)), 3
    curvatures, centres = rng.uniform(0.5, 1.5, clients), rng.normal(size=clients)
    q = rng.uniform(0.1, 1.0, clients)
    p = np.full(clients, 1 / clients) if rule == "intervals" else rng.dirichlet(np.ones(clients))
    weights = mean_weights(rule, q)
    shrink = 1 - (1 - step * curvatures) ** tau
    x = float(np.sum(weights * shrink * centres) / np.sum(weights * shrink))
    w, gradients = weights / weights.sum(), curvatures * (x - centres)
    return (
        float(w @ gradients) ** 2,
        float(p @ gradients) ** 2,
        float(np.sum((p - w) ** 2 / w)) * float(w @ gradients**2),
    )


@pytest.mark.parametrize("rule", ["all", "present", "intervals"])
def test_lemmas_hold_for_small_steps(rule: str) -> None:
    """The surrogate has no gradient in the limit, and that of the objective is bounded by chi^2."""
    for seed in range(30):
        coarse, fine = (limit(np.random.default_rng(seed), rule, step) for step in (1e-2, 1e-4))
        assert fine[0] <= 1e-3 * coarse[0] + 1e-15
        assert np.sqrt(fine[1]) <= np.sqrt(fine[2]) + np.sqrt(fine[0]) + 1e-12


def test_other_weights_have_a_gradient_in_the_limit() -> None:
    """Weights in proportion to q_i are not those of an average over the participants."""
    large = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        q, centres = rng.uniform(0.1, 1.0, 3), rng.normal(size=3)
        weights = mean_weights("present", q)
        x = weights @ centres / weights.sum()
        large += abs(q / q.sum() @ (x - centres)) > 1e-2
    assert large > 10


def test_chi2_of_intervals_is_that_of_their_weights() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(0.05, 1.0, 4)
        missed = (1 - q) ** CUTOFF
        w = (1 - missed) / np.sum(1 - missed)
        own = np.mean(1 - missed) * np.mean(missed**2 / (1 - missed)) - np.mean(missed) ** 2
        assert own == pytest.approx(np.sum((0.25 - w) ** 2 / w))
        assert w == pytest.approx(mean_weights("intervals", q) / mean_weights("intervals", q).sum())


@pytest.mark.parametrize(
    ("proof", "definitions"),
    [
        (ALL, {w_i: 1 / ClientSum(1 / q_i)}),
        (ALL, {chi2: ClientSum((p_i - w_i) ** 2)}),
        (PRESENT, {w_i: q_i / ClientSum(q_i)}),
        (INTERVALS, {chi2: ClientSum((p_i - q_i) ** 2 / q_i)}),
    ],
)
def test_other_weights_are_refused(proof: Any, definitions: Any) -> None:
    assert names_of(check(defined(proof, definitions))) == ["objective inconsistency"]


def test_what_is_refused() -> None:
    assert names_of(check(scaled(ALL, {"objective inconsistency": 0.99}))) == [END]
    for name in ("dissimilarity", "no gradient of the surrogate", "nor a product with it"):
        assert names_of(check(ALL.without(name))) == [END]
    assert DESCENT.missing(ALL.theorem)
    with pytest.raises(BoundkitError, match="assumes full-participation"):
        round_of(assuming(ALL.theorem, vocabulary.FULL_PARTICIPATION))
    for rules in ((), (vocabulary.AVERAGE_OVER_ALL, vocabulary.AVERAGE_OVER_PRESENT)):
        other = assuming(ALL.theorem, *rules, but="average-over-all")
        assert "objective inconsistency" in names_of(check(ALL.of(other)))
