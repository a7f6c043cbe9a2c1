"""The certificate under (beta, kappa) dissimilarity: its limits, and what is refused."""

from collections.abc import Callable
from dataclasses import replace

from sympy import Rational

from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import L, beta, eta, tau
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedavg_nonconvex_beta_kappa import PROOF
from boundkit.proofs.checker import END, START, check
from boundkit.proofs.lemmas import DISSIMILARITY
from tests.cases import each

LIMITS = {"initial gap": 0.5, "stochastic noise": 0.25, "noise drift": 0.3, "client drift": 0.07}
"""Shares of the constants that the certificate reaches, rounded down."""


@each("label", LIMITS)
def test_a_constant_below_its_limit_is_refused(label: str) -> None:
    certificate = PROOF
    for share, proved in ((LIMITS[label] + 0.01, True), (LIMITS[label] - 0.01, False)):
        terms = tuple(
            replace(term, expr=Rational(str(share)) * term.expr) if term.label == label else term
            for term in certificate.theorem.terms
        )
        result = check(certificate.of(replace(certificate.theorem, terms=terms)))
        assert result.proved == proved
    assert [each.name for each in result.failed] == [END]


def conditions(certificate: Certificate, *steps: object) -> Certificate:
    return certificate.of(replace(certificate.theorem, step_size=steps))


STEP = at_most(eta, 1 / (2 * L * tau))
ERRORS: dict[str, tuple[Callable[[Certificate], Certificate], str]] = {
    "no condition with beta": (lambda c: conditions(c, STEP), START),
    "a condition without beta": (
        lambda c: conditions(c, STEP, at_most(12 * eta**2 * L**2 * tau * (tau - 1), 1)), START,
    ),
    "a condition with beta, not beta^2": (
        lambda c: conditions(c, STEP, at_most(4 * (2 * beta + 1) * eta**2 * L**2 * tau * (tau - 1), 1)),
        START,
    ),
    "the dissimilarity of another assumption": (
        lambda c: c.changed("dissimilarity", lemma=DISSIMILARITY), "dissimilarity",
    ),
    "dissimilarity left out": (lambda c: c.without("dissimilarity"), END),
    "descent too light": (
        lambda c: c.changed("descent", weight=1 / (2 * eta * tau)), END,
    ),
}  # fmt: skip


@each("error", ERRORS)
def test_an_error_is_refused_at_its_step(error: str) -> None:
    change, name = ERRORS[error]
    result = check(change(PROOF))
    assert next(each.name for each in result.failed) == name
