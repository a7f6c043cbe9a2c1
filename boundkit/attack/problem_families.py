"""Families of problems, drawn at random: flat and steep, alike and unlike, convex and not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import LogCosh, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.simulation.problems.huber import Huber

Rng = np.random.Generator
Maker = Callable[[Rng, int, int], Problem]


def _spectrum(rng: Rng, d: int) -> Array:
    """Eigenvalues up to 1, with a condition number up to 10^4."""
    return np.asarray(10 ** (-4 * rng.random() * rng.random(d)))


def _turn(rng: Rng, h: Array) -> Array:
    Q = np.linalg.qr(rng.standard_normal((len(h), len(h))))[0]
    full = (Q * h) @ Q.T
    return np.asarray((full + full.T) / 2)


def _centres(rng: Rng, m: int, d: int) -> Array:
    """Opposite, random or common minimisers."""
    kind = rng.integers(4)
    if kind == 0:
        return np.zeros((m, d))
    if kind == 1:
        return np.outer((-1.0) ** np.arange(m), rng.standard_normal(d))
    return rng.standard_normal((m, d))


def alike_hessians(rng: Rng, m: int, d: int) -> Problem:
    """One Hessian for all clients."""
    h = _spectrum(rng, d)
    return Quadratic([h] * m, _centres(rng, m, d))


def two_kinds(rng: Rng, m: int, d: int) -> Problem:
    """Flat clients and steep ones, with a minimiser a kind: the extremes of client drift."""
    flat = 10 ** rng.uniform(-4, 0, d)
    steep, few = np.ones(d), int(rng.integers(1, m))
    e = rng.standard_normal((2, d))
    return Quadratic([flat] * few + [steep] * (m - few), np.repeat(e, [few, m - few], axis=0))


def diagonal(rng: Rng, m: int, d: int) -> Problem:
    """Unlike Hessians along common axes."""
    return Quadratic([_spectrum(rng, d) for _ in range(m)], _centres(rng, m, d))


def turned(rng: Rng, m: int, d: int) -> Problem:
    """Unlike Hessians, each with axes of its own."""
    return Quadratic([_turn(rng, _spectrum(rng, d)) for _ in range(m)], _centres(rng, m, d))


def bent_down(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics of which some bend down, though their mean does not."""
    h = np.array([_spectrum(rng, d) for _ in range(m)])
    low = rng.uniform(0, 1, d) * h[1:].sum(axis=0)
    h[0] = -np.minimum(low, 1.0)
    return Quadratic(list(h), _centres(rng, m, d))


def log_cosh(rng: Rng, m: int, d: int) -> Problem:
    """Losses that grow like their argument: flat far away, though convex."""
    return LogCosh([10 ** rng.uniform(-2, 0, d) for _ in range(m)], _centres(rng, m, d))


def huber(rng: Rng, m: int, d: int) -> Problem:
    """Quadratic near the minimum, linear beyond: ends that noise crosses on one side only, or on both."""
    h = 10 ** rng.uniform(-2, 0, (m, d))
    ends = 10 ** rng.uniform(-2, 1, (2, m, d))
    if rng.random() < 0.5:
        ends[1] = np.inf
    floor = float(h.min()) * float(10 ** rng.uniform(-4, 0))
    return Huber(h, ends[0], ends[1], _centres(rng, m, d), floor=floor)


def not_convex(rng: Rng, m: int, d: int) -> Problem:
    """log(1 + x^2)/2, tilted."""
    return SmoothNonconvex.random(m, d, int(rng.integers(2**31)), spread=float(10 ** rng.uniform(-2, 1)))


FAMILIES: dict[str, Maker] = {
    "alike Hessians": alike_hessians,
    "flat and steep clients": two_kinds,
    "diagonal Hessians": diagonal,
    "turned Hessians": turned,
    "bent down": bent_down,
    "log-cosh": log_cosh,
    "Huber": huber,
    "not convex": not_convex,
}
SAMPLED = frozenset({"log-cosh", "not convex", "Huber"})
"""Families without exact moments, which take longer."""


def families(theorem: Theorem) -> list[str]:
    """The families of the theorem's function class."""
    strongly, convex = theorem.assumes("strongly-convex"), theorem.assumes("convex")
    without = {"bent down", "not convex"} if strongly or convex else set()
    if strongly:
        without |= {"log-cosh"}
    return [name for name in FAMILIES if name not in without]


def works(theorem: Theorem) -> bool:
    """Whether clients may take more than one local step."""
    names = {q.name for q in theorem.quantities}
    many = bool(theorem.solvers) or "tau" in names or theorem.assumes("common-local-steps")
    return many and not theorem.assumes("one-local-step")
