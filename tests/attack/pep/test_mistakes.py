"""Wrong theorems are refuted, and questions that cannot be asked are refused in one sentence."""

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import L, eta, gap, sigma_g, tau
from boundkit.attack.pep import worst_case
from boundkit.attack.pep.parameters import weighing
from boundkit.theorems import names, theorem
from tests.attack.pep.answers import ASKABLE
from tests.attack.pep.needs import needs_pepit
from tests.cases import each
from tests.theorems.printed_fednova import PRINTED


def wrong(name: str, label: str, expr: Any) -> Theorem:
    """The theorem with one term replaced."""
    statement = theorem(name)
    terms = tuple(replace(t, expr=expr) if t.label == label else t for t in statement.terms)
    return replace(statement, name="wrong", terms=terms, reductions=(), limits=())


def test_weights_of_sampled_clients_are_divided_by_the_sampled_fraction() -> None:
    statement = theorem("fedavg_nonconvex_partial")
    factors, weights = weighing(statement, {"C": 0.5, "eta_s": 3.0}, {}, [0.25, 0.75], [2.0, 2.0])
    assert factors == pytest.approx([1.5, 4.5])
    assert weights == pytest.approx([0.25, 0.75])


@needs_pepit
def test_a_start_that_counts_twenty_times_too_little_is_refuted() -> None:
    statement = theorem("sgd_nonconvex")
    found = worst_case(wrong("sgd_nonconvex", "initial gap", statement.terms[0].expr / 20))
    assert found.exact
    assert found.refutes
    assert found.slack == pytest.approx(1 / 20)
    assert "REFUTED" in found.to_text()


@needs_pepit
@each(("share", "refuted"), [(Rational(69, 50), False), (Rational(27, 20), True)])
def test_a_theorem_of_long_steps_is_refuted_only_where_it_is_wrong(share: Rational, refuted: bool) -> None:
    """The worst case is 1.36 L gap at eta L = 1.6; 1.38 L gap holds."""
    long = replace(wrong("local_sgd_nonconvex", "initial gap", share * L * gap), step_size=())
    found = worst_case(long, T=1, tau=2, eta=1.6)
    assert found.inside
    assert found.exact
    assert found.refutes == refuted


@needs_pepit
def test_a_missing_participation_term_is_refuted_where_the_start_is_the_optimum() -> None:
    statement = theorem("fedavg_convex_partial")
    terms = tuple(t for t in statement.terms if t.cause != "partial participation")
    found = worst_case(
        replace(statement, name="wrong", terms=terms, reductions=(), limits=()), tau=1, distance=0
    )
    assert found.bound == 0
    assert found.value > 0
    assert found.refutes
    assert found.setting["C"] == 0.5  # the class draws clients, though the bound does not feel it


@needs_pepit
def test_a_drift_without_its_tau_is_refuted_at_rest() -> None:
    statement = wrong("fedavg_nonconvex_sharp", "client drift", eta**2 * L**2 * sigma_g**2 / 3)
    assert not worst_case(statement, at_rest=True, tau=2).refutes
    assert worst_case(statement, at_rest=True, tau=3).refutes


@needs_pepit
@pytest.mark.slow
def test_the_published_bound_of_proximal_clients_is_refuted_and_the_safe_one_is_not() -> None:
    asked: dict[str, Any] = {"solver": "proximal", "tau_i": [2, 2], "mu_prox": 4, "eta": 0.25}
    published = worst_case(PRINTED, at_rest=True, **asked)
    assert published.bound == 0
    assert published.refutes
    assert published.value == pytest.approx(1 / 15, rel=1e-5)
    safe = worst_case(theorem("fednova_nonconvex_surrogate_sharp"), at_rest=True, **asked)
    assert safe.value == pytest.approx(published.value, rel=1e-5)
    assert not safe.refutes


@needs_pepit
def test_a_relaxation_refutes_nothing() -> None:
    tiny = wrong("fedavg_nonconvex", "initial gap", gap / (10**6 * eta * tau))
    found = worst_case(tiny, sigma_g=0)
    assert found.value > found.bound
    assert not found.exact
    assert not found.refutes
    assert "does not refute it" in found.to_text()


@each("name", [n for n in names() if n not in ASKABLE])
def test_every_other_theorem_is_refused_with_its_reason(name: str) -> None:
    with pytest.raises(BoundkitError, match=rf"no exact worst case can be computed for {name}: .+\.$"):
        worst_case(theorem(name))


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("fedavg_convex", {"sigma": 1}, "leave sigma out"),
    ("fedavg_convex", {"T": [1, 2]}, "T is a list, but an exact worst case takes one value"),
    ("fedavg_convex", {"m": 2.5}, "m = 2.5 was given, but"),
    ("fedavg_convex", {"at_rest": True, "T": 3}, "T must not be given"),
    ("fedavg_convex", {"tua": 3}, "did you mean 'tau'"),
    ("fedavg_convex_partial", {"m": 4, "C": 0.3}, "must be a whole number"),
    ("fednova_nonconvex", {"C_drift": 1}, "follows from the clients"),
]


@each(("name", "given", "said"), REFUSED)
def test_a_question_that_cannot_be_asked_is_refused(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        worst_case(theorem(name), **given)


@needs_pepit
@each(
    ("name", "given", "said"),
    [
        ("fedavg_convex_partial", {"m": 10, "T": 4}, "at most 1500 are solved"),
        ("fedavg_convex", {"m": 8}, "at most 1500 are solved"),
        ("sgd_nonconvex", {"at_rest": True}, "comes to rest where its gradient is 0"),
        ("fedavg_convex_partial", {"at_rest": True}, "does not come to rest"),
        ("sgd_strongly_convex", {"mu": 1}, "needs mu < L"),
    ],
)
def test_a_program_that_cannot_be_solved_is_refused(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        worst_case(theorem(name), **given)
