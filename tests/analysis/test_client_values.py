"""Clients put into a theorem: what may be given, what becomes of it, and what is refused."""

from collections.abc import Mapping

import numpy as np
import pytest
from sympy import Rational, simplify, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import (
    VECTORS,
    A_noise,
    C_drift,
    L,
    T,
    availability,
    chi2,
    eta,
    eta_s,
    m,
    sigma,
    tau,
    tau_eff,
)
from boundkit.analysis.client_values import client_rows, homogeneous_form, substitute_clients
from boundkit.analysis.complexity import complexity, without_constants
from boundkit.analysis.predict import predict
from boundkit.analysis.rate import split_rules, substitute_rules
from boundkit.analysis.sensitivity import sensitivity
from boundkit.analysis.solver_weights import gradient_weights
from boundkit.theorems import catalogue, theorem
from tests.analysis.asking import usual
from tests.cases import each, thinned
from tests.representatives import REPRESENTATIVES
from tests.theorems.printed_fednova import PRINTED

STEP_RULES = {eta: 1 / (L * sqrt(T)), eta_s: sqrt(m)}
NOVA = theorem("fednova_nonconvex")
WITH_CLIENTS = [t for t in catalogue().values() if t.solvers]


def numbers(statement: Theorem) -> dict[str, float]:
    return {q.name: float(e) for q, e in statement.definitions.items() if e.is_number}


def test_substitution_leaves_scalars_only() -> None:
    for statement, solver in ((t, s) for t in WITH_CLIENTS for s in t.solvers):
        scalar, left = substitute_clients(statement, {"tau_i": [2, 5], "solver": solver})
        known = {q.name for q in scalar.quantities}
        assert not known & {"tau_i", "p_i", "w_i", "a1_i", "a2_i", "alast_i"}
        assert set(left) <= known | {"m"}
        assert not scalar.solvers
        assert scalar.name == statement.name
        assert "tau" not in known


def test_a_transformation_of_a_theorem_done_twice_is_done_once() -> None:
    for statement in map(theorem, REPRESENTATIVES):
        for solver in statement.solvers or (None,):
            scalar = homogeneous_form(statement, solver)
            assert homogeneous_form(scalar) is scalar, (statement.name, solver)
        given, left = substitute_clients(statement, usual(statement), free=("availability", "tau"))
        assert substitute_clients(given, left) == (given, left), statement.name
        constants = without_constants(scalar)
        assert without_constants(constants) is constants, statement.name
        rules = {q.name: rule for q, rule in STEP_RULES.items() if q in scalar.quantities}
        formulas, rest = split_rules({"T": 5, **rules})
        ruled, _ = substitute_rules(statement, formulas)
        assert (formulas, rest) == (rules, {"T": 5}), statement.name
        assert substitute_rules(ruled, split_rules(rest)[0]) == (ruled, {}), statement.name
        assert homogeneous_form(ruled) is ruled or not rules, statement.name


def test_a_letter_that_homogeneous_clients_give_itself_is_no_definition() -> None:
    scalar = homogeneous_form(theorem("fedau_nonconvex_rate"))
    assert availability in scalar.quantities
    assert availability not in scalar.definitions
    ruled = complexity(theorem("fedavg_nonconvex_all"), eta="1/(L*sqrt(T))")
    assert ruled.rules == {"eta": 1 / (L * sqrt(T))}
    answer = sensitivity(theorem("fedau_nonconvex_rate"), "tau", eta="1/(L*sqrt(T))", tuned=False)
    assert answer.effect("tau", "under the rules").word == "depends"


def test_homogeneous_clients_become_formulas() -> None:
    scalar = homogeneous_form(NOVA)
    assert scalar.definitions[tau_eff] == tau
    assert scalar.definitions[A_noise] == 1
    assert simplify(scalar.definitions[C_drift] - tau * (tau - 1)) == 0
    assert scalar.definitions[chi2] == 0
    assert scalar.bound.terms["noise drift"].expr == Rational(20, 3) * L**2 * eta**2 * sigma**2 * (tau - 1)


def test_missing_vectors_are_homogeneous() -> None:
    given, left = substitute_clients(NOVA, {"tau_i": [2, 4, 6]})
    same, _ = substitute_clients(NOVA, {"tau_i": [2, 4, 6], "p_i": [1 / 3] * 3})
    assert numbers(given) == pytest.approx(numbers(same), rel=1e-15)
    assert left == {"m": 3}
    assert given.clients == {"tau_i": [2, 4, 6]}


def test_conditions_that_say_nothing_are_dropped_and_others_kept() -> None:
    one_step, _ = substitute_clients(NOVA, {"tau_i": [1, 1]})
    assert [str(c) for c in one_step.step_size] == ["2*L*eta <= 1"]
    pulled, _ = substitute_clients(NOVA, {"tau_i": [1, 2], "solver": "proximal"})
    assert len(pulled.step_size) == 3
    too_far, _ = substitute_clients(NOVA, {"tau_i": [2, 2], "solver": "proximal", "prox_step": 1.5})
    assert not predict(too_far, prox_step=1.5, m=2, eta=1e-6).holds


@each(
    ("solver", "setting"),
    [
        ("sgd", {}),
        ("decay", {"decay": 0.8}),
        ("momentum", {"rho_momentum": 0.9}),
        ("proximal", {"prox_step": 0.3}),
    ],
)
def test_written_weights_give_what_their_solver_gives(solver: str, setting: dict[str, float]) -> None:
    steps, p = [2, 5, 1], [0.2, 0.3, 0.5]
    a_i = [gradient_weights(solver, n, **setting) for n in steps]
    written = predict(PRINTED, a_i=a_i, p_i=p)  # which counts the walk of any solver by its weights
    solved = predict(PRINTED, tau_i=steps, p_i=p, solver=solver, **setting)
    assert written.terms == pytest.approx(solved.terms, rel=1e-12)
    assert written.theorem.clients["a_i"] == a_i


Given = Mapping[str, object]


@each(
    ("given", "sentence"),
    [
        ({}, r"needs tau_i \(local steps of a client\), one value for each client, or tau"),
        ({"p_i": [0.5, 0.5]}, "needs tau_i"),
        ({"tau_i": [1, 2], "p_i": [0.5, 0.25, 0.25]}, "p_i holds 3 weights for 2 clients"),
        ({"tau_i": [1, 2], "p_i": [0.5, 0.6]}, "sums to 1.1, but weights sum to 1"),
        ({"tau_i": [1, 2.5]}, "whole number"),
        ({"tau_i": [1, float("nan")]}, "finite"),
        ({"tau_i": [1, 2], "w_i": [1, 0]}, "above 0"),
        ({"tau_i": []}, "one number a client"),
        ({"tau_i": 3}, "one number a client"),
        ({"tau_i": "2,3"}, "one number a client"),
        ({"tau_i": [[[1]]]}, "one number a client"),
        ({"tau_i": [[1, 2], [3]]}, "one number a client"),
        ({"tau_i": [[1, 2], [3, 4]]}, "every round is the same: give one"),
        ({"tau_i": [1, 2], "m": 3}, "m = 3 was given, but .* 2 clients"),
        ({"tau_i": [1, 2], "tau": 3}, "tau was given, but it has no effect on"),
        ({"tau_i": [1, 2], "rho_momentum": 0.5}, "has no effect on"),
        ({"tau_i": [1, 2], "solver": "adam"}, "unknown solver"),
        ({"tau_i": [1, 2], "solver": 3}, "unknown solver"),
        ({"tau_i": [1, 2], "prox_step": 0.1, "solver": "proximal", "mu_prox": 1}, "has no effect on"),
        ({"tua_i": [1, 2]}, "did you mean 'tau_i'"),
        ({"a_i": [[1, 1], [1]], "tau": 2}, "tau must not be given beside it"),
        ({"a_i": [[1, 1], [1]], "tau_i": [2, 1]}, "tau_i must not be given beside it"),
        ({"a_i": [[1, 1], [1]], "solver": "sgd"}, "solver must not be given beside it"),
        ({"a_i": [[1, 1], [1]], "a1_i": [2, 1]}, "a1_i must not be given beside it"),
        ({"a_i": [[1, 1], [1]], "p_i": [0.2, 0.3, 0.5]}, "p_i holds 3 weights for 2 clients"),
        ({"a_i": [[1, 1], []]}, "a list of weights for each client"),
        ({"a_i": [[1, -1], [1]]}, "at least 0"),
        ({"a_i": [[1, float("inf")], [1]]}, "finite"),
        ({"a_i": [0, 0]}, "not all 0"),
        ({"a_i": "1,1"}, "a list of weights"),
        ({"a_i": 3}, "a list of weights"),
        ({"a_i": [[[1]]]}, "a list of weights"),
    ],
    ids=str,
)
def test_mistakes_are_refused_in_a_sentence(given: Given, sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        substitute_clients(NOVA, given)


def test_different_numbers_of_rows_are_refused() -> None:
    varying = theorem("fednova_nonconvex_varying")
    rows = {"tau_i": [[1, 2], [3, 4]], "p_i": [[0.5, 0.5]] * 3}
    with pytest.raises(BoundkitError, match=r"have \[2, 3\] rows, but one row is one round"):
        substitute_clients(varying, rows)
    substitute_clients(varying, {**rows, "p_i": [0.25, 0.75]})


@each("statement", thinned(WITH_CLIENTS, 3), ids=lambda t: t.name)
def test_homogeneous_form_agrees_with_equal_vectors(statement: Theorem) -> None:
    for solver in statement.solvers:
        setting = {"T": 50, "eta": 0.003} if "eta" in {q.name for q in statement.quantities} else {}
        short = predict(statement, solver=solver, tau=4, m=3, **setting)
        long = predict(statement, solver=solver, tau_i=[4, 4, 4], **setting)
        for label, value in short.terms.items():
            assert long.terms[label] == pytest.approx(value, rel=1e-11, abs=1e-24), (solver, label)


def test_one_row_is_one_round_and_several_are_several() -> None:
    rows = client_rows(VECTORS, {"tau_i": [2, 5], "p_i": np.array([0.25, 0.75])})
    assert {name: r.shape for name, r in rows.items()} == {"tau_i": (1, 2), "p_i": (1, 2)}
    assert rows["tau_i"].tolist() == [[2.0, 5.0]]
    rows = client_rows(VECTORS, {"tau_i": [[2, 5], [1, 1], [3, 3]], "p_i": (0.25, 0.75)})
    assert rows["tau_i"].shape == (3, 2)
    assert rows["p_i"].shape == (1, 2)


def test_weights_sum_to_one_up_to_rounding() -> None:
    third = [1 / 3] * 3
    assert client_rows(VECTORS, {"p_i": third})["p_i"].sum() == pytest.approx(1)
    with pytest.raises(BoundkitError, match=r"p_i sums to 0\.99999, but weights sum to 1"):
        client_rows(VECTORS, {"p_i": [0.5, 0.49999]})
    with pytest.raises(BoundkitError, match="w_i sums to"):
        client_rows(VECTORS, {"w_i": [[0.5, 0.5], [0.5, 0.6]]})
    client_rows(VECTORS, {"q_i": [0.5, 0.9]})


@each(
    ("name", "given", "sentence"),
    [
        ("tau_i", [1, 0], "tau_i holds 0, but it must be a whole number, at least 1"),
        ("tau_i", [1, 2.5], "holds 2.5"),
        ("q_i", [0.5, 1.5], "at most 1"),
        ("q_i", [0.5, 0], "above 0"),
        ("p_i", [1.5, -0.5], "at least 0"),
        ("tau_i", [1, float("inf")], "must be finite"),
    ],
)
def test_values_outside_their_domain_are_refused(name: str, given: list[float], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        client_rows(VECTORS, {name: given})
