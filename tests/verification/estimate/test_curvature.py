"""Hessian norms by power iteration against whole Hessians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from boundkit.simulation.problems import Network
from boundkit.verification.estimate import curvature, estimate
from boundkit.verification.estimate.curvature import client_norms, mean_norm, product
from tests.cases import each
from tests.simulation.problems.families import FAMILIES
from tests.verification.estimate.small import clients, hessians, least_squares, perceptron, softmax

MADE = [least_squares, perceptron, softmax, lambda: perceptron(l2=0.3)]


@each("make", MADE)
def test_products_are_those_of_the_hessians(make: Callable[[], Network]) -> None:
    problem = make()
    w, rng = problem.initial_point({"seed": 1}), np.random.default_rng(3)
    V = rng.standard_normal((problem.m, problem.d))
    result = product(problem, np.arange(problem.m), w)(V)
    assert result == pytest.approx(np.einsum("ijk,ik->ij", hessians(problem, w), V), abs=1e-11)


def network_of(model: dict[str, Any]) -> Network:
    rng, sets = np.random.default_rng(0), list[tuple[Any, Any]]()
    if model["kind"] == "recurrent":
        sets = [(rng.integers(4, size=(n, 5)), rng.integers(4, size=(n, 5))) for n in (3, 5)]
    else:
        sets = [(rng.standard_normal((n, 6, 6)), rng.integers(3, size=n)) for n in (3, 5)]
    return Network(sets, model, l2=0.1)


MODELS = [
    {"kind": "mlp", "hidden": [4, 3]},
    {"kind": "cnn", "channels": [2], "hidden": 3},
    {"kind": "recurrent", "cell": "tanh", "hidden": 3, "embedding": 2},
    {"kind": "recurrent", "cell": "gru", "hidden": 3, "embedding": 2},
]


@each("model", MODELS)
def test_complex_steps_agree_with_graphs_of_torch(model: dict[str, Any]) -> None:
    problem = network_of(model)
    assert problem.architecture.closed_form
    w, everyone = problem.initial_point({"seed": 1}), np.arange(problem.m)
    V = np.random.default_rng(3).standard_normal((problem.m, problem.d))
    by_graph = curvature._product_by_graph(problem, everyone, w)(V)
    assert product(problem, everyone, w)(V) == pytest.approx(by_graph, rel=1e-12, abs=1e-13)
    share = (problem.p / problem.federation.sizes)[problem.federation.owner]
    by_graph = curvature._mean_product_by_graph(problem, share, w)(V[:1])
    assert curvature.mean_product(problem, w)(V[:1]) == pytest.approx(by_graph, rel=1e-12, abs=1e-13)


@each("name", [name for name in FAMILIES if not name.startswith("network")])
def test_products_of_other_families_are_derivatives_of_their_gradients(name: str) -> None:
    problem, rng = FAMILIES[name](), np.random.default_rng(3)
    w, V = rng.standard_normal(problem.d), rng.standard_normal((problem.m, problem.d))
    leaf = torch.tensor(np.repeat(w[None], problem.m, axis=0), requires_grad=True)
    slopes = problem.gradients(np.arange(problem.m), leaf[None])(leaf[None])[0]
    expected = np.zeros(V.shape)
    if slopes.requires_grad:
        expected = torch.autograd.grad(slopes, leaf, torch.as_tensor(V))[0].numpy()
    result = product(problem, np.arange(problem.m), w)(V)
    assert result == pytest.approx(expected, rel=1e-12, abs=1e-12)


@each("size", [1, 2, 5, 15, 16, 17, 31, 32, 100])
def test_directions_are_the_numbers_of_torch(size: int) -> None:
    expected = torch.randn(size, generator=torch.Generator().manual_seed(3), dtype=torch.float64).numpy()
    assert curvature.initial_directions(1, size, 3)[0] == pytest.approx(expected, rel=1e-13)


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
    line = torch.nn.Linear(3, 1, bias=False).double()
    data = [(X, X @ np.ones(3)) for X, _ in clients()]
    problem = Network(data, line, loss=lambda out, y: (out.squeeze(-1) - y).square().mean() / 2)
    truth = max(np.linalg.eigvalsh(X.T @ X / len(X))[-1] for X, _ in data)
    assert estimate(problem, problem.initial_point(None), names=["L"])["L"].value == pytest.approx(
        truth, rel=1e-6
    )
