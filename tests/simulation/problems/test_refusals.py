"""Invalid arguments of all families: one sentence that names the field."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import (
    ClippingProblem,
    Exponential,
    Huber,
    LogCosh,
    Logistic,
    Polynomial,
    Quadratic,
    SmoothNonconvex,
)
from tests.simulation.problems.test_clipping_problem import SETTING

ARGUMENTS: list[tuple[Callable[..., object], list[tuple[Any, str]]]] = [
    (
        Quadratic,
        [
            (([1.0], np.zeros((2, 1))), "H has 1 entries, but e has 2 clients"),
            (([1.0, [1.0, 2.0]], np.zeros((2, 1))), r"H\[1\] must have the shape \(1,\)"),
            (([1.0, [[1.0, 2.0], [0.0, 1.0]]], np.zeros((2, 2))), r"H\[1\] must be symmetric"),
            (([1.0, [[1.0, 2.0], [2.0]]], np.zeros((2, 2))), r"H\[1\]"),
            (([1.0], np.zeros((1, 0))), "e must hold at least one client"),
            (([1.0, 1.0], np.zeros((2, 1)), [0.5, 0.4]), "p must sum to 1, but it sums to 0.9"),
            (
                ([1.0, 1.0], np.zeros((2, 1)), [1.5, -0.5]),
                "p must not be negative, but client 1 has weight -0.5",
            ),
            (([1.0, 1.0], np.zeros((2, 1)), None, -1.0), "noise is a standard deviation"),
            (
                ([[1.0, 0.0], [-1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]),
                "singular and the mean loss has no stationary point",
            ),
            (([1e200, 1.0], np.zeros((2, 1))), r"H\[0\] must be at most 1e\+50 in absolute value"),
            (([1.0, 1.0], np.full((2, 1), 1e200)), r"e must be at most 1e\+50 in absolute value"),
        ],
    ),
    (
        Polynomial,
        [
            (([],), "coefficients must be a list with one list a client"),
            (([[]],), r"coefficients\[0\] must hold 1 to 41 numbers, but it holds 0"),
            (([[1.0] * 42],), r"coefficients\[0\] must hold 1 to 41 numbers, but it holds 42"),
            (([[1e101]],), r"coefficients\[0\] must be at most 1e\+50"),
            (([[1.0, 0.0]], None, -1.0), "noise is a standard deviation"),
            (([[1.0, 0.0]], None, 0.0, 0.0), "L1 must be above 0, but it is 0"),
            (([[1.0, 0.0]], None, 0.0, None, -1.0), "rho_zeta must be at least 0, but it is -1"),
            (
                ([[1.0, 0, 0], [3.0, 0, 0]], None, 0.0, None, 0.4),
                "rho_zeta must be above 0.5 for this problem",
            ),
        ],
    ),
    (
        Exponential,
        [
            (([[0.0]], 0.0), "L0 must be above 0, but it is 0"),
            (([[0.0]], 1.0, -2.0), "L1 must be above 0, but it is -2"),
            (([[0.0]], 1.0, 1.0, [0.0]), "s must be above 0, but it is 0"),
            (([[0.0]], 1.0, 1.0, [1.0, 2.0]), "s must have the shape"),
            (([[0.0], [1e6]],), "the centres e differ so much, in units of 1/L1, that the losses overflow"),
        ],
    ),
    (
        LogCosh,
        [
            (([1.0, 0.0], [[0.0], [1.0]]), "h must be above 0, but it is 0"),
        ],
    ),
    (
        Huber,
        [
            (([1.0, 0.0], [1, 1], [1, 1], [[0.0], [1.0]]), "h must be above 0, but it is 0"),
            (([1.0], [0.0], [1], [[0.0]]), "a must be above 0, but it is 0"),
            (([1.0], [1], [-1], [[0.0]]), "b must be above 0, but it is -1"),
            (
                ([1.0, 0.5], [1, 1], [1, 1], [[0.0], [0.0]], 0.7),
                "from 0 to the smallest h, 0.5, but it is 0.7",
            ),
        ],
    ),
    (SmoothNonconvex, [(([[1.0], [0.0]],), r"sum p_i e_i must be 0, but it is 0\.5")]),
]
LOGISTIC: list[tuple[dict[str, Any], str]] = [
    ({"alpha": -1.0}, "alpha is a standard deviation and must be at least 0, but it is -1"),
    ({"clients": 0}, "clients must be a whole number from 1 to 1000000, but it is 0"),
    ({"classes": 1}, "classes must be a whole number from 2"),
    ({"seed": -1}, "seed must be a whole number from 0"),
    ({"l2": 0.0}, "l2 must be above 0, but it is 0"),
    ({"sizes": [1, 2]}, "sizes must have the shape"),
    ({"sizes": [1, 2, 0]}, "sizes must be whole numbers of at least 1"),
    ({"sizes": [1, 2, 1e30]}, "at most 1000000 points in all"),
    ({"clients": 10**6}, "at most 1000000 points in all"),
]
CLIPPING: list[tuple[dict[str, Any], str]] = [
    ({"instance": "vally"}, "unknown clipping instance 'vally'; did you mean 'valley'"),
    ({"gap": None}, "the clipping instance 'wrong_majority' needs 'gap'"),
    ({"clients": 2}, "at least 3 clients"),
    ({"L1": 0.0}, "L1 must be above 0, but it is 0"),
    ({"gap": 0.1}, "the corner alone is"),
]


def test_invalid_arguments_are_refused_by_field() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (partial(family, *arguments), sentence) for family, rows in ARGUMENTS for arguments, sentence in rows
    ]
    base: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "clients": 3}
    cases += [(partial(Logistic, **base | changed), sentence) for changed, sentence in LOGISTIC]
    setting: dict[str, Any] = {"instance": "wrong_majority", **SETTING}
    cases += [(partial(ClippingProblem, **setting | changed), sentence) for changed, sentence in CLIPPING]
    for make, sentence in cases:
        with pytest.raises(BoundkitError, match=sentence):
            make()
