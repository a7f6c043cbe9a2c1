"""Theorems on outer optimisers: the term tables of the recorded sheet, and necessary constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.outer_optimisers import OuterOptimiser
from boundkit.theorems import theorem
from tests.cases import each

NONCONVEX = {"m": 16, "C": 0.25, "T": 1000, "tau": 10, "eta": 0.002, "beta_s": 0.5, "L": 1, "sigma": 1,
             "sigma_g": 0.5, "gap": 2}  # fmt: skip
CONVEX = {"m": 16, "T": 1000, "tau": 10, "eta": 0.01, "L": 1, "sigma": 1, "distance": 3}
CASES: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("fedavgm_nonconvex_partial", NONCONVEX | {"eta_s": 0.2, "nesterov": 0},
     [0.325, 2.133333333333e-4, 3.6e-5, 4.0e-4, 4.5e-5]),
    ("fedavgm_nonconvex_partial", NONCONVEX | {"eta_s": 0.2, "nesterov": 1},
     [0.325, 1.866666666667e-4, 3.6e-5, 3.5e-4, 4.5e-5]),
    ("fedavgm_nonconvex_partial_long_steps", NONCONVEX | {"eta_s": 5, "nesterov": 0},
     [0.021333333333, 0.008888888889, 2.4e-5, 0.016666666667, 3.0e-5]),
    ("fedavgm_nonconvex_partial_long_steps", NONCONVEX | {"eta_s": 5, "nesterov": 1},
     [0.021333333333, 0.007777777778, 2.4e-5, 0.014583333333, 3.0e-5]),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 1, "beta_s": 0, "nesterov": 1},
     [0.045, 3.125e-4, 2.109375e-4]),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 3, "beta_s": 0, "nesterov": 1},
     [0.015, 9.375e-4, 2.109375e-4]),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 0.5, "beta_s": 0.5, "nesterov": 0},
     [0.045, 4.166666666667e-4, 2.109375e-4]),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 0.5, "beta_s": 0.5, "nesterov": 1},
     [0.045, 3.645833333333e-4, 2.109375e-4]),
    ("accelerated_local_sgd_convex", CONVEX | {"T": 50}, [0.069204152249, 0.005824479167, 0.004273125]),
    ("accelerated_local_sgd_strongly_convex",
     CONVEX | {"T": 200, "gap": 2, "mu": 0.05, "beta_s": 0.868056917139}, [9.659367325e-7, None, None]),
    ("fedcm_nonconvex", CONVEX | {"fresh": 0.1, "eta_s": 0.3, "gap": 2, "gradients_start": 5},
     [0.177777777778, 7.142857142857e-4, 1.0125e-5, 0.0050625]),
]  # fmt: skip
CONDITIONS: list[tuple[str, dict[str, Any], float]] = [
    ("fedavgm_nonconvex_partial", NONCONVEX | {"eta_s": 0.2, "nesterov": 0}, 24 * 0.032),
    ("fedavgm_nonconvex_partial_long_steps", NONCONVEX | {"eta_s": 5, "nesterov": 1}, 0.5),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 3, "beta_s": 0, "nesterov": 0}, 0.21),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 0.5, "beta_s": 0.5, "nesterov": 0}, 0.31),
    ("fedavgm_convex_homogeneous", CONVEX | {"eta_s": 0.5, "beta_s": 0.5, "nesterov": 1}, 0.16),
]


@each("case", CASES)
def test_the_terms_are_those_of_the_table(case: tuple[str, dict[str, Any], list[Any]]) -> None:
    name, values, expected = case
    terms = [float(evaluate(t.expr, values)) for t in theorem(name).terms]
    for term, value in zip(terms, expected, strict=True):
        assert value is None or term == pytest.approx(value, rel=1e-9)
    if None in expected:  # noise and drift in one number
        assert sum(terms[1:]) == pytest.approx(0.008110435285, rel=1e-8)


def test_the_step_conditions_are_those_of_the_table() -> None:
    for name, values, expected in CONDITIONS:
        condition = theorem(name).step_size[-1]
        ratio = evaluate(condition.lts, values) / evaluate(condition.gts, values)
        assert ratio == pytest.approx(expected, rel=1e-12)


def test_the_constant_of_the_gap_is_above_the_least_that_quadratics_allow() -> None:
    """Without noise, one step a round, at the longest allowed outer step: the sum of r^2 over all rounds."""
    for beta, n, expected in ((0.5, 0, 1.391304347826), (0.9, 0, 1.339604891816),
                              (0.5, 1, 1.410256410256), (0.9, 1, 1.329303389326)):  # fmt: skip
        outer = OuterOptimiser(1.0, beta, n)
        a = (1 - beta) / (1 + 3 * outer.gamma / (1 - beta))
        k = 1 - n * (1 - beta)
        M = np.array([[1 - a * (1 + n * beta), -k * beta], [a, beta]])
        squares = np.linalg.solve(np.eye(4) - np.kron(M, M), np.array([1.0, 0, 0, 0]))[0]
        assert 2 * a / (1 - beta) * squares == pytest.approx(expected, abs=1e-10)
        assert expected < 32 / 15
