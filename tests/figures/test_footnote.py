"""The setting under a picture, whatever kind of problem and step the run has."""

from __future__ import annotations

from typing import Any

from boundkit.figures.bound_against_run import setting
from boundkit.verification.record import Record
from tests.cases import each

QUADRATIC = {"kind": "quadratic", "H": [1.0, 1.0], "e": [[0.0], [1.0]]}
POLYNOMIAL = {"kind": "polynomial", "coefficients": [[1, 0, 0]] * 3}


def a_record(**run: Any) -> Record:
    whole = {"problem": QUADRATIC, "rounds": 7, "eta": 0.1, "local_steps": 2} | run
    return Record("t", "", {"constant_values": {}}, whole, {}, None, {})


@each(
    ("problem", "m"),
    [
        (QUADRATIC, 2),
        (POLYNOMIAL, 3),
        ({"kind": "logistic", "clients": 30}, 30),
        ({"kind": "x", "p": [1]}, 1),
    ],
)
def test_every_kind_of_problem_has_its_clients(problem: dict[str, Any], m: int) -> None:
    assert setting(a_record(problem=problem)) == {"m": m, "T": 7, "eta": 0.1, "tau": 2}


def test_a_problem_that_does_not_say_how_many_leaves_them_out() -> None:
    assert "m" not in setting(a_record(problem={"kind": "x"}))


def test_a_rate_that_falls_has_its_offset() -> None:
    found = setting(a_record(eta={"first": 0.3, "offset": 8}))
    assert (found["eta"], found["offset"]) == (0.3, 8)
