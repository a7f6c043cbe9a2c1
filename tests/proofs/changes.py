"""Certificates, theorems and lemmas with one change each, and rounds on which a conclusion does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from sympy import Rational

from boundkit.algebra import Assumption, Theorem
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.checker import check
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm
from boundkit.proofs.proof_check import ProofCheck
from tests.proofs.rounds import RandomRound, evaluator


def names_of(result: ProofCheck) -> list[str]:
    """The steps that are refused."""
    return [each.name for each in result.failed]


def refused_constants(result: ProofCheck) -> str:
    """What fails at the first step that is refused."""
    return "; ".join(each.text for each in result.failed[0].failed)


def scaled(certificate: Certificate, factors: Mapping[str, object] | float) -> Certificate:
    """The certificate for the theorem with some terms, or all, multiplied by factors."""
    labels = [term.label for term in certificate.theorem.terms]
    by = factors if isinstance(factors, Mapping) else dict.fromkeys(labels, factors)
    terms = tuple(
        replace(term, expr=Rational(str(by[term.label])) * term.expr) if term.label in by else term
        for term in certificate.theorem.terms
    )
    return certificate.of(replace(certificate.theorem, terms=terms))


def conditions(certificate: Certificate, *steps: object) -> Certificate:
    """The certificate for the theorem with other step conditions."""
    return certificate.of(replace(certificate.theorem, step_size=steps))


def without(certificate: Certificate, assumption: str) -> Certificate:
    """The certificate for the theorem without an assumption."""
    return certificate.of(assuming(certificate.theorem, but=assumption))


def assuming(theorem: Theorem, *added: Assumption, but: str = "") -> Theorem:
    """The theorem with further assumptions, and without one."""
    left = [each for each in theorem.assumptions if each.name != but]
    return replace(theorem, assumptions=(*left, *added))


def defined(certificate: Certificate, definitions: Mapping[Any, Any]) -> Certificate:
    """The certificate for the theorem with other definitions of some quantities."""
    own = certificate.theorem
    return certificate.of(replace(own, definitions={**own.definitions, **definitions}))


def left_out(certificate: Certificate) -> dict[str, tuple[Certificate, str]]:
    """The certificate without each of its steps; which step is refused then is not said."""
    name = certificate.theorem.name
    return {f"{name}, {s.name} left out": (certificate.without(s.name), "") for s in certificate.steps}


def assert_refused(certificate: Certificate, step: str = "") -> None:
    """The certificate is refused, at this step first where one is named."""
    result = check(certificate)
    assert not result.proved
    assert not step or names_of(result)[0] == step, result


def less(lemma: Lemma, by: LinearForm) -> Callable[..., Conclusion]:
    """The lemma with a conclusion that is smaller by a form."""

    def conclude(this: Any, **arguments: Any) -> Conclusion:
        right = lemma.conclude(this, **arguments)
        return Conclusion(right.form - by, right.hypotheses, right.equality)

    return conclude


def violations(conclusion: Conclusion, rounds: Iterable[RandomRound], zero: float = 1e-25) -> int:
    """The number of rounds on which a conclusion does not hold, by more than rounding."""
    value_of, count = evaluator(conclusion.form), 0
    for this in rounds:
        value, size = value_of(this)
        rounding = 1e-9 * size + zero
        count += abs(value) > rounding if conclusion.equality else value < -rounding
    return count
