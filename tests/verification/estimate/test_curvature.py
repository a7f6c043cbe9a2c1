"""Hessian norms by power iteration against whole Hessians."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boundkit import Quadratic
from boundkit.simulation.problems import Network
from boundkit.verification.estimate import estimate
from boundkit.verification.estimate.curvature import client_norms, mean_norm, product
from tests.cases import each
from tests.verification.estimate.small import clients, hessians, least_squares, perceptron, softmax

MADE = [least_squares, perceptron, softmax, lambda: perceptron(l2=0.3)]


@each("make", MADE)
def test_products_are_those_of_the_hessians(make: Callable[[], Network]) -> None:
    import torch

    problem = make()
    w, rng = problem.initial_point({"seed": 1}), np.random.default_rng(3)
    V = rng.standard_normal((problem.m, problem.d))
    found = product(problem, np.arange(problem.m), w)(torch.as_tensor(V)).numpy()
    assert found == pytest.approx(np.einsum("ijk,ik->ij", hessians(problem, w), V), abs=1e-11)


@each("make", MADE)
def test_norms_are_the_largest_eigenvalues(make: Callable[[], Network]) -> None:
    problem = make()
    w = problem.initial_point({"seed": 1})
    H = hessians(problem, w)
    truth = np.abs(np.linalg.eigvalsh(H)).max(axis=1)
    found = client_norms(problem, w)
    assert found.low == pytest.approx(truth, rel=2e-3)
    assert (found.low <= truth * (1 + 1e-12)).all()
    low, high, _ = mean_norm(problem, w)
    mean = float(np.abs(np.linalg.eigvalsh(np.tensordot(problem.p, H, 1))).max())
    assert low <= mean * (1 + 1e-12)
    assert mean <= high * (1 + 1e-3)
    assert low == pytest.approx(mean, rel=2e-3)


def test_both_signs_of_one_size() -> None:
    saddle = Quadratic([[2.0, -2.0, 1.0]] * 2, np.zeros((2, 3)))
    assert estimate(saddle, np.ones(3), names=["L"])["L"].value == pytest.approx(2.0, rel=1e-6)


def test_a_linear_loss_does_not_bend() -> None:
    flat = Quadratic([[0.0, 0.0]] * 2, np.ones((2, 2)))
    assert estimate(flat, np.ones(2), names=["L", "L_mean"])["L"].value == 0.0


def test_secants_are_below_the_curvature_of_a_quadratic() -> None:
    problem = least_squares()
    points = np.random.default_rng(0).standard_normal((6, problem.d))
    found = estimate(problem, points, names=["L", "L_secant"])
    H = hessians(problem, points[0])
    steps = np.diff(points[[0, 1, 2, 4, 5]], axis=0)  # the five that are spread over all
    by_hand = max(np.linalg.norm(h @ s) / np.linalg.norm(s) for h in H for s in steps)
    assert found["L_secant"].value == pytest.approx(by_hand)
    assert found["L_secant"].value <= found["L"].value * 1.001
    assert found["L"].value == pytest.approx(np.abs(np.linalg.eigvalsh(H)).max(), rel=1e-3)


def test_the_formula_of_a_softmax_regression_bounds_what_is_measured() -> None:
    problem = softmax(l2=0.1)
    points = np.stack([problem.initial_point({"seed": s}) for s in range(3)] + [np.zeros(problem.d)])
    found = estimate(problem, points, names=["L"])["L"]
    bounds = []
    for i in range(problem.m):
        a, b = problem.federation.offsets[i], problem.federation.offsets[i + 1]
        Z = np.column_stack([problem.federation.X[a:b], np.ones(b - a)])
        bounds.append(np.linalg.eigvalsh(Z.T @ Z / (b - a))[-1] / 2 + 0.1)
    assert 0.2 * max(bounds) < found.value <= max(bounds)
    assert found.low <= found.value <= found.high


def test_a_module_of_ones_own_is_measured_too() -> None:
    import torch

    line = torch.nn.Linear(3, 1, bias=False).double()
    data = [(X, X @ np.ones(3)) for X, _ in clients()]
    problem = Network(data, line, loss=lambda out, y: (out.squeeze(-1) - y).square().mean() / 2)
    truth = max(np.linalg.eigvalsh(X.T @ X / len(X))[-1] for X, _ in data)
    assert estimate(problem, problem.initial_point(None), names=["L"])["L"].value == pytest.approx(
        truth, rel=1e-6
    )
