"""Local solvers that differ between clients: lemmas on random rounds, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import A_noise, B_walk, C_walk, L, chi2, eta, kappa, m, sigma, tau_eff
from boundkit.algebra.vocabulary import PLAIN_LOCAL_STEPS
from boundkit.proofs import local_solvers as local
from boundkit.proofs import rounds as of_round
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.certificates.fedavg_surrogate_optimum import PROOF as OPTIMUM
from boundkit.proofs.certificates.fednova_nonconvex import PROOF as OBJECTIVE
from boundkit.proofs.certificates.fednova_nonconvex_surrogate import (
    LONG_SERVER_STEPS,
    LONG_WALKS,
    SMALLEST_GAP,
)
from boundkit.proofs.certificates.fednova_nonconvex_surrogate import PROOF as PUBLISHED
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SURROGATE
from boundkit.proofs.certificates.fednova_nonconvex_tuned import BASE
from boundkit.proofs.checker import check
from boundkit.proofs.lemmas import BETA_KAPPA, DISSIMILARITY, Conclusion, Lemma
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, inner, square
from boundkit.proofs.proof_check import END, START
from boundkit.proofs.rounds import direction, g, round_of
from tests.cases import each, thinned
from tests.proofs.changes import (
    assert_refused,
    conditions,
    defined,
    left_out,
    less,
    names_of,
    refused_constants,
    scaled,
    violations,
    without,
)
from tests.proofs.rounds import RandomRound
from tests.proofs.solver_rounds import solver_round
from tests.theorems.printed_fednova import PRINTED

UNEQUAL = certificate_of("fedavg_nonconvex_unequal_steps")

PLAIN = replace(
    SURROGATE.theorem,
    name="plain",
    assumptions=(*SURROGATE.theorem.assumptions, PLAIN_LOCAL_STEPS),
    definitions={q: made.subs(local.PLAIN_STEPS) for q, made in SURROGATE.theorem.definitions.items()},
    solvers={},
)
SETTINGS = (SURROGATE.theorem, OBJECTIVE.theorem, UNEQUAL.theorem, BASE.theorem, PLAIN)
HALF, H = Rational(1, 2), Rational(2887, 10_000)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "noise of local solvers": {"y": Rational(1, 100)},
    "errors of local solvers": {"h": H, "p": Rational(4, 3) / (1 - 4 * local.walk_square)},
    "variance of the path of local solvers": {"h": H, "p": 2},
    "noise of plain local steps": {"h": Rational(7, 24)},
    "errors of plain local steps": {
        "h": Rational(7, 24), "y": Rational(1, 8), "p": Rational(5, 12), "q": Rational(9, 10), "order": 2,
    },
}  # fmt: skip
ROUND = [
    lemma for lemma in (*LEMMAS.values(),)
    if any(lemma is value for value in vars(local).values()) and lemma is not local.SURROGATE_STATIONARY
] + [BETA_KAPPA]  # fmt: skip


@cache
def random_round(seed: int, number: int) -> RandomRound:
    return solver_round(seed, SETTINGS[number])


def violated(lemma: Lemma, conclude: Callable[..., Conclusion]) -> int:
    """The number of random rounds on which a conclusion does not hold."""
    result = 0
    for number, setting in enumerate(SETTINGS):
        if lemma.missing(setting) or (lemma is local.SAME_WEIGHTS) != (setting is BASE.theorem):
            continue
        if lemma is local.TWO_WEIGHTINGS and chi2 not in setting.definitions:
            continue
        conclusion = conclude(round_of(setting), **ARGUMENTS.get(lemma.name, {}))
        result += violations(conclusion, (random_round(seed, number) for seed in range(20)), zero=0)
    return result


@each("lemma", ROUND, ids=lambda lemma: lemma.name)
def test_a_lemma_holds_on_random_rounds(lemma: Lemma) -> None:
    assert violated(lemma, lemma.conclude) == 0


SQUARE_B = (eta * L) ** 2 * C_walk
FALSE = {
    "descent with L s^2/8": (
        local.SURROGATE_DESCENT, LinearForm({direction: 3 * L * (eta * tau_eff) ** 2 / 8}),
    ),
    "the square of the mean, half": (local.INDEPENDENT_CLIENTS, HALF * square(of_round.a.mean)),
    "noise of the solvers, half": (
        local.SOLVER_NOISE, LinearForm({data(sigma**2): HALF * A_noise / (m * tau_eff)}),
    ),
    "errors by a fifth of the gradients": (local.SOLVER_ERRORS, Rational(9, 5) * SQUARE_B * square(g)),
    "errors by a twentieth of the noise": (
        local.SOLVER_ERRORS, LinearForm({data(sigma**2): Rational(57, 20) * (eta * L) ** 2 * B_walk}),
    ),
    "a twentieth of the path's variance": (
        local.PATH_VARIANCE, LinearForm({data(sigma**2): Rational(19, 10) * (eta * L) ** 2 * B_walk}),
    ),
    "noise of plain steps, half": (
        local.PLAIN_NOISE, LinearForm({data(sigma**2): Rational(12, 17) * A_noise / (m * tau_eff)}),
    ),
    "errors of plain steps by a tenth of the gradients": (
        local.PLAIN_ERRORS, Rational(3, 8) * SQUARE_B * square(g),
    ),
    "two weightings with chi^2/2": (local.TWO_WEIGHTINGS, HALF * chi2 * square(g - g.mean)),
    "other weights for those of the objective": (local.SAME_WEIGHTS, inner(g.mean, of_round.P)),
    "beta-kappa dissimilarity with kappa^2/2": (BETA_KAPPA, LinearForm({data(kappa**2): HALF})),
}  # fmt: skip


@each("name", FALSE)
def test_a_false_lemma_fails_on_random_rounds(name: str) -> None:
    lemma, by = FALSE[name]
    assert violated(lemma, less(lemma, by)) > 0


LIMITS = {
    SURROGATE: {"initial gap": 1.0, "stochastic noise": 1.0, "noise drift": 1.0, "client drift": 1.0},
    OBJECTIVE: {"initial gap": 1.0, "stochastic noise": 1.0, "noise drift": 1.0, "client drift": 1.0},
    SMALLEST_GAP: {
        "initial gap": 0.5, "stochastic noise": 0.36, "noise drift": 0.55, "client drift": 0.27,
    },
    OPTIMUM: {"objective inconsistency": 1.0},
}  # fmt: skip
"""Shares of the theorem's constants that its certificate reaches, rounded up."""


@pytest.mark.slow
@pytest.mark.parametrize("proof", LIMITS, ids=lambda proof: proof.theorem.name)
def test_constants_below_their_limits_are_refused(proof: Certificate) -> None:
    assert check(scaled(proof, LIMITS[proof])).proved
    result = check(scaled(proof, {label: share - 0.01 for label, share in LIMITS[proof].items()}))
    assert names_of(result) == [END]
    assert all(label in refused_constants(result) for label in LIMITS[proof])


FIRST, SECOND = SURROGATE.theorem.step_size[:2]
MADE = SURROGATE.theorem.definitions
LEFT_OUT = [each.name for each in OBJECTIVE.steps]
ERRORS: dict[str, tuple[Certificate, str]] = {
    **left_out(OPTIMUM),
    "no condition on the length": (conditions(SURROGATE, SECOND), START),
    "no condition on the pull": (conditions(SURROGATE, FIRST, SECOND), START),
    "a condition without beta": (
        conditions(SURROGATE, FIRST, at_most(12 * C_walk * eta**2 * L**2, 1)), START,
    ),
    "B and C with a proximal solver": (
        SURROGATE.of(PRINTED, charts=BASE.charts), "errors of a client",
    ),
    "another A": (defined(SURROGATE, {A_noise: MADE[A_noise] / 2}), "noise of a client"),
    "half of B''": (defined(SURROGATE, {B_walk: MADE[B_walk] / 2}), "errors of a client"),
    "another chi^2": (
        defined(OBJECTIVE, {chi2: OBJECTIVE.theorem.definitions[chi2] / 2}), "objective inconsistency",
    ),
    "another length of the server's step": (
        defined(UNEQUAL, {tau_eff: 2 * UNEQUAL.theorem.definitions[tau_eff]}), "objective inconsistency",
    ),
    "h too small": (SURROGATE.changed("errors of a client", {"h": Rational(1, 4)}), "errors of a client"),
    "p too small": (
        SURROGATE.changed("errors of a client", {"p": Rational(33, 25) / (1 - 4 * local.walk_square)}),
        "errors of a client",
    ),
    "p too small for the path": (
        SURROGATE.changed("rest of the path's noise", {"p": Rational(19, 10)}), "rest of the path's noise",
    ),
    "a negative weight": (
        SURROGATE.changed("descent", weight=-2 / (eta * tau_eff)), "descent",
    ),
    "the dissimilarity of another assumption": (
        SURROGATE.changed("dissimilarity", lemma=DISSIMILARITY), "dissimilarity",
    ),
    "weights of the objective where they differ": (
        SURROGATE.of(OBJECTIVE.theorem, charts=OBJECTIVE.charts, steps=BASE.steps), "no other weights",
    ),
    "a gradient of 0 along a run": (
        SURROGATE.replaced("dissimilarity", *OPTIMUM.steps[2:3]), "no gradient of the surrogate",
    ),
    "without noise bounds": (without(SURROGATE, "bounded-noise"), "descent"),
    "with some of the clients": (without(SURROGATE, "full-participation"), "descent"),
}  # fmt: skip


@each("error", thinned(ERRORS, len(ERRORS) // 3))
def test_an_error_is_refused(error: str) -> None:
    assert_refused(*ERRORS[error])


@pytest.mark.slow
@each("name", LEFT_OUT)
def test_a_step_that_is_left_out_is_missed(name: str) -> None:
    assert not check(OBJECTIVE.without(name)).proved


@pytest.mark.slow
@pytest.mark.parametrize(("proof", "place"), [(LONG_SERVER_STEPS, 0), (LONG_WALKS, 1)])
def test_the_published_constants_hold_at_steps_twice_as_long(proof: Certificate, place: int) -> None:
    steps = list(PUBLISHED.theorem.step_size)
    steps[place] = at_most(steps[place].args[0], 2)
    assert check(conditions(proof, *steps)).proved
    assert names_of(check(conditions(PUBLISHED, *steps))) == [START]
    steps[place] = at_most(steps[place].args[0], 3)
    assert names_of(check(conditions(proof, *steps))) == [START]


def test_a_round_of_fednova_has_a_general_solver() -> None:
    with pytest.raises(BoundkitError, match="lemmas on local solvers"):
        check(without(OBJECTIVE, "general-local-solver"))
