"""What assumptions say of explicit losses, measured on a grid; written apart from the lattice.

Clients are losses of one real variable with equal weights; clusters and groups are the first half of
the clients and the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from sympy import Expr, lambdify

from boundkit.analysis.assumptions.relation import x
from boundkit.simulation.arrays import Array

WINDOWS = (1.0, 4.0, 16.0)
TOLERANCE = 1e-9


def grid(window: float) -> Array:
    """Points up to the window, dense near 0, where minima of the examples lie."""
    near = np.geomspace(1e-6, window, 400)
    return np.unique(np.concatenate([-near, [0.0], near, np.linspace(-window, window, 4001)]))


@dataclass(frozen=True)
class Losses:
    """Values and derivatives of all clients on a window; each of shape (clients, points)."""

    clients: Sequence[Expr]
    window: float

    @cached_property
    def points(self) -> Array:
        return np.unique(np.append(grid(self.window), np.clip(self.best, -self.window, self.window)))

    def _on(self, points: Array, order: int) -> Array:
        rows = [np.broadcast_to(_function(f, order)(points), points.shape) for f in self.clients]
        return np.array(rows, dtype=float)

    @cached_property
    def loss(self) -> Array:
        return self._on(self.points, 0)

    @cached_property
    def slope(self) -> Array:
        return self._on(self.points, 1)

    @cached_property
    def curve(self) -> Array:
        return self._on(self.points, 2)

    @cached_property
    def best(self) -> float:
        """Where the mean loss is least on the widest window."""
        points = grid(WINDOWS[-1])
        place = int(self._on(points, 0).mean(axis=0).argmin())
        low, high = points[max(place - 1, 0)], points[min(place + 1, len(points) - 1)]
        for _ in range(60):  # the mean gradient changes its sign there
            middle = (low + high) / 2
            if self._on(np.array([middle]), 1).mean() < 0:
                low = middle
            else:
                high = middle
        return float((low + high) / 2)

    @cached_property
    def optimum(self) -> Array:
        """The clients' gradients there."""
        return self._on(np.array([self.best]), 1)[:, 0]

    @cached_property
    def gap(self) -> Array:
        gap: Array = self.loss.mean(axis=0) - self._on(np.array([self.best]), 0).mean()
        return gap

    def halves(self) -> list[Array]:
        count = len(self.clients) // 2
        return [self.slope[:count], self.slope[count:]] if count else [self.slope]


@cache
def _function(loss: Expr, order: int) -> Callable[[Array], Array]:
    function: Callable[[Array], Array] = lambdify(x, loss.diff(x, order) if order else loss, "numpy")
    return function


Constants = dict[str, float]

LEAST: dict[str, Callable[[Losses, Constants], Constants]] = {
    "smooth": lambda f, c: {"L": np.abs(f.curve).max()},
    "smooth-mean": lambda f, c: {"L": np.abs(f.curve.mean(axis=0)).max()},
    "relaxed-smooth": lambda f, c: {
        "L0": max((np.abs(f.curve) - c.get("L1", 10.0) * np.abs(f.slope)).max(), 0.0)
    },
    "relaxed-smooth-mean": lambda f, c: {"L0": max(
        (np.abs(f.curve.mean(axis=0)) - c.get("L1", 10.0) * np.abs(f.slope.mean(axis=0))).max(), 0.0
    )},
    "bounded-negative-curvature": lambda f, c: {"L_minus": max(-f.curve.min(), 0.0)},
    "strongly-convex": lambda f, c: {"mu": f.curve.min()},
    "polyak-lojasiewicz": lambda f, c: {"mu_pl": _ratio(f.slope.mean(axis=0) ** 2, 2 * f.gap)},
    "bounded-gradients": lambda f, c: {"G": np.abs(f.slope).max()},
    "clientwise-dissimilarity": lambda f, c: {"sigma_g": np.abs(f.slope - f.slope.mean(axis=0)).max()},
    "uniform-dissimilarity": lambda f, c: {"sigma_g": np.abs(f.slope - f.slope.mean(axis=0)).max()},
    "weighted-dissimilarity": lambda f, c: {"sigma_g": f.slope.std(axis=0).max()},
    "bounded-dissimilarity": lambda f, c: {"sigma_g": f.slope.std(axis=0).max()},
    "surrogate-dissimilarity": lambda f, c: {"sigma_g": f.slope.std(axis=0).max()},
    "norm-dissimilarity": lambda f, c: {"zeta": _above(
        np.abs(f.slope - f.slope.mean(axis=0)), c.get("rho_zeta", 1.0) * np.abs(f.slope.mean(axis=0))
    )},
    "beta-kappa-dissimilarity": lambda f, c: {"kappa": _above(
        (f.slope**2).mean(axis=0), c.get("beta", 10.0) ** 2 * f.slope.mean(axis=0) ** 2
    ) ** 0.5},
    "local-dissimilarity": lambda f, c: {"beta": _largest_ratio(f) ** 0.5},
    "cluster-dissimilarity": lambda f, c: {
        "sigma_c": max(np.abs(h - h.mean(axis=0)).max() for h in f.halves())
    },
    "group-dissimilarity": lambda f, c: {
        "sigma_between": max(np.abs(h.mean(axis=0) - f.slope.mean(axis=0)).max() for h in f.halves()),
        "sigma_within": max(h.std(axis=0).max() for h in f.halves()),
    },
    "optimum-dissimilarity": lambda f, c: {"sigma_star": (f.optimum**2).mean() ** 0.5},
}  # fmt: skip
"""The constants nearest to nothing with which each holds on the window; others given beforehand."""

LARGER_IS_BETTER = {"mu", "mu_pl"}

YES: dict[str, Callable[[Losses], bool]] = {
    "convex": lambda f: bool(f.curve.min() >= -TOLERANCE),
    "bounded-below": lambda f: bool(np.isfinite(f.loss.mean(axis=0)).all()),
    "alike-clients": lambda f: bool(np.ptp(f.slope, axis=0).max() <= TOLERANCE),
}
"""Assumptions without a constant."""


def holds(name: str, losses: Losses, constants: Mapping[str, float]) -> bool:
    """Whether the assumption holds on the window with these constants."""
    if name in YES:
        return YES[name](losses)
    for key, least in LEAST[name](losses, dict(constants)).items():
        slack = TOLERANCE * (1 + abs(constants[key]))
        if constants[key] - least > slack if key in LARGER_IS_BETTER else least - constants[key] > slack:
            return False
    return True


def fails(name: str, clients: Sequence[Expr], constants: Mapping[str, float]) -> bool:
    """Whether no constant serves: on wider windows it grows (or falls to 0), or it exceeds the one given."""
    if name in YES:
        return not YES[name](Losses(clients, WINDOWS[-1]))
    found = [LEAST[name](Losses(clients, w), {}) for w in WINDOWS]
    return any(
        _out_of_hand(key, [one[key] for one in found])
        or (key in constants and found[-1][key] > constants[key])
        for key in found[0]
    )


def _out_of_hand(key: str, values: list[float]) -> bool:
    if key in LARGER_IS_BETTER:
        return values[-1] <= 1e-9 or (values[1] < values[0] / 2 and values[2] < values[1] / 2)
    return values[-1] > 1e5 or (values[1] > 1.8 * values[0] and values[2] > 1.8 * values[1])


def _above(one: Array, other: Array) -> float:
    rounding = 1e-13 * float(np.abs(one).max() + np.abs(other).max())
    return max(float((one - other).max()) - rounding, 0.0)


def _ratio(above: Array, below: Array) -> float:
    """Away from the minimum, where both vanish."""
    kept = below > 1e-7
    return float((above[kept] / below[kept]).min()) if kept.any() else np.inf


def _largest_ratio(f: Losses) -> float:
    square, mean = (f.slope**2).mean(axis=0), f.slope.mean(axis=0) ** 2
    kept = mean > 1e-13
    return float((square[kept] / mean[kept]).max()) if kept.any() else 1.0
