"""FedExP: lemmas on runs with every server step that they allow, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    distance,
    eta,
    eta_s,
    eta_s_mean,
    gap,
    m,
    mu,
    mu_pl,
    sigma_g,
    sigma_star,
    tau,
)
from boundkit.proofs import adaptive_server_step as adaptive
from boundkit.proofs import lemmas
from boundkit.proofs import rounds as of_round
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedexp_convex import PROOF as CONVEX_PROOF
from boundkit.proofs.certificates.fedexp_nonconvex import PROOF as NONCONVEX_PROOF
from boundkit.proofs.checker import check
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, inner, square
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import round_of
from boundkit.theorems import theorem
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
from tests.proofs.rounds import Problem, RandomRound, random_hessians

NONCONVEX, CONVEX = theorem("fedexp_nonconvex"), theorem("fedexp_convex")
PROOFS = {proof.theorem.name: proof for proof in (NONCONVEX_PROOF, CONVEX_PROOF)}


@cache
def run(seed: int, name: str, rounds: int = 6) -> RandomRound:
    """Means over the rounds of a run, weighted by server steps between 1 and the largest that is allowed."""
    rng = np.random.default_rng(seed)
    clients, dimension, steps = int(rng.integers(2, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 7))
    smooth = float(rng.choice([0.5, 1.0, 3.0]))
    low = 0.0 if theorem(name).assumes("convex") else -smooth
    step = float(rng.choice([0.02, 0.1, 1 / 6, 1 / 4])) / (smooth * steps)
    hessians = random_hessians(rng, clients, dimension, low, smooth)
    centres = rng.normal(size=(clients, dimension)) * rng.choice([0.0, 1.0, 3.0])
    problem = Problem(hessians, centres, step, 1.0, steps, 0.0, clients)
    optimum, share = problem.optimum, float(rng.choice([0.0, 0.5, 1.0]))
    x = optimum + rng.normal(size=dimension) * rng.choice([0.2, 2.0])
    start, found, weights = x, [], []
    for _ in range(rounds):
        values = problem.atoms(x)
        means, _, _ = problem.directions(x)
        largest = min(np.sum(means**2) / clients / (np.sum(means.mean(axis=0) ** 2) + 1e-30), 20.0)
        server = 1.0 + share * (max(largest, 1.0) - 1.0)
        after = x - server * step * steps * means.mean(axis=0)
        values[adaptive.decrease_by_step] = (problem.loss(x) - problem.loss(after)) / server
        moved = np.sum((x - optimum) ** 2) - np.sum((after - optimum) ** 2)
        values[adaptive.approach_by_step] = float(moved) / server
        found.append((x, values))
        weights.append(server)
        x = after
    mean = {a: float(np.average([v[a] for _, v in found], weights=weights)) for a in found[0][1]}
    model = np.average([x for x, _ in found], axis=0, weights=weights)
    mean[adaptive.iterate_gap] = problem.loss(model) - problem.loss(optimum)
    spread = square(of_round.g - of_round.g.mean)
    mean |= {
        data(gap): problem.loss(start) - problem.loss(optimum),
        data(distance**2): float(np.sum((start - optimum) ** 2)),
        data(sigma_star**2): float(np.sum(np.einsum("iab,ib->ia", hessians, optimum - centres) ** 2))
        / clients,
        data(sigma_g**2): max(sum(v[a] * float(c) for a, c in spread.coefficients.items()) for _, v in found),
    }
    quantities = {
        C: 1, m: clients, tau: steps, eta: step, eta_s: 1, L: smooth, T: rounds, mu: smooth, mu_pl: smooth,
        beta: 1.0, eta_s_mean: float(np.mean(weights)),
    }  # fmt: skip
    return RandomRound(quantities, mean)


SEEDS = (*range(16), 19, 36)
"""Of runs on which every false version of a lemma is seen."""


def violated(conclude: Callable[..., Conclusion], setting: Theorem, **arguments: Any) -> int:
    rounds = (run(seed, setting.name) for seed in SEEDS)
    return violations(conclude(round_of(setting), **arguments), rounds)


USED = {
    step.lemma.name: (proof.theorem, dict(step.arguments))
    for proof in PROOFS.values()
    for step in proof.steps
}


@each("name", USED)
def test_a_lemma_holds_on_runs(name: str) -> None:
    setting, arguments = USED[name]
    assert violated(LEMMAS[name].conclude, setting, **arguments) == 0


HALF = Rational(1, 2)
S = eta * tau
FALSE = {
    "descent with L s^2/10": (adaptive.ADAPTIVE_DESCENT, Rational(2, 5) * L * S**2 * square(of_round.a)),
    "distance with 3 s <a, x - x*>": (adaptive.ADAPTIVE_DISTANCE, S * inner(of_round.a.mean, of_round.X)),
    "telescoping to gap/(2 T eta_s_mean)": (
        adaptive.WEIGHTED_TELESCOPING_LOSS, LinearForm({data(gap): HALF / (T * eta_s_mean)}),
    ),
    "telescoping without the server steps": (
        adaptive.WEIGHTED_TELESCOPING_LOSS,
        LinearForm({data(gap): 1 / (T * eta_s_mean) - 1 / (T * eta_s_mean**2)}),
    ),
    "telescoping the distance to half": (
        adaptive.WEIGHTED_TELESCOPING_DISTANCE, LinearForm({data(distance**2): HALF / (T * eta_s_mean)}),
    ),
    "half of the mean loss": (adaptive.MEAN_MODEL, LinearForm({of_round.loss_gap: HALF})),
    "bias, an eighth": (
        adaptive.GRADIENT_BIAS, (eta * L * (tau - 1)) ** 2 * Rational(1, 6) * square(of_round.g),
    ),
    "direction with 9/10": (adaptive.GRADIENT_DIRECTION, Rational(1, 10) * square(of_round.g)),
    "displacement, half": (
        adaptive.GRADIENT_DISPLACEMENT, eta**2 * (tau - 1) * (2 * tau - 1) / 12 * square(of_round.g),
    ),
    "gradients against those at the optimum, half": (
        adaptive.GRADIENTS_AND_OPTIMUM, LinearForm({of_round.loss_gap: L}),
    ),
    "dissimilarity at the optimum with sigma_star^2/2": (
        adaptive.OPTIMUM_DISSIMILARITY, LinearForm({data(sigma_star**2): HALF}),
    ),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_runs(name: str) -> None:
    lemma, by = FALSE[name]
    setting, arguments = USED.get(lemma.name, (CONVEX, {}))
    assert violated(less(lemma, by), setting, **arguments) > 0


LIMITS = {
    "fedexp_nonconvex": {"initial gap": 1.0, "update dissimilarity": 1.0},
    "fedexp_convex": {"initial gap": 1.0, "update dissimilarity": 0.998},
}
"""Shares of the theorem's constants that its certificate reaches, one at a time."""


@each("name", LIMITS)
def test_a_constant_below_its_limit_is_refused(name: str) -> None:
    proof = PROOFS[name]
    for label, limit in LIMITS[name].items():
        for share, proved in ((limit, True), (limit - 0.01, False)):
            result = check(scaled(proof, {label: share}))
            assert result.proved == proved, label
        assert names_of(result) == [END]


ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(CONVEX_PROOF),
    **left_out(NONCONVEX_PROOF),
    "a step twice as long": (
        conditions(CONVEX_PROOF, at_most(eta, 1 / (2 * L * tau))), START,
    ),
    "a negative weight": (
        NONCONVEX_PROOF.changed("descent", weight=-Rational(10, 3) / S), "descent",
    ),
    "h too small": (NONCONVEX_PROOF.changed("error of a client", {"h": Rational(1, 7)}), "error of a client"),
    "means with equal weights": (
        NONCONVEX_PROOF.changed("telescoping", lemma=lemmas.TELESCOPING_LOSS, removes=None, weight=1),
        "telescoping",
    ),
    "without convexity": (without(CONVEX_PROOF, "convex"), "mean model"),
    "without a lower bound": (without(NONCONVEX_PROOF, "bounded-below"), "telescoping"),
    "without the dissimilarity": (without(CONVEX_PROOF, "optimum-dissimilarity"), "dissimilarity"),
    "with some of the clients": (without(NONCONVEX_PROOF, "full-participation"), "descent"),
}  # fmt: skip


@each("error", thinned(ERRORS, len(ERRORS) // 3))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


def test_claims_and_rounds_must_agree_on_the_weights() -> None:
    plain = theorem("fedavg_nonconvex").claim
    with pytest.raises(BoundkitError, match="a claim with the server steps as weights"):
        check(NONCONVEX_PROOF.of(replace(NONCONVEX, claim=plain)))
    for name in ("adaptive-server-step", "no-noise"):
        with pytest.raises(BoundkitError, match="about fedexp with full gradients"):
            check(without(NONCONVEX_PROOF, name))
    noisy = assuming(NONCONVEX, *theorem("fedavg_nonconvex").assumptions)
    with pytest.raises(BoundkitError, match="about fedexp with full gradients"):
        check(NONCONVEX_PROOF.of(noisy))
