import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from sympy import Ge, Integer, Le, Max, Min, Rational, S, Symbol, sqrt

from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import POSITIVE
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import B_drift, C_drift, L, T, eta, gap, m, mu, sigma, sigma_g, tau, tau_eff
from boundkit.algebra.papers import Source
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.reduction import Limit, Reduction
from boundkit.algebra.term import Term
from boundkit.algebra.theorem import Theorem
from boundkit.algebra.vocabulary import BOUNDED_NOISE, MEAN_LOSS_GAP, MEAN_SQUARED_GRADIENT, SMOOTH
from tests.cases import each


def term(expr: object, cause: str = "initial gap", provenance: str = "stated", label: str = "") -> Term:
    return Term(cause, expr, provenance, "a reason", label)


START = term(2 * gap / (eta * T))
NOISE = term(eta * L * sigma**2 / m, "stochastic noise", "appendix")
GOOD: dict[str, Any] = {
    "name": "sgd",
    "algorithm": "minibatch_sgd",
    "claim": MEAN_SQUARED_GRADIENT,
    "assumptions": (SMOOTH, BOUNDED_NOISE),
    "terms": (START, NOISE),
    "source": Source(("Bottou",), 2018, "Optimization", "1606.04838", "Theorem 4.8"),
    "step_size": (Le(eta, 1 / L),),
}


def build(**changed: Any) -> Theorem:
    return Theorem(**{**GOOD, **changed})


def test_theorem_answers_for_its_parts() -> None:
    theorem = build(requires=(Le(mu, L),))
    assert list(theorem.bound.terms) == ["initial gap", "stochastic noise"]
    assert theorem.bound.total == 2 * gap / (eta * T) + eta * L * sigma**2 / m
    assert theorem.quantities == (m, T, eta, L, mu, sigma, gap)
    assert theorem.assumes("smooth", "bounded-noise")
    assert theorem.assumes()
    assert not theorem.assumes("smooth", "convex")


def test_constants_are_as_sure_as_the_least_sure() -> None:
    assert build().constants == "appendix"
    assert build(terms=(START,)).constants == "stated"
    assert build(terms=(START, term(sigma**2, provenance="order", label="x"), NOISE)).constants == "order"


def test_terms_may_be_maxima_minima_and_symbolic_powers_of_pure_numbers() -> None:
    build(
        terms=(
            term(Max(sigma**2, sigma_g**2) * Min(1, eta * L) * (1 - eta * L) ** tau),
            term(sqrt(L * gap) * Max(sigma, sigma_g), "client drift"),
        )
    )


def test_theorem_is_frozen_hashable_and_survives_copies_and_pickles() -> None:
    theorem = build(
        reductions=(Reduction("other", {tau: 1}, {"initial gap": 2}),),
        limits=(Limit({sigma: 0}, ("stochastic noise",)),),
    )
    with pytest.raises(FrozenInstanceError):
        theorem.name = "x"  # type: ignore[misc]
    for twin in (copy.copy(theorem), copy.deepcopy(theorem), pickle.loads(pickle.dumps(theorem))):
        assert twin == theorem
        assert hash(twin) == hash(theorem)
        assert twin.bound.total - theorem.bound.total == 0
        assert twin.quantities == theorem.quantities
    assert build() != theorem


def test_lecture_notes_bound_with_a_unitless_step_is_refused_and_explained() -> None:
    with pytest.raises(DimensionError) as error:
        build(terms=(term((1 + sigma**2) / sqrt(m * tau * T)),))
    message = str(error.value)
    assert message.startswith("theorem sgd: ")
    assert "1 has dimension 1 (no unit)" in message
    assert "sigma**2 has dimension [F]^2/[x]^2" in message
    assert "a step size replaced by a number loses its unit" in message
    assert "sqrt(m/(tau*T))/L" in message


def test_step_with_its_unit_restored_is_accepted() -> None:
    step = sqrt(m / (tau * T)) / L
    theorem = build(
        terms=(term(START.expr.subs(eta, step)), term(NOISE.expr.subs(eta, step), "stochastic noise"))
    )
    assert theorem.bound.terms["initial gap"].expr == 2 * L * gap * sqrt(tau) / sqrt(m * T)


@each(
    ("changed", "words"),
    [
        ({"name": "FedAvg"}, ["'FedAvg'", "lower case"]),
        ({"name": "2sgd"}, ["'2sgd'", "lower case"]),
        ({"name": ""}, ["lower case"]),
        ({"terms": ()}, ["no terms"]),
        ({"terms": (START, START)}, ["two terms called 'initial gap'", "label"]),
        (
            {"limits": (Limit({tau: 1}, ("drift",)),)},
            ["theorem sgd: its limits name", "unknown term 'drift'"],
        ),
        ({"claim": "mean squared gradient"}, ["claim='mean squared gradient'", "MEAN_SQUARED_GRADIENT"]),
        (
            {"reductions": (Reduction("x", {}, leaves=("drift",)),)},
            ["its leaves of a reduction name", "unknown term 'drift'"],
        ),
        ({"reductions": (Reduction("x", {}, {"inital gap": 2}),)}, ["did you mean 'initial gap'"]),
        ({"step_size": (Ge(sigma, 0),)}, ["condition True", "always true"]),
        ({"requires": (S.false,)}, ["condition False"]),
        ({"requires": (eta,)}, ["condition eta", "no inequality"]),
        (
            {"terms": (START, term(Quantity("eta", "e", "", POSITIVE, ONE, 1) * sigma**2, "client drift"))},
            ["2 quantities called 'eta'", "one meaning"],
        ),
        ({"definitions": {tau_eff: tau_eff}}, ["tau_eff, tau_eff, refers to tau_eff itself."]),
        (
            {"definitions": {B_drift: C_drift / tau}, "solvers": {"sgd": {C_drift: tau * B_drift}}},
            ["definition of B_drift, C_drift/tau, refers to B_drift itself through C_drift."],
        ),
        ({"rules": {eta: 1 / (L * tau_eff)}, "definitions": {tau_eff: L * eta * T}}, ["through"]),
    ],
)
def test_malformed_theorem_is_refused_by_a_sentence(changed: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(BoundkitError) as error:
        build(**changed)
    for part in words:
        assert part in str(error.value)
    assert str(error.value).endswith((".", "?"))


@each(
    ("changed", "words"),
    [
        ({"claim": MEAN_LOSS_GAP}, "but the mean loss gap has dimension [F]"),
        ({"terms": (term(gap / (eta * T) + gap / T),)}, "unlike things"),
        ({"terms": (term(eta**2 * L * sigma**2),)}, "forgotten L"),
        ({"terms": (term(eta * L * sigma),)}, "has dimension [F]/[x], but"),
        ({"terms": (term(Symbol("eta") * L * sigma**2),)}, "the symbol eta has no dimension"),
        ({"terms": (term(Integer(3)),)}, "has dimension 1 (no unit)"),
        ({"step_size": (Le(eta * L, 1), Le(eta, Rational(1, 8) / tau))}, "loses its unit"),
        ({"requires": (Le(mu, gap),)}, "compares [F]/[x]^2 with [F]"),
        ({"limits": (Limit({eta: 1}, ()),)}, "eta has dimension [x]^2/[F], but the value 1"),
        ({"reductions": (Reduction("x", {L: 1}),)}, "L has dimension [F]/[x]^2, but the value 1"),
    ],
)
def test_wrong_dimension_is_refused_and_the_theorem_named(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(DimensionError) as error:
        build(**changed)
    assert str(error.value).startswith("theorem sgd: ")
    assert words in str(error.value)
