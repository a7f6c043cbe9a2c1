"""One problem of each family and corner: what every family must satisfy is tested on all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.simulation.problems import (
    ClippingProblem,
    Exponential,
    Huber,
    LogCosh,
    Logistic,
    Network,
    Polynomial,
    Problem,
    Quadratic,
    SmoothNonconvex,
)


def tilts(m: int, d: int) -> np.ndarray:
    e = np.random.default_rng(4).normal(size=(m, d))
    return np.asarray(e - e.mean(axis=0))


def points(seed: int, count: int, inputs: int = 2, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, inputs)), np.arange(count) % classes


FAMILIES: dict[str, Callable[[], Problem]] = {
    "quadratic, diagonal": lambda: Quadratic([1.0, [0.5, 2.0]], [[1, 0], [-1, 2]], [0.3, 0.7]),
    "quadratic, dense": lambda: Quadratic.random(4, 3, seed=1, dense=True, noise=0.2),
    "quadratic, one client": lambda: Quadratic([2.0], [[1.0]]),
    "quadratic, a weight of zero": lambda: Quadratic([2.0, 1.0], [[1.0], [0.0]], [0.0, 1.0]),
    "smooth non-convex": lambda: SmoothNonconvex(tilts(4, 2), noise=0.1),
    "smooth non-convex, one client": lambda: SmoothNonconvex([[0.0]]),
    "polynomial, EPISODE's": lambda: Polynomial.episode(4.0),
    "polynomial, several degrees": lambda: Polynomial(
        [[1.0, 0.0, 1.0], [1, -2, 0, 1, 3], [3.0], [0.5, 0, 0, 0, 0, 0, -1]], [0.4, 0.3, 0.1, 0.2], 0.1
    ),
    "polynomial, one falls without end": lambda: Polynomial(
        [[1, 0, 0], [1, 0], [-1, 0, 0, 0]], [0.7, 0.3, 0.0]
    ),
    "polynomial, the mean falls without end": lambda: Polynomial([[1, 0, 0, 0], [2.0, 0]]),
    "polynomial, one client": lambda: Polynomial([[1, 0, -1, 0, 0]]),
    "polynomial, constants": lambda: Polynomial([[1.0], [2.0]]),
    "exponential": lambda: Exponential(3 * tilts(3, 2), 2.0, 0.5, [1, 2, 0.5], [0.2, 0.3, 0.5], 0.1),
    "exponential, at random": lambda: Exponential.random(3, 3, seed=2),
    "exponential, a weight of zero": lambda: Exponential([[0.0], [1.0]], weights=[0, 1]),
    "exponential, one client": lambda: Exponential([[2.0]]),
    "log-cosh": lambda: LogCosh([1.0, 2.0, 0.5], 2 * tilts(3, 2), [0.2, 0.3, 0.5], 0.1),
    "log-cosh, by coordinate": lambda: LogCosh.random(4, 3, seed=1, spread=2.0),
    "log-cosh, a weight of zero": lambda: LogCosh([1.0, 2.0], [[0.0], [1.0]], [0, 1]),
    "log-cosh, one client": lambda: LogCosh([1.0], [[2.0]]),
    "huber": lambda: Huber(
        [1.0, 2.0, 0.5], [0.5, 1.0, 2.0], [2.0, 0.3, 1.0], 2 * tilts(3, 2), 0.0, [0.2, 0.3, 0.5], 0.1
    ),
    "huber, one tail each": lambda: Huber([1.0, 1.0], [None, 0.7], [0.4, None], [[0.0], [0.5]]),
    "huber, by coordinate": lambda: Huber.random(4, 3, seed=1, spread=2.0),
    "huber, a floor": lambda: Huber([1.0, 0.5], [0.3, None], [None, 1.0], tilts(2, 2), 0.2),
    "huber, no tails": lambda: Huber([1.0, 1.0], [None, None], [None, None], tilts(2, 2)),
    "huber, many optima": lambda: Huber([1.0, 1.0], [0.5, 0.5], [0.5, 0.5], [[2.0], [-2.0]]),
    "huber, a weight of zero": lambda: Huber([1.0, 2.0], [1, 1], [1, 1], [[0.0], [1.0]], 0.0, [0, 1]),
    "huber, linear terms": lambda: Huber([1.0, 2.0], [0.5, 1.0], [0.7, 0.2], tilts(2, 2), linear=tilts(2, 2)),
    "huber, one client": lambda: Huber([1.0], [0.2], [None], [[2.0]]),
    "logistic": lambda: Logistic(0.5, 1, 3, l2=0.1, features=2, classes=3, sizes=[8, 20, 5], noise=0.1),
    "logistic, a weight of zero": lambda: Logistic(
        1, 0, 2, l2=0.5, features=1, classes=2, sizes=[6, 4], weights=[0, 1]
    ),
    "logistic, one client": lambda: Logistic(0, 0, 1, features=1, classes=2, sizes=[9]),
    "clipping, wrong majority": lambda: ClippingProblem("wrong_majority", 3, 1.0, 1.0, 8.0, gap=300.0),
    "clipping, valley": lambda: ClippingProblem("valley", 2, 2.0, 0.5, 8.0),
    "clipping, ramp": lambda: ClippingProblem("ramp", 1, 1.0, 1.0, target=0.5, gap=300.0, noise=0.1),
    "network, softmax": lambda: Network([points(0, 5), points(1, 3)], "softmax", l2=0.1, noise=0.1),
    "network, one hidden layer": lambda: Network(
        [points(2, 4), points(3, 7), points(4, 3)], {"kind": "mlp", "hidden": [3]}, weights=[0.2, 0.5, 0.3]
    ),
    "network, mini-batches": lambda: Network(
        [points(5, 6), points(6, 3)], {"kind": "mlp", "hidden": [2, 2]}, batch=2, order="shuffled"
    ),
}  # fmt: skip
