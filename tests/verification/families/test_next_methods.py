"""Robust aggregation, exchanges by a coin, gossip, compression: constants, and runs that do not fit."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.base import Received, Round
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.families.byzantine import coefficient
from boundkit.verification.families.gossip import kept_spread, ring
from boundkit.verification.families.second_order import THIRD_DERIVATIVE
from tests.cases import each

FOUR = Quadratic([1.0, 0.5, 0.2, 0.1], [[1.0], [-1.0], [2.0], [0.0]])
TOGETHER = {"kind": "together", "probability": 0.2}
UNIFORM = {"kind": "uniform", "C": 0.25}


def aggregate(name: str, values: list[float], byzantine: int) -> float:
    """What the server of robust_fedavg makes of honest updates on a line."""
    solver = algorithm("robust_fedavg", {"aggregator": name, "byzantine": byzantine})
    n = len(values)
    weights, ones = np.full(n, 1 / n), np.ones(n, dtype=int)
    round = Round(0, n, np.arange(n), None, ones, weights, np.ones(1), 1.0)
    sent = {"update": np.array(values)[None, :, None]}
    return -float(solver.server_step({"x": np.zeros((1, 1))}, Received(sent, round))["x"][0, 0])


@each("name", ["trimmed_mean", "median"])
def test_no_two_values_exceed_the_coefficient_of_an_aggregator_and_some_attain_it(name: str) -> None:
    for n in range(3, 9):
        for f in range(1, (n + 1) // 2):
            honest, errors = n - f, []
            for high in range(1, honest):
                z = [1.0] * high + [0.0] * (honest - high)
                errors.append((aggregate(name, z, f) - np.mean(z)) ** 2 / np.var(z))
            assert (
                max(errors, default=0.0) == pytest.approx(coefficient(name, n, f), rel=1e-12) or honest == 1
            )


def test_the_spread_that_a_ring_keeps() -> None:
    run = make_run("gossip_sgd", FOUR, rounds=1, eta=0.1, options={"matrix": ring(4).tolist()})
    assert kept_spread(run) == pytest.approx(1 / 3)


def test_the_largest_third_derivative_of_log_cosh() -> None:
    x = np.linspace(-2, 2, 100_001)
    assert np.abs(2 * np.tanh(x) / np.cosh(x) ** 2).max() == pytest.approx(THIRD_DERIVATIVE, rel=1e-8)


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("scaffnew_strongly_convex", "scaffnew", {"participation": UNIFORM}, "all clients together"),
    ("scaffnew_strongly_convex", "scaffnew", {"participation": TOGETHER}, "at the probability 0.2"),
    ("byzantine_gd_nonconvex", "robust_fedavg", {"options": {"aggregator": "mean"}}, "robust aggregator"),
    ("async_sgd_heterogeneous_nonconvex", "async_sgd", {"schedule": [[0], [1]]}, "drawn uniformly"),
    ("async_sgd_heterogeneous_nonconvex", "async_sgd",
     {"participation": UNIFORM, "options": {"delays": [[0, 1, 2, 3]]}}, "do not depend on the client"),
    ("fedpaq_nonconvex", "ef21", {}, "compressed without bias"),
    ("dp_fedavg_nonconvex", "fedpaq", {}, "Gaussian noise"),
    ("ef21_nonconvex", "fedpaq", {}, "error feedback"),
    ("gossip_local_sgd_nonconvex", "gossip_sgd", {"options": {"matrix": np.eye(4).tolist()}}, "connected"),
]  # fmt: skip


@each("case", REFUSED, ids=str)
def test_a_run_that_does_not_fit_is_refused_with_the_reason(case: Any) -> None:
    name, method, settings, words = case
    run = make_run(method, FOUR, **{"rounds": 2, "eta": 0.1, **settings})
    assert any(words in reason for reason in reasons_not_applicable(theorem(name), run))
