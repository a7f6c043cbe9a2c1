"""Certificates of the theorems on unbiased sampling: their limits, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Rational

from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import L, eta, eta_s, tau
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.checker import END, START, check
from boundkit.proofs.lemmas import DISSIMILARITY, LOCAL_VARIANCE, PARTICIPATION
from boundkit.proofs.standing import certificate_of
from tests.cases import each

SAMPLING, CONVEX = "fedavg_nonconvex_sampling", "fedavg_convex_sampling"
PL = "fedavg_pl_sampling"
STEP = at_most(eta, 1 / (8 * L * tau))


def with_shares(certificate: Certificate, share: str) -> Certificate:
    """The certificate for the theorem with every constant multiplied by a number."""
    terms = tuple(replace(term, expr=Rational(share) * term.expr) for term in certificate.theorem.terms)
    return certificate.of(replace(certificate.theorem, terms=terms))


def test_constants_below_the_limit_of_the_certificate_are_refused() -> None:
    failed = check(with_shares(certificate_of(SAMPLING), "0.97")).failed
    assert [each.name for each in failed] == [END]
    text = " ".join(one.text for one in failed[0].failed)
    assert all(label in text for label in ("initial gap", "stochastic noise", "client drift"))


def conditions(certificate: Certificate, *steps: object) -> Certificate:
    return certificate.of(replace(certificate.theorem, step_size=steps))


ERRORS: dict[str, tuple[str, Callable[[Certificate], Certificate], str]] = {
    "the spread is not parted": (
        CONVEX, lambda c: c.without("spread of the directions"), "errors over clients",
    ),
    "the spread has a negative weight": (
        CONVEX, lambda c: c.changed("spread of the directions", weight=-eta_s * eta * tau),
        "spread of the directions",
    ),
    "uniform sampling": (SAMPLING, lambda c: c.changed("sampling", lemma=PARTICIPATION), "sampling"),
    "the noise of one client": (
        SAMPLING, lambda c: c.changed("variance of a client", lemma=LOCAL_VARIANCE), "variance of a client",
    ),
    "the dissimilarity of equal weights": (
        SAMPLING, lambda c: c.changed("dissimilarity", lemma=DISSIMILARITY), "dissimilarity",
    ),
    "a slack above the spread": (
        SAMPLING, lambda c: c.of(replace(c.theorem, requires=())), START,
    ),
    "a step that does not see the spread": (
        SAMPLING, lambda c: conditions(c, STEP, at_most(24 * eta_s * eta * tau * L, 1)), START,
    ),
    "a contraction below the rate": (
        PL, lambda c: replace(c, contraction=c.contraction and c.contraction / 2), END,
    ),
    "no Polyak-Lojasiewicz inequality": (PL, lambda c: c.without("Polyak-Lojasiewicz"), END),
}  # fmt: skip


@each("error", ERRORS)
def test_an_error_is_refused_at_its_step(error: str) -> None:
    name, change, step = ERRORS[error]
    result = check(change(certificate_of(name)))
    assert not result.proved
    assert result.failed[0].name == step, result
