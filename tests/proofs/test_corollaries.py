"""Theorems that follow from proved ones; refused where a condition or a constant is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from sympy import Expr, Rational, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.authoring import at_least
from boundkit.algebra.notation import (
    C,
    L,
    T,
    availability,
    beta,
    delay,
    eta,
    eta_s,
    m,
    mixing,
    step_time,
    tau,
    wall,
)
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certificate_of, certified, proof_named
from boundkit.proofs.corollaries import Corollary, _Substitution, check_derivation, check_proof, corollary
from boundkit.proofs.scalar_inequalities import limited_effort
from boundkit.theorems import theorem
from tests.cases import each, thinned
from tests.representatives import aside

PARTIAL = "fedavg_nonconvex_partial_tuned"
COROLLARIES = [name for name in certified() if isinstance(proof_named(name), Corollary)]


def derivation(name: str) -> Corollary:
    result = proof_named(name)
    assert isinstance(result, Corollary)
    return result


def failed(proof: Corollary) -> list[str]:
    """What is refused in the derivation."""
    return [one.text for each in check_derivation(proof) for one in each.failed]


def with_statement(proof: Corollary, change: Callable[[Theorem], Theorem]) -> Corollary:
    return replace(proof, theorem=change(proof.theorem))


def scaled(label: str, factor: Rational) -> Callable[[Theorem], Theorem]:
    def change(statement: Theorem) -> Theorem:
        terms = tuple(
            replace(term, expr=factor * term.expr) if term.label == label else term
            for term in statement.terms
        )
        return replace(statement, terms=terms)

    return change


def assuming(*names: str) -> Callable[[Theorem], Theorem]:
    """The statement with the assumptions of other theorems that have these names, in place of none."""
    found = {a.name: a for n in ("sgd_nonconvex_clock", "mifa_nonconvex") for a in theorem(n).assumptions}
    return lambda s: replace(s, assumptions=(*s.assumptions, *(found[name] for name in names)))


def without(name: str) -> Callable[[Theorem], Theorem]:
    return lambda s: replace(s, assumptions=tuple(a for a in s.assumptions if a.name != name))


def test_tuned_theorems_are_among_them() -> None:
    assert {PARTIAL, "fedavg_nonconvex_tuned", "fedvarp_nonconvex_tuned", "sgd_nonconvex_clock"} <= set(
        COROLLARIES
    )


@pytest.mark.parametrize("label", [term.label for term in theorem(PARTIAL).terms])
def test_a_term_may_be_larger_and_not_smaller(label: str) -> None:
    proof = derivation(PARTIAL)
    assert not failed(with_statement(proof, scaled(label, Rational(1001, 1000))))
    (text,) = failed(with_statement(proof, scaled(label, Rational(999, 1000))))
    assert text.startswith(f"{label}: at least ")


def test_terms_with_one_constant_are_compared_by_their_sum() -> None:
    proof = derivation(PARTIAL)
    own = {term.label: term.expr for term in proof.theorem.terms}
    noise, drift = "stochastic noise", "noise drift"

    def moved(share: Rational) -> Callable[[Theorem], Theorem]:
        """Return the statement whose noise has the noise drift of one more step, times ``share``."""
        more = own[drift] * tau / (tau - 1)
        exprs = {**own, noise: own[noise] + share * more, drift: 0 * more}
        return lambda s: replace(
            s, terms=tuple(replace(t, expr=exprs[t.label]) for t in s.terms), reductions=(), limits=()
        )

    assert not failed(with_statement(proof, moved(Rational(1))))
    texts = failed(with_statement(proof, moved(Rational(99, 100))))
    assert [text.partition(":")[0] for text in texts] == [drift]


ERRORS: dict[str, tuple[Callable[[Theorem], Theorem], str]] = {
    "a smaller eta and a larger eta_s": (
        lambda s: replace(s, rules={eta: s.rules[eta] / 2, eta_s: 4 * s.rules[eta_s]}), "eta*eta_s <=",
    ),
    "too few rounds for eta_s": (
        lambda s: replace(s, step_size=(s.step_size[0], at_least(T, 575 * C * m * tau))), "eta*eta_s <=",
    ),
    "no condition on m": (lambda s: replace(s, requires=()), "m >= 2"),
    "a larger step": (
        lambda s: replace(s, rules={**s.rules, eta_s: 2 * sqrt(tau * C * m)}), "eta*eta_s <=",
    ),
    "without the dissimilarity": (without("bounded-dissimilarity"), "the assumption bounded-dissimilarity"),
    "other rounds": (assuming(theorem("mifa_nonconvex").assumptions[-1].name), "leaves the rounds as they"),
    "another algorithm": (lambda s: replace(s, algorithm="scaffold"), "the algorithm is fedavg"),
    "another claim": (
        lambda s: replace(s, claim=theorem("local_sgd_nonconvex").claim), "the claim is",
    ),
    "a lower bound": (lambda s: replace(s, kind="lower"), "an upper bound of an upper bound"),
    "a term left out": (
        lambda s: replace(s, terms=s.terms[1:]), "initial gap: at least ",
    ),
}  # fmt: skip
"""Errors in the statement of PARTIAL, and how what is refused begins."""


@each("error", thinned(ERRORS, len(ERRORS) // 2))
def test_an_error_is_refused(error: str) -> None:
    change, text = ERRORS[error]
    texts = failed(with_statement(derivation(PARTIAL), change))
    assert any(text in each for each in texts), texts


def test_the_number_of_rounds_is_the_least_that_the_base_allows() -> None:
    proof = derivation("fedavg_nonconvex_partial_long_steps_tuned")
    few = with_statement(proof, lambda s: replace(s, step_size=(at_least(T, 15), s.step_size[1])))
    (text,) = failed(few)
    assert text.startswith("eta <= 1/(4*L*tau)")
    implied = with_statement(derivation(PARTIAL), lambda s: replace(s, step_size=s.step_size[1:]))
    assert not failed(implied)  # T >= 576 C m tau is T >= 64 too, as C m >= 1


@pytest.mark.slow
def test_powers_of_the_participation_are_in_conditions_of_fedvarp() -> None:
    proof = derivation("fedvarp_nonconvex_tuned")
    assert not failed(proof)
    for condition in proof.theorem.step_size:
        others = tuple(each for each in proof.theorem.step_size if each is not condition)
        left_out = replace(proof, theorem=replace(proof.theorem, step_size=others))
        assert len(failed(left_out)) == 1, condition


def test_a_corollary_needs_its_base_to_be_proved() -> None:
    proof = derivation(PARTIAL)
    assert isinstance(proof.base, Certificate)
    result = check_proof(replace(proof, base=proof.base.without("dissimilarity")))
    assert not result.proved
    assert [each.name for each in result.failed] == ["bound"]


def test_a_theorem_follows_from_one_with_smaller_constants() -> None:
    published_proof = certificate_of("fedavg_nonconvex_partial")
    sharp, published = certificate_of("fedavg_nonconvex_partial_sharp"), published_proof.theorem
    assert not failed(corollary(published, sharp))
    assert failed(corollary(theorem("fedavg_nonconvex_partial_long_steps"), sharp))
    back = failed(corollary(sharp.theorem, certificate_of("fedavg_nonconvex_partial")))
    assert len(back) == 5


def test_rounds_are_what_the_clock_says() -> None:
    proof = derivation("sgd_nonconvex_clock")
    assert not failed(proof)
    faster = replace(proof, values={T: wall / (step_time + 2 * delay)})
    assert any("rounds take the time" in each for each in failed(faster))
    assert any("rounds take the time" in each for each in failed(replace(proof, values={L: L / 2})))
    assert any(
        "rounds take the time" in each for each in failed(with_statement(proof, without("synchronous-clock")))
    )
    assert any("T = " in each for each in failed(with_statement(proof, lambda s: replace(s, requires=()))))


def test_the_steps_are_those_of_the_base() -> None:
    with pytest.raises(BoundkitError, match=f"{PARTIAL} is derived from fedavg_nonconvex_partial"):
        certificate_of(PARTIAL)


def test_an_exponential_rate_must_be_the_same() -> None:
    base = certificate_of("sgd_strongly_convex")
    assert not failed(corollary(base.theorem, base))
    slower = replace(
        base.theorem,
        terms=(
            replace(base.theorem.terms[0], expr=base.theorem.terms[0].expr.subs(eta, eta / 2)),
            *base.theorem.terms[1:],
        ),
    )
    (text,) = failed(corollary(slower, base))
    assert text.startswith("initial gap")


@each("place", [0, 1, 2])
def test_conditions_with_roots_are_compared_without_their_squares(place: int) -> None:
    proof = derivation("fedawe_nonconvex_tuned")
    assert not failed(proof)
    conditions = proof.theorem.step_size
    weaker = at_least(conditions[place].gts, conditions[place].lts * Rational(9, 10))
    changed = tuple(weaker if k == place else one for k, one in enumerate(conditions))
    assert failed(with_statement(proof, lambda s: replace(s, step_size=changed)))


def on_sharp(change: Callable[[Theorem], Theorem] = lambda s: s) -> Corollary:
    """The proof of FedAWE at tuned step sizes from the theorem with smaller constants."""
    return Corollary(change(theorem("fedawe_nonconvex_tuned")), certificate_of("fedawe_nonconvex_sharp"))


def divided(label: str, by: Expr) -> Callable[[Theorem], Theorem]:
    return scaled(label, 1 / by)


SHARPER: dict[str, tuple[Callable[[Theorem], Theorem], bool]] = {
    "as it stands": (lambda s: s, True),
    "less noise": (scaled("stochastic noise", Rational(1, 10)), True),
    "too little noise": (scaled("stochastic noise", Rational(1, 50)), False),
    "no noise of old models": (scaled("stale-model noise", Rational(0)), True),
    "no dissimilarity": (scaled("stale-model dissimilarity", Rational(0)), False),
    "a pole": (divided("stale-model noise", (Rational(1, 2) - sqrt(mixing)) ** 2), True),
    "a negative pole": (divided("stale-model noise", -((Rational(1, 2) - sqrt(mixing)) ** 2)), False),
    "a change of sign": (divided("stale-model noise", Rational(1, 2) - sqrt(mixing)), False),
    "a pole alone": (divided("stale-model dissimilarity", (Rational(1, 2) - sqrt(mixing)) ** 2), False),
    "fewer rounds": (
        lambda s: replace(s, step_size=(s.step_size[0].subs(m, m / 10000), *s.step_size[1:])), False,
    ),
}  # fmt: skip
"""Changes of the statement of FedAWE at tuned step sizes, and whether the sharper theorem proves it."""


@each("name", aside(SHARPER, *(one for one in SHARPER if one not in ("as it stands", "a pole"))))
def test_the_least_rounds_are_put_in(name: str) -> None:
    change, proved = SHARPER[name]

    def without_limits(s: Theorem) -> Theorem:
        return change(replace(s, reductions=(), limits=()))

    with limited_effort(1000):  # the solver is for what is neither shown by coefficients nor refuted
        assert bool(failed(on_sharp(without_limits))) != proved


def test_lower_ends_prove_nothing_that_is_false() -> None:
    own = _Substitution(on_sharp())
    for false in (availability * tau - 1, availability * m - 1, m * tau - 3, T - 40001 * beta**2):
        element = own.element(false)
        assert element is not None
        assert not any(ends.shows(element, False) for ends in own._raised), false
    for true in (2 * m * tau * availability - 1, T - 40000 * beta**2, T - 6400 * m * tau, 1 - mixing):
        element = own.element(true)
        assert element is not None
        assert own._prove(element, "").proved, true
