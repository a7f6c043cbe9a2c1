"""Certificates: proved as they stand, refused with the right step named where they are wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import C, L, beta, eta, eta_s, m, tau
from boundkit.proofs.authoring import partial_chart
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import (
    certificate_of,
    certified,
    current_record,
    proof_named,
)
from boundkit.proofs.checker import check
from boundkit.proofs.corollaries import check_proof
from boundkit.proofs.lemmas import DISSIMILARITY, LOCAL_VARIANCE, PARTICIPATION, TELESCOPING_LOSS
from boundkit.proofs.library import MODULES
from boundkit.proofs.proof_check import END, START, ProofCheck
from boundkit.proofs.rounds import decrease
from boundkit.theorems.catalogue import proof_status, stored_check, theorem
from tests.cases import each, thinned
from tests.proofs.changes import assert_refused, conditions, names_of, scaled, without
from tests.representatives import aside

PARTIAL, TUNED = "fedavg_nonconvex_partial_sharp", "fedavg_nonconvex_tuned"
H = Rational(1, 8)

LIMITS: Mapping[str, Mapping[str, float]] = {
    PARTIAL: {
        "initial gap": 1.0, "stochastic noise": 0.98, "noise drift": 0.982,
        "partial participation": 0.996, "client drift": 0.996,
    },
    "fedavg_convex_partial_sharp": {
        "initial gap": 0.962, "stochastic noise": 0.931, "noise drift": 0.872,
        "partial participation": 0.956, "client drift": 0.847,
    },
    "fedavg_strongly_convex_partial_sharp": {
        "initial gap": 1.0, "stochastic noise": 0.986, "noise drift": 0.972,
        "partial participation": 1.0, "client drift": 0.99,
    },
    "fedvarp_nonconvex_sharp": {
        "initial gap": 0.998, "stochastic noise": 0.983, "noise drift": 0.991, "client drift": 0.999,
        "start-up of stored updates": 1.0,
    },
}  # fmt: skip
"""Shares of the theorem's constants that its certificate reaches, one at a time, to half a percent."""
BETA_KAPPA = "fedavg_nonconvex_beta_kappa"
BETA_LIMITS = {"initial gap": 0.49, "stochastic noise": 0.24, "noise drift": 0.23, "client drift": 0.06}
"""Just below what its certificate reaches."""
Change = Callable[[Certificate], Certificate]


@cache
def checked(name: str) -> ProofCheck:
    return check_proof(proof_named(name))


@pytest.mark.parametrize(
    "name", aside(certified(), "fedvarp_nonconvex_sharp", *set(certified()) - {*LIMITS, TUNED})
)
def test_a_theorem_is_proved(name: str) -> None:
    """Each kind anew; of the others the stored result, whose key is that of statement, proof and library."""
    result = checked(name)
    assert result.proved, result
    inequalities = [each for each in result.steps if " <= " in each.statement]
    assert inequalities
    assert all(each.obligations for each in inequalities)
    record = current_record(name)
    assert record is not None
    assert (record["verdict"], record["obligations"]) == (result.status, result.obligations)


@pytest.mark.parametrize("name", LIMITS)
def test_constants_below_the_limit_of_the_certificate_are_refused(name: str) -> None:
    factors = {label: limit - 0.01 for label, limit in LIMITS[name].items()}
    result = check(scaled(certificate_of(name), factors))
    assert names_of(result) == [END]
    failing = " ".join(one.text for one in result.failed[0].failed)
    assert all(label.replace("initial gap", "") in failing for label in factors)
    inequalities = [one for one in result.failed[0].failed if one.decision.method != "identity"]
    assert inequalities
    assert all(
        one.counterexample or one.text == "initial gap: the coefficient of distance^2" for one in inequalities
    )


@each(
    ("name", "share"),
    [("fedavg_nonconvex_sampling", 0.97), *((BETA_KAPPA, {label: x}) for label, x in BETA_LIMITS.items())],
)
def test_constants_below_other_limits_are_refused_too(name: str, share: Any) -> None:
    certificate = certificate_of(name)
    result = check(scaled(certificate, share))
    assert names_of(result) == [END]
    if name == BETA_KAPPA:
        assert check(scaled(certificate, {label: x + 0.02 for label, x in share.items()})).proved


@pytest.mark.slow
@pytest.mark.parametrize("name", LIMITS)
def test_each_constant_is_proved_down_to_its_limit(name: str) -> None:
    certificate = certificate_of(name)
    for label, limit in LIMITS[name].items():
        good, bad = 1.0, 0.5
        while good - bad > 0.004:
            middle = round((good + bad) / 2, 6)
            if check(scaled(certificate, {label: middle})).proved:
                good = middle
            else:
                bad = middle
        assert good == pytest.approx(limit, abs=0.006), label


STEP = at_most(eta, 1 / (8 * L * tau))

ERRORS: dict[str, tuple[Change, str]] = {
    "descent left out": (lambda c: c.without("descent"), "participation"),
    "participation left out": (lambda c: c.without("participation"), "dispersion of the directions"),
    "sum of squares left out": (lambda c: c.without("dispersion of the directions"), END),
    "Young left out": (lambda c: c.without("error against gradient"), "errors over clients"),
    "Jensen left out": (lambda c: c.without("errors over clients"), END),
    "variance left out": (lambda c: c.without("variance of a client"), END),
    "bias left out": (lambda c: c.without("error of a client"), END),
    "dissimilarity left out": (lambda c: c.without("dissimilarity"), END),
    "telescoping left out": (lambda c: c.without("telescoping"), END),
    "negative weight": (lambda c: c.changed("descent", weight=-1 / (eta_s * eta * tau)), "descent"),
    "descent too light": (lambda c: c.changed("descent", weight=1 / (eta_s * eta * tau)), END),
    "Young with w < 0": (
        lambda c: c.changed("error against gradient", {"w": Rational(-1, 5)}), "error against gradient",
    ),
    "h too large": (lambda c: c.changed("error of a client", {"h": Rational(1, 9)}), "error of a client"),
    "h at 1/4, constants of 1/8": (
        lambda c: c.changed("error of a client", {"h": Rational(1, 4)}), "error of a client",
    ),
    "p too small": (lambda c: c.changed("error of a client", {"p": Rational(1, 4)}), "error of a client"),
    "q too small": (lambda c: c.changed("error of a client", {"q": Rational(1, 2)}), "error of a client"),
    "beta too small": (lambda c: c.changed("error of a client", {"beta": 1}), "error of a client"),
    "gamma too small": (
        lambda c: c.changed("error of a client", {"gamma": Rational(1, 2)}), "error of a client",
    ),
    "root too small": (lambda c: c.changed("error of a client", {"root": 1}), "error of a client"),
    "d1 too small": (lambda c: c.changed("error of a client", {"d1": Rational(2, 5)}), "error of a client"),
    "no limit on eta_s": (lambda c: conditions(c, STEP), START),
    "no limit on eta": (
        lambda c: conditions(c, at_most(eta_s * eta, 1 / (24 * L * tau))), START,
    ),
    "a limit twice as large": (
        lambda c: conditions(c, STEP, at_most(eta_s * eta, 1 / (12 * L * tau))), START,
    ),
    "m >= 1": (lambda c: replace(c, theorem=replace(c.theorem, requires=())), START),
    "a box that is too small": (lambda c: replace(c, charts=(partial_chart(H, Rational(1, 48)),)), START),
    "without the dissimilarity": (lambda c: without(c, "bounded-dissimilarity"), "dissimilarity"),
    "without the noise bound": (lambda c: without(c, "bounded-noise"), "descent"),
    "without smoothness": (lambda c: without(c, "smooth"), "descent"),
    "without a lower bound of the loss": (lambda c: without(c, "bounded-below"), "telescoping"),
}  # fmt: skip
"""Errors in the certificate or the statement of PARTIAL, and the first step that must be refused."""
STORED_ERRORS: dict[str, tuple[Change, str]] = {
    "stored updates left out": (lambda c: c.without("stored updates"), "telescoping of stored updates"),
    "telescoping left out": (lambda c: c.without("telescoping of stored updates"), "stored updates fall"),
    "too light a weight of the stored updates": (
        lambda c: c.changed("stored updates", weight=(1 - C) * eta_s * eta * tau * L / (10 * C**2 * m)),
        "stored updates fall",
    ),
    "negative weight": (
        lambda c: c.changed("stored updates", weight=-eta_s * eta * tau * L), "stored updates",
    ),
    "too little left of the errors": (
        lambda c: c.changed("weight of the errors", leaving=Rational(1)), "weight of the errors",
    ),
    "too little left of the direction": (
        lambda c: c.changed("weight of the direction", leaving=eta_s * eta * L * tau / 2),
        "weight of the direction",
    ),
    "dispersion left out": (lambda c: c.without("dispersion of the directions"), END),
    "w = 0": (lambda c: c.changed("stored updates", {"w": -C}), "stored updates"),
    "no square root in the steps": (
        lambda c: conditions(c, *(r for r in c.theorem.step_size if not r.has(C ** Rational(3, 2)))), START,
    ),
    "FedAvg": (lambda c: of_algorithm(c, "fedavg"), "stored updates"),
    "without smoothness": (lambda c: without(c, "smooth"), "descent"),
}  # fmt: skip


def of_algorithm(certificate: Certificate, name: str) -> Certificate:
    return replace(certificate, theorem=replace(certificate.theorem, algorithm=name))


BETA_ERRORS: dict[str, tuple[Change, str]] = {
    "no condition with beta": (lambda c: conditions(c, at_most(eta, 1 / (2 * L * tau))), START),
    "a condition with beta, not beta^2": (
        lambda c: conditions(
            c, at_most(eta, 1 / (2 * L * tau)),
            at_most(4 * (2 * beta + 1) * eta**2 * L**2 * tau * (tau - 1), 1),
        ), START,
    ),
    "the dissimilarity of another assumption": (
        lambda c: c.changed("dissimilarity", lemma=DISSIMILARITY), "dissimilarity",
    ),
    "dissimilarity left out": (lambda c: c.without("dissimilarity"), END),
    "descent too light": (lambda c: c.changed("descent", weight=1 / (2 * eta * tau)), END),
}  # fmt: skip
SAMPLING_ERRORS: dict[str, tuple[Change, str]] = {
    "uniform sampling": (lambda c: c.changed("sampling", lemma=PARTICIPATION), "sampling"),
    "the noise of one client": (
        lambda c: c.changed("variance of a client", lemma=LOCAL_VARIANCE), "variance of a client",
    ),
    "the dissimilarity of equal weights": (
        lambda c: c.changed("dissimilarity", lemma=DISSIMILARITY), "dissimilarity",
    ),
    "a slack above the spread": (lambda c: c.of(replace(c.theorem, requires=())), START),
    "a step that does not see the spread": (
        lambda c: conditions(c, STEP, at_most(24 * eta_s * eta * tau * L, 1)), START,
    ),
}  # fmt: skip
CONVEX_SAMPLING_ERRORS: dict[str, tuple[Change, str]] = {
    "the dispersion is not parted": (lambda c: c.without("dispersion of the directions"), END),
    "a negative part of convexity": (lambda c: c.changed("three points", {"part": -1}), "three points"),
}  # fmt: skip
PL_ERRORS: dict[str, tuple[Change, str]] = {
    "a contraction below the rate": (
        lambda c: replace(c, contraction=c.contraction and c.contraction / 2), END,
    ),
    "no Polyak-Lojasiewicz inequality": (lambda c: c.without("Polyak-Lojasiewicz"), END),
}  # fmt: skip
EVERY_ERROR = [
    (name, *error)
    for name, table in (
        (PARTIAL, ERRORS), ("fedvarp_nonconvex", STORED_ERRORS),
        (BETA_KAPPA, BETA_ERRORS), ("fedavg_nonconvex_sampling", SAMPLING_ERRORS),
        ("fedavg_convex_sampling", CONVEX_SAMPLING_ERRORS), ("fedavg_pl_sampling", PL_ERRORS),
    )
    for error in table.values()
]  # fmt: skip


@each(("name", "change", "step"), thinned(EVERY_ERROR, len(EVERY_ERROR) // 4))
def test_an_error_is_refused_at_its_step(name: str, change: Change, step: str) -> None:
    assert_refused(change(certificate_of(name)), step)


def test_a_signed_expectation_is_not_nonnegative() -> None:
    certificate = certificate_of("fedvarp_nonconvex")
    with pytest.raises(BoundkitError, match="not among the expectations of squares of the library"):
        check(certificate.changed("weight of the direction", {"of": decrease}))


def test_a_lemma_that_is_not_of_the_library_is_refused() -> None:
    own = replace(TELESCOPING_LOSS, statement="gap/(2 T)")
    certificate = certificate_of(PARTIAL).changed("telescoping", lemma=own)
    with pytest.raises(BoundkitError, match="'telescoping' uses the lemma 'telescoping', not of the library"):
        check(certificate)


def test_wrong_arguments_are_refused() -> None:
    certificate = certificate_of(PARTIAL).changed("dissimilarity", {"w": 1})
    with pytest.raises(BoundkitError, match="'dissimilarity': wrong arguments"):
        check(certificate)


@each("name", certified())
def test_the_proof_status_is_that_of_the_stored_result(name: str) -> None:
    record = current_record(name)
    assert record is not None, f"store the result by: boundkit proof {name} --update"
    assert (proof_status(theorem(name)) == "machine-checked") == (record["verdict"] == "proved")


def test_lemmas_of_a_subject_rest_on_no_other_subject() -> None:
    subjects = {module.__name__ for module in MODULES} - {"boundkit.proofs.lemmas"}
    for module in MODULES:
        used = {getattr(value, "__module__", "") for value in vars(module).values()}
        used |= {value.__name__ for value in vars(module).values() if isinstance(value, ModuleType)}
        assert not used & (subjects - {module.__name__})


def test_no_other_theorem_has_a_stored_result() -> None:
    from boundkit.theorems.catalogue import CHECKED

    assert sorted(file.stem for file in CHECKED.glob("*.json")) == list(certified())
    assert stored_check("accelerated_local_sgd_convex") is None


def test_only_upper_bounds_of_known_rounds_are_proved() -> None:
    certificate = certificate_of(PARTIAL)
    with pytest.raises(BoundkitError, match="a certificate proves an upper bound"):
        check(certificate.of(replace(certificate.theorem, kind="lower")))
    with pytest.raises(BoundkitError, match="the lemmas are about fedavg"):
        check(certificate.of(replace(certificate.theorem, algorithm="fedprox")))
    with pytest.raises(BoundkitError, match="does not assume controls-of-local-gradients, without which"):
        check(certificate.of(replace(certificate.theorem, algorithm="scaffold")))
    others = (*certificate.theorem.assumptions, *theorem("fedprox_nonconvex").assumptions)
    with pytest.raises(BoundkitError, match="rounds without that assumption"):
        check(certificate.of(replace(certificate.theorem, assumptions=others)))


def test_charts_that_leave_something_out_are_refused() -> None:
    certificate = certificate_of("fedavg_nonconvex_sharp")
    with pytest.raises(BoundkitError, match="the charts do not cover the domain"):
        check(replace(certificate, charts=certificate.charts[1:]))


def test_an_initial_term_may_have_any_constant() -> None:
    """9/4 for 9 in front of (1 - mu s/2)^T, which sympy may write as a quotient of two powers."""
    proof = certificate_of("scaffold_strongly_convex_partial")
    assert check(scaled(proof, {"start-up": Rational(1, 4)})).proved
    assert not check(scaled(proof, {"start-up": Rational(1, 9)})).proved
