"""Contract of all families of problems on arrays: numpy and torch agree to rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import to_numpy
from boundkit.simulation.problems import ClippingProblem, Problem, Quadratic
from tests.cases import each
from tests.simulation.problems.families import FAMILIES

_REPLICAS = 3


def assert_agree(function: Callable[[Any], Any], values: np.ndarray, shape: tuple[int, ...]) -> None:
    """The function maps a numpy array to one and a tensor to one, with the same numbers, of that shape."""
    result, expected = function(values), function(torch.as_tensor(values))
    assert isinstance(result, (np.ndarray, np.generic))
    assert isinstance(expected, torch.Tensor)
    assert result.shape == expected.shape == shape
    assert result.dtype == to_numpy(expected).dtype == values.dtype
    scale = np.abs(result).max(initial=0.0)
    np.testing.assert_allclose(to_numpy(expected), to_numpy(result), rtol=1e-12, atol=1e-12 * scale)


def chosen_clients(problem: Problem) -> list[np.ndarray]:
    """All clients in another order for all replicas, (n,), and two of them for each, (R, n)."""
    rng = np.random.default_rng(1)
    return [rng.permutation(problem.m), rng.integers(problem.m, size=(_REPLICAS, 2))]


every_family = each("name", FAMILIES)


@every_family
def test_numpy_and_torch_agree(name: str) -> None:
    problem, rng = FAMILIES[name](), np.random.default_rng(2)

    def observe(observable: str, x: Any) -> Any:
        return problem.observe(x)[observable]

    def gradients(clients: np.ndarray, own_axes: bool, y: Any) -> Any:
        return problem.gradients(clients, y, own_axes)(y)

    def proximal(clients: np.ndarray, own_axes: bool, x: Any) -> Any:
        return problem.proximal(clients, x, own_axes)(x, 0.3)

    x = rng.normal(size=(_REPLICAS, problem.d))
    for points in (x, x[0]):
        leading = points.shape[:-1]
        assert_agree(problem.losses, points, (*leading, problem.m))
        assert_agree(problem.client_gradients, points, (*leading, problem.m, problem.d))
        for observable in problem.observe(points):
            assert_agree(partial(observe, observable), points, leading)
    if isinstance(problem, ClippingProblem):
        assert_agree(problem.instance.curvature, x, x.shape)
    for clients in chosen_clients(problem):
        y = rng.normal(size=(_REPLICAS, clients.shape[-1], problem.d))
        assert_agree(partial(problem.losses_at, clients), y, y.shape[:-1])
        for own_axes in (False, True):
            assert_agree(partial(gradients, clients, own_axes), y, y.shape)
            if isinstance(problem, Quadratic):
                assert_agree(partial(proximal, clients, own_axes), y, y.shape)
            else:
                with pytest.raises(BoundkitError, match="need a quadratic problem"):
                    proximal(clients, own_axes, y)


@every_family
def test_single_precision(name: str) -> None:
    problem = FAMILIES[name]()
    x = np.random.default_rng(2).normal(size=(_REPLICAS, problem.d))
    expected = problem.client_gradients(x)
    scale = max(np.abs(expected).max(), 1.0)
    single = x.astype(np.float32)
    for points in (single, torch.as_tensor(single)):
        given = problem.client_gradients(points)
        np.testing.assert_allclose(to_numpy(given), expected, rtol=1e-4, atol=1e-4 * scale)
        for values in (given, problem.losses(points), *problem.observe(points).values()):
            assert values.dtype == points.dtype
