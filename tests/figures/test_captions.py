"""Captions name the clients that a picture is about, and the setting of a run."""

from __future__ import annotations

from typing import Any

from boundkit.analysis.compare import compare
from boundkit.analysis.predict import predict
from boundkit.analysis.regimes import regimes
from boundkit.figures.bound_against_run import setting
from boundkit.figures.compare import figure as compare_page
from boundkit.figures.number_format import settings
from boundkit.figures.regimes import figure as regimes_page
from boundkit.figures.terms import figure as terms
from boundkit.theorems import theorem
from boundkit.verification.record import Record
from tests.cases import each
from tests.figures.pictures import outside, words


def test_what_was_said_of_the_clients_stands_in_every_caption() -> None:
    nova = theorem("fednova_nonconvex")
    given: dict[str, Any] = {"tau_i": [2, 5, 9], "solver": "proximal", "prox_step": 0.1}
    page = terms(predict(nova, T=[10, 100, 1000], **given))
    assert outside(page) == []
    map_page = regimes_page(regimes(nova, "T", "sigma", **given))
    pair = compare(nova, theorem("fedavg_nonconvex"), T=[10, 100, 1000], tau=5, **given)
    for one in (page, map_page, compare_page(pair)):
        said = words(one).replace("\N{NBSP}", " ")
        assert r"$\tau_i$ = (2, 5, 9)" in said
        assert "solver = proximal" in said


def test_long_vectors_and_rows_are_said_shortly() -> None:
    assert settings({}, {"p_i": [0.1] * 10}).endswith("(0.1, 0.1, 0.1, ..., 0.1: 10 values)")
    assert settings({}, {"a_i": [[1, 1], [1, 2, 3]]}) == "a_i\N{NBSP}=\N{NBSP}2\N{NBSP}rows"


def a_record(**run: Any) -> Record:
    whole = {"rounds": 7, "eta": 0.1, "local_steps": 2, **run}
    return Record("t", "", {"constant_values": {}}, whole, {}, None, {})


@each(
    ("problem", "clients"),
    [
        ({"kind": "quadratic", "H": [1.0, 1.0], "e": [[0.0], [1.0]]}, {"m": 2}),
        ({"kind": "polynomial", "coefficients": [[1, 0, 0]] * 3}, {"m": 3}),
        ({"kind": "logistic", "clients": 30}, {"m": 30}),
        ({"kind": "x", "p": [1]}, {"m": 1}),
        ({"kind": "x"}, {}),
    ],
)
def test_the_setting_has_the_clients_of_every_kind_of_problem(
    problem: dict[str, Any], clients: dict[str, int]
) -> None:
    assert setting(a_record(problem=problem)) == {**clients, "T": 7, "eta": 0.1, "tau": 2}


def test_a_rate_that_falls_has_its_offset() -> None:
    found = setting(a_record(problem={"kind": "x"}, eta={"first": 0.3, "offset": 8}))
    assert (found["eta"], found["offset"]) == (0.3, 8)
