"""Small networks whose constants are known, and small ones whose constants can be had by brute force."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch

from boundkit.simulation.arrays import AnyArray, Array, array_namespace
from boundkit.simulation.networks import Architecture, architecture
from boundkit.simulation.problems import Network


class LeastSquares(Architecture):
    """(w x - y)^2/2 on points x: a network that is a quadratic."""

    kind: ClassVar[str] = "least_squares"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())

    def __init__(self, inputs: int) -> None:
        self.shapes = ((inputs,),)

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        return cls(*inputs)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def start(self, seed: int) -> Array:
        return np.random.default_rng(seed).standard_normal(self.d)

    def point_losses(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return ((X * w[:, None]).sum(-1) - labels) ** 2 / 2

    def correct(self, w: AnyArray, X: AnyArray, labels: AnyArray) -> AnyArray:
        return array_namespace(w).astype(self.point_losses(w, X, labels) < 0.1, w.dtype)


def clients(
    m: int = 4, d: int = 3, seed: int = 0, classes: int | None = None
) -> list[tuple[Array, np.ndarray]]:
    """m clients with 5, 6, 7, ... points."""
    rng = np.random.default_rng(seed)
    return [
        (
            rng.standard_normal((5 + i, d)) * (1 + i),
            rng.standard_normal(5 + i) if classes is None else rng.integers(0, classes, 5 + i),
        )
        for i in range(m)
    ]


def least_squares(**more: Any) -> Network:
    return Network(clients(), LeastSquares(3), **more)


def perceptron(**more: Any) -> Network:
    model = architecture({"kind": "mlp", "hidden": [4]}, (3,), 3)
    return Network(clients(classes=3), model, **{"classes": 3, **more})


def softmax(**more: Any) -> Network:
    return Network(clients(classes=3), "softmax", **{"classes": 3, **more})


def hessians(problem: Network, w: Array) -> Array:
    """Every client's Hessian by torch.autograd.functional, (m, d, d)."""

    def loss(i: int, v: torch.Tensor) -> Any:
        a, b = problem.federation.offsets[i], problem.federation.offsets[i + 1]
        X, y = problem.federation.tensors(v)
        own = problem.architecture.point_losses(v[None], X[a:b][None], y[a:b][None]).mean()
        return own + problem.l2 / 2 * (v * v).sum()

    at = torch.as_tensor(w)
    hessian: Callable[..., torch.Tensor] = torch.autograd.functional.hessian
    each = [hessian(partial(loss, i), at).numpy() for i in range(problem.m)]
    return np.stack(each)
