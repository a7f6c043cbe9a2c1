"""Random losses of a theorem's class, with everything that a worst case is measured by: the second route.

Convex losses are sums of Huber functions of a coordinate, with mu added where the class asks for it; the
others are cosines. Nothing here is shared with boundkit.attack: losses, rounds and claims are written anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Losses:
    """F_i(x) = mu/2 |x - c_i|^2 + sum_j h_ij phi(x_j - c_ij): phi is Huber of width w_ij, or 1 - cos."""

    h: Array
    c: Array
    w: Array
    mu: float
    wavy: bool

    @cached_property
    def lowest(self) -> float:
        """The least value of the mean."""
        return float(self.value(self.optimum).mean())

    def value(self, x: Array) -> Array:
        """Every client's loss at x."""
        r = x - self.c
        inside = np.abs(r) <= self.w
        huber = np.where(inside, r**2 / 2, self.w * (np.abs(r) - self.w / 2))
        part = 1 - np.cos(r) if self.wavy else huber
        return np.asarray((self.h * part + self.mu / 2 * r**2).sum(axis=-1))

    def gradient(self, x: Array) -> Array:
        """Every client's gradient at x, one row a client."""
        r = x - self.c
        part = np.sin(r) if self.wavy else np.clip(r, -self.w, self.w)
        return np.asarray(self.h * part + self.mu * r)

    @cached_property
    def optimum(self) -> Array:
        """A minimiser of the mean: of cosines of one frequency in closed form, else by bisection."""
        if self.wavy:
            return np.asarray(np.angle((self.h * np.exp(1j * self.c)).sum(axis=0)))
        low, high = self.c.min(axis=0), self.c.max(axis=0)
        for _ in range(45):
            middle = (low + high) / 2
            left = self.gradient(middle).mean(axis=0) < 0
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return np.asarray((low + high) / 2)


def draw(theorem: Theorem, m: int, mu: float, rng: np.random.Generator) -> tuple[Losses, Array]:
    """Losses of the class with L = 1, and a start."""
    d = int(rng.integers(1, 3))
    wavy = not (theorem.assumes("convex") or theorem.assumes("strongly-convex"))
    h = (1 - mu) * rng.choice([1.0, 1.0, 0.5, 0.1], size=(m, d)) * (rng.random((m, d)) < 0.9)
    c = 10 ** rng.uniform(-2, 1) * rng.normal(size=(m, d))
    w = rng.choice([1e3, 1.0, 0.1], size=(m, d)) * rng.random((m, d))
    if theorem.assumes("alike-clients"):
        h, c, w = (np.repeat(one[:1], m, axis=0) for one in (h, c, w))
    losses = Losses(h, c, w, mu, wavy)
    return losses, losses.optimum + rng.choice([0.0, 0.1, 1.0, 3.0]) * rng.normal(size=d)


def measured(theorem: Theorem, setting: dict[str, Any], losses: Losses, start: Array) -> float:
    """The claim on these losses, rescaled until the constants of the setting, 1 each, are met."""
    m, steps = setting["m"], setting.get("tau_i") or [setting.get("tau", 1)] * setting["m"]
    p = np.full(m, 1 / m)
    push = p * setting.get("eta_s", 1.0)
    weights = p
    if theorem.algorithm == "fednova":
        push = p * np.mean(steps) / np.array(steps)
    elif theorem.assumes("general-local-solver"):
        weights = p * np.array(steps) / np.mean(steps)
    groups = [range(m)]
    if theorem.assumes("partial-participation"):
        groups = list(combinations(range(m), round(setting["C"] * m)))
        push = push / setting["C"]
    level, starts, walks = [start], [], []
    for _ in range(setting.get("T", 40)):
        following = []
        for x in level:
            models = [_walk(losses, i, x, setting["eta"], steps[i]) for i in range(m)]
            starts.append(x)
            walks.append(models)
            ways = np.stack([models[i][-1] - x for i in range(m)])
            following += [x + sum(push[i] * ways[i] for i in group) for group in groups]
        level = following
    scale = _scale(theorem, losses, starts, walks, weights)
    if "drift_star" in setting:
        ends = [_walk(losses, i, losses.optimum, setting["eta"], steps[i])[-1] for i in range(m)]
        drift = float(np.linalg.norm(p @ np.stack(ends) - losses.optimum)) / (setting["eta"] * steps[0])
        scale = min(scale, 1 / max(drift, 1e-6))
    power = float(2 * theorem.claim.dimension.loss + theorem.claim.dimension.length)
    depth = [t for t in range(setting.get("T", 1)) for _ in range(len(groups) ** t)]
    chances = np.array([1 / (setting.get("T", 1) * len(groups) ** t) for t in depth])
    return float(scale**power * _claim(theorem, losses, starts, walks, level, chances, weights))


def _walk(losses: Losses, i: int, x: Array, eta: float, tau: int) -> list[Array]:
    models = [x]
    for _ in range(tau):
        models.append(models[-1] - eta * losses.gradient(models[-1])[i])
    return models


def _scale(theorem: Theorem, losses: Losses, starts: Any, walks: Any, weights: Array) -> float:
    """x -> F(x/scale) scale^2 keeps L and meets what is bounded by 1: distance, gap, dissimilarity."""
    optimum, x0 = losses.optimum, starts[0]
    known = {q.name for q in theorem.quantities}
    sizes = [1e-6]
    if "distance" in known:
        sizes.append(float(np.linalg.norm(x0 - optimum)))
    if "gap" in known:
        lowest = losses.value(optimum) if np.allclose(weights, weights[0]) else _surrogate(losses, weights)
        sizes.append(sqrt(max(float(weights @ (losses.value(x0) - lowest)), 0.0)))
    points = list(starts)
    if theorem.assumes("uniform-dissimilarity"):
        points += [model for round_ in walks for models in round_ for model in models[:-1]]
    for x in points:
        gradients = losses.gradient(x)
        squares = ((gradients - weights @ gradients) ** 2).sum(axis=1)
        uniform = theorem.assumes("uniform-dissimilarity")
        if not theorem.assumes("alike-clients") and {"sigma_g", "kappa"} & known:
            sizes.append(sqrt(squares.max() if uniform else weights @ squares))
    return 1 / max(sizes)


def _surrogate(losses: Losses, weights: Array) -> Array:
    """The values at the minimiser of the weighted sum of cosines."""
    scaled = Losses(losses.h * weights[:, None], losses.c, losses.w, 0.0, True)
    return losses.value(scaled.optimum)


def _claim(
    theorem: Theorem, losses: Losses, starts: Any, walks: Any, ends: Any, chances: Array, weights: Array
) -> float:
    optimum = losses.optimum

    def gap(x: Array) -> float:
        return float(losses.value(x).mean()) - losses.lowest

    def squared(x: Array, w: Array | None = None) -> float:
        gradients = losses.gradient(x)
        mean = gradients.mean(axis=0) if w is None else w @ gradients
        return float(mean @ mean)

    virtual = [[sum(model[k] for model in one) / len(one) for k in range(len(one[0]))] for one in walks]
    if theorem.claim.name == "mean loss gap at the virtual average":
        return float(sum(c * np.mean([gap(x) for x in v[1:]]) for c, v in zip(chances, virtual, strict=True)))
    if theorem.claim.name == "mean squared gradient at the virtual average":
        return float(
            sum(c * np.mean([squared(x) for x in v[:-1]]) for c, v in zip(chances, virtual, strict=True))
        )
    if theorem.claim.name == "last loss gap":
        return float(np.mean([gap(x) for x in ends]))
    if theorem.claim.name in ("last squared distance", "last distance", "distance in the limit"):
        squares = float(np.mean([(x - optimum) @ (x - optimum) for x in ends]))
        return squares if "squared" in theorem.claim.name else sqrt(squares)
    observed = {
        "mean squared gradient": squared,
        "mean squared gradient of the surrogate": lambda x: squared(x, weights),
        "mean loss gap": gap,
    }[theorem.claim.name]
    return float(sum(c * observed(x) for c, x in zip(chances, starts, strict=True)))
