"""Losses in one coordinate with piecewise linear gradient: Huber losses, and ridges of negative curvature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Huber, Problem


@dataclass(frozen=True)
class PiecewiseLoss:
    """f' through ``values`` at increasing ``knots``, with the slopes ``left`` and ``right`` beyond them.

    Raises BoundkitError where the knots do not increase, or f is unbounded below.
    """

    knots: tuple[float, ...]
    values: tuple[float, ...]
    left: float = 0.0
    right: float = 0.0

    def __post_init__(self) -> None:
        if len(self.knots) != len(self.values) or not self.knots:
            raise BoundkitError("a landscape needs at least one knot, and a value for each.")
        if not (np.diff(self.knots) > 0).all():
            raise BoundkitError(f"the knots of a landscape must rise, but they are {list(self.knots)}.")
        falls_left = self.left < 0 or (self.left == 0 and self.values[0] > 0)
        falls_right = self.right < 0 or (self.right == 0 and self.values[-1] < 0)
        if falls_left or falls_right:
            raise BoundkitError("the loss of a landscape must not fall without end, to the left or right.")

    @classmethod
    def huber(cls, a: float, b: float = np.inf, h: float = 1.0, least: float = 0.0) -> Self:
        """Asymmetric Huber loss: curvature h from -a to b, ``floor`` beyond."""
        inner = [z for z in (-a, b) if np.isfinite(z)] or [0.0]
        right = least if np.isfinite(b) else h
        left = least if np.isfinite(a) else h
        return cls(tuple(inner), tuple(h * z for z in inner), left, right)

    @classmethod
    def ridge(cls, top: float, rise: float) -> Self:
        """f'(y) = top - |y| up to y = away, from where it increases again: non-convex with L = 1.

        A client moved off the ridge by noise has a smaller gradient on either side.
        """
        return cls((0.0, rise), (top, top - rise), 1.0, 1.0)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the loss that all clients of a one-dimensional Huber problem share.

        Raises BoundkitError for any other problem.
        """
        if not isinstance(problem, Huber) or problem.d != 1 or not problem.homogeneous:
            raise BoundkitError("infinitely many clients need a huber problem of homogeneous clients, d = 1.")
        h, a, b, e = (float(each[0, 0]) for each in (problem.h, problem.a, problem.b, problem.e))
        centred = cls.huber(a, b, h, problem.floor)
        return cls(tuple(k + e for k in centred.knots), centred.values, centred.left, centred.right)

    @cached_property
    def slopes(self) -> Array:
        """f'' on each of the pieces, from left to right, (K + 1,)."""
        inner = np.diff(self.values) / np.diff(self.knots)
        return np.concatenate([[self.left], inner, [self.right]])

    @property
    def L(self) -> float:
        """The largest |f''|."""
        return float(np.abs(self.slopes).max())

    @property
    def convex(self) -> bool:
        """Whether f' never decreases."""
        return bool((self.slopes >= 0).all())

    @property
    def mu(self) -> float:
        """The smallest f''; not above 0 where f is not strongly convex."""
        return float(self.slopes.min())

    @cached_property
    def _arrays(self) -> tuple[Array, Array]:
        return np.array(self.knots), np.array(self.values)

    def gradient(self, y: Array) -> Array:
        """f'(y), in the shape of y."""
        knots, values = self._arrays
        beyond = self.left * np.minimum(y - knots[0], 0) + self.right * np.maximum(y - knots[-1], 0)
        return np.asarray(np.interp(y, knots, values) + beyond)

    @cached_property
    def _heights(self) -> Array:
        """f at the knots, 0 at the first."""
        knots, values = self._arrays
        return np.concatenate([[0.0], np.cumsum(np.diff(knots) * (values[:-1] + values[1:]) / 2)])

    def loss(self, y: Array) -> Array:
        """f(y), 0 at the first knot."""
        knots, values = self._arrays
        piece = np.clip(np.searchsorted(knots, y) - 1, 0, len(knots) - 1)
        v = np.asarray(y) - knots[piece]
        slope = np.where(v < 0, self.left, self.slopes[piece + 1])
        return np.asarray(self._heights[piece] + values[piece] * v + slope * v * v / 2)

    @cached_property
    def optimum(self) -> float:
        """The leftmost minimiser of f."""
        knots, values = self._arrays
        candidates = list(knots)
        with np.errstate(all="ignore"):
            for piece, slope in enumerate(self.slopes):
                near = max(piece - 1, 0)
                root = knots[near] - values[near] / slope if slope > 0 else np.nan
                low = knots[piece - 1] if piece else -np.inf
                high = knots[piece] if piece < len(knots) else np.inf
                candidates += [root] if low <= root <= high else []
        losses = self.loss(np.array(sorted(candidates)))
        return float(sorted(candidates)[int(np.argmin(losses))])

    def gap(self, y: Array) -> Array:
        """f(y) - inf f, which is nonnegative."""
        return np.maximum(self.loss(y) - self.loss(np.array(self.optimum)), 0.0)

    def to_json(self) -> dict[str, object]:
        """Return the parameters of the loss."""
        return {
            "knots": list(self.knots),
            "values": list(self.values),
            "left": self.left,
            "right": self.right,
        }
