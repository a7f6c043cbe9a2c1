"""Captions name the clients that a picture is about."""

from typing import Any

from boundkit.analysis.compare import compare
from boundkit.analysis.predict import predict
from boundkit.analysis.regimes import regimes
from boundkit.figures.compare import figure as compare_page
from boundkit.figures.number_format import settings
from boundkit.figures.regimes import figure as regimes_page
from boundkit.figures.terms import figure as terms
from boundkit.theorems import theorem
from tests.figures.pictures import outside, words


def test_what_was_said_of_the_clients_stands_in_every_caption() -> None:
    nova = theorem("fednova_nonconvex")
    given: dict[str, Any] = {"tau_i": [2, 5, 9], "solver": "proximal", "prox_step": 0.1}
    pages = [
        terms(predict(nova, T=[10, 100, 1000], **given)),
        regimes_page(regimes(nova, "T", "sigma", **given)),
        compare_page(compare(nova, theorem("fedavg_nonconvex"), T=[10, 100, 1000], tau=5, **given)),
    ]
    for page in pages:
        said = words(page).replace("\N{NBSP}", " ")
        assert r"$\tau_i$ = (2, 5, 9)" in said
        assert "solver = proximal" in said
        assert outside(page) == []


def test_long_vectors_and_rows_are_said_shortly() -> None:
    assert settings({}, {"p_i": [0.1] * 10}).endswith("(0.1, 0.1, 0.1, ..., 0.1: 10 values)")
    assert settings({}, {"a_i": [[1, 1], [1, 2, 3]]}) == "a_i\N{NBSP}=\N{NBSP}2\N{NBSP}rows"
