r"""Asymmetric Huber losses: quadratic between -a and b, with linear tails beyond.

F_i(x) = sum_j phi(x_j - e_ij; h_ij, a_ij, b_ij), where phi'(z) = h z from -a to b and continues with slope
``floor`` outside, from -h a and h b. With k = clip(z, -a, b),

    phi(z) = floor z^2/2 + (h - floor) k (z - k/2)        phi'(z) = floor z + (h - floor) k.

Clients may have linear terms besides, l_i' x with mean 0, which leave F as it is; a client may then have no
minimum. An infinite end is written as null, and removes that tail. Convex; L = max h_ij exactly; mu = floor,
where that is above 0; for floor = 0 and finite ends, gradients are bounded. The curvature drops at the ends,
so noise that carries a client past one changes the mean of its gradients: the largest noise drift of convex
losses; quadratics have none.

All gradients are piecewise linear, and their knots give the optimum and the largest dissimilarity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Centred
from boundkit.simulation.validation import (
    all_positive,
    by_coordinate,
    checked_array,
    checked_centers,
    checked_noise,
    checked_weights,
)

Rise = Callable[[Array], tuple[Array, Array]]
"""Maps a point (d,) to the value of each coordinate and a bound on its rounding error."""


def root(knots: Array, rise: Rise) -> Array:
    """The root of ``rise`` by coordinate, (d,), or the midpoint of its roots; knots are (K, d), sorted.

    ``rise`` is <= 0 at the first knots and >= 0 at the last. A few evaluations suffice.
    """
    start = _first(knots, lambda g, rounding: g >= -rounding, rise)
    end = _first(knots, lambda g, rounding: g > rounding, rise)
    low, high = _select(knots, np.maximum(start - 1, 0)), _select(knots, start)
    (below, _), (above, rounding) = rise(low), rise(high)
    flat_until = _select(knots, np.maximum(end - 1, start))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = low - (high - low) * below / (above - below)
    return np.where(above <= rounding, (high + flat_until) / 2, between)


def _first(
    knots: Array, reached: Callable[[Array, Array], NDArray[np.bool_]], rise: Rise
) -> NDArray[np.intp]:
    """The first knot of each coordinate from which on ``reached`` holds, by bisection; K if it never does."""
    low, high = np.full(knots.shape[1], -1), np.full(knots.shape[1], len(knots))
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, len(knots) - 1)
        so = reached(*rise(_select(knots, middle)))
        open_ = high - low > 1
        low, high = np.where(so | ~open_, low, middle), np.where(so & open_, middle, high)
    return high


def _select(knots: Array, k: NDArray[np.intp]) -> Array:
    chosen: Array = np.take_along_axis(knots, np.minimum(k, len(knots) - 1)[None], axis=0)[0]
    return chosen


_MOST_PAIRS = 2 * 10**7
"""Most gradients of heterogeneous clients at each other's ends in the search of the largest dissimilarity."""


class Huber(Centred):
    """Asymmetric Huber losses: quadratic from -a to b around e, with linear tails beyond.

    Where the minimisers of F fill an interval of some coordinate, the optimum is its midpoint.

    Parameters
    ----------
    curvatures
        h between the ends, (m,) or (m, d), above 0.
    left, right
        The ends a and b, (m,) or (m, d), above 0. An end may be None or infinite, and so may ``left`` or
        ``right`` as a whole: then no client has that tail.
    centers
        The minimisers e_i, (m, d).
    floor
        The curvature of the tails, from 0 to the smallest h.
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.
    linear
        The linear terms l_i, (m, d), with sum p_i l_i = 0; none by default.

    Raises
    ------
    BoundkitError
        For wrong shapes, for a ``floor`` above a curvature, and for linear terms whose mean is not 0.

    Examples
    --------
    >>> problem = Huber([1.0, 1.0], [0.5, 0.5], [0.5, 0.5], [[-2.0], [2.0]])
    >>> problem.optimum.tolist()
    [0.0]
    """

    kind = "huber"
    infimum_reason = "the root of a rising gradient"
    fields = (("h", "a", "b", "e"), ("floor", "p", "l"))
    nullable = ("a", "b")

    def __init__(
        self,
        curvatures: Any,
        left: Any,
        right: Any,
        centers: Any,
        floor: float = 0.0,
        weights: Any = None,
        noise: float = 0.0,
        linear: Any = None,
    ) -> None:
        self.e = checked_centers(centers)
        self.m, self.d = self.e.shape
        self.h = by_coordinate("h", curvatures, self.m, self.d)
        all_positive("h", self.h)
        self.a = _distances("a", left, self.m, self.d)
        self.b = _distances("b", right, self.m, self.d)
        self.floor = float(checked_array("floor", floor, ()))
        if not 0 <= self.floor <= self.h.min():
            raise BoundkitError(
                f"floor is the curvature beyond the ends and must be from 0 to the smallest h, "
                f"{self.h.min():g}, but it is {self.floor:g}."
            )
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        self.l = np.zeros_like(self.e) if linear is None else checked_array("l", linear, self.e.shape)
        imbalance = float(np.abs(self.p @ self.l).max())
        if imbalance > 1e-12 * max(1.0, float(np.abs(self.l).max())):
            raise BoundkitError(f"sum p_i l_i must be 0, but it is {imbalance:.3g} in one coordinate.")
        self.centre: Array = self._stationary_point()
        self.optimum: Array | None = self.centre

    @classmethod
    def random(
        cls, clients: int, dimension: int, seed: int = 0, spread: float = 1.0, noise: float = 0.0
    ) -> Self:
        """Curvatures uniform on (1/2, 1), ends on (1/2, 2), centres N(0, spread^2 I)."""
        rng = np.random.default_rng(seed)
        h = rng.uniform(0.5, 1.0, (clients, dimension))
        a, b = rng.uniform(0.5, 2.0, (2, clients, dimension))
        return cls(h, a, b, spread * rng.standard_normal((clients, dimension)), noise=noise)

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """sum_j floor z^2/2 + (h - floor) k (z - k/2) + l_ij y_j with z = y_j - e_ij."""
        e, a, b, h, l = (as_like(each[clients], y) for each in (self.e, self.a, self.b, self.h, self.l))
        z = y - e
        k = z.clip(-a, b)
        return (self.floor / 2 * z * z + (h - self.floor) * k * (z - k / 2) + l * y).sum(-1)

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """floor z + (h - floor) k + l, by coordinate."""
        e, a, b, h, l = (as_like(each[clients], like) for each in (self.e, self.a, self.b, self.h, self.l))
        floor, low, steep = self.floor, -a, h - self.floor

        def gradient(y: AnyArray) -> AnyArray:
            z = y - e
            return floor * z + steep * z.clip(low, b) + l

        return gradient

    @property
    def minima(self) -> Array | None:
        """0 for every client, at e_i; not known with linear terms."""
        return None if self.l.any() else super().minima

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """F(x) - F(x*), a sum of non-negative terms, so that nothing cancels near the optimum."""
        return self._rises(x - as_like(self.centre, x)).sum(-1)

    def _rises(self, v: AnyArray) -> AnyArray:
        """F(x* + v) - F(x*) for every coordinate, in the shape of v.

        The sum of all p phi'(x* - e) is 0, so it is the integral of all phi'(x* - e + s) - phi'(x* - e) up to
        v: a slope of floor, plus a slope of h - floor while x* + s is between the ends.
        """
        wide = v[..., None, :]
        z = self.centre - self.e
        rises = 0 * as_like(z, v) + self.floor / 2 * wide * wide
        weight = as_like(self.h - self.floor, v)
        for offset, behind, ahead in ((wide, self.a + z, self.b - z), (-wide, self.b - z, self.a + z)):
            entry, exit_ = as_like(np.maximum(-behind, 0), v), as_like(np.maximum(ahead, 0), v)
            inside = offset.clip(entry, exit_) - entry
            beyond = (offset - exit_).clip(0.0)
            rises = rises + weight * inside * (inside / 2 + beyond)
        return (as_like(self.p[:, None], v) * rises).sum(-2)

    @property
    def homogeneous(self) -> bool:
        """Whether all h_i, all effective ends and all e_i are the same."""
        same = all(np.isclose(each, each[0], rtol=1e-12, atol=0).all() for each in (self.h, *self._ends))
        same = same and bool(np.ptp(self.l, axis=0).max() <= 1e-12 * np.abs(self.l).max())
        return same and bool(np.ptp(self.e, axis=0).max() <= 1e-12 * max(np.abs(self.e).max(), 1.0))

    def constants(self, x0: Array) -> dict[str, Constant]:
        """All by formula; for floor = 0, mu on {F <= F(x_0)} only, where no client is in a tail there."""
        constants = self.start_constants(x0)
        constants["L"] = Constant(float(self.h.max()), "exact", "the largest h")
        left, right = self._ends
        if not self.floor and np.isfinite(np.maximum(left, right)).all():
            steepest = np.maximum(np.abs(self.l - self.h * left), np.abs(self.l + self.h * right))
            G = (float((steepest**2).sum(axis=1).max()) + self.noise**2) ** 0.5
            constants["G"] = Constant(
                G, "exact", "sqrt(the largest sum_j max(|l - h a|, |l + h b|)^2 + sigma^2)"
            )
            if not self.noise:
                constants["G_inf"] = Constant(
                    float(steepest.max()), "exact", "the largest |l - h a|, |l + h b|"
                )
        return constants | self._strong_convexity(constants["gap"].value) | self._dissimilarity()

    def _strong_convexity(self, gap: float) -> dict[str, Constant]:
        a, b = self._ends
        flattest = float(np.where(np.isfinite(np.minimum(a, b)), self.floor, self.h).min())
        if flattest > 0:
            return {"mu": Constant(flattest, "exact", "the floor, or the smallest h where there is no tail")}
        distances = (self.centre - (self.e - a).max(axis=0), (self.e + b).min(axis=0) - self.centre)
        for sign, until in zip((-1.0, 1.0), distances, strict=True):
            finite = np.where(np.isfinite(until), until, 0.0)
            leaves_first = np.isfinite(until) & ((until < 0) | (self._rises(sign * finite) < gap))
            if leaves_first.any():
                return {}
        return {"mu": Constant(float(self.h.min()), "local", "the smallest h: no tail where F <= F(x_0)")}

    def _dissimilarity(self) -> dict[str, Constant]:
        """sigma_g and zeta, where all clients have the same curvature in each tail.

        Between knots all gradients are linear, so that mean squared differences are largest at knots.
        """
        rows = np.concatenate([self.h, *self._ends, self.e, self.l], axis=1)
        _, first, owner = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        if 3 * len(first) ** 2 * self.d > _MOST_PAIRS:
            return {}  # too many heterogeneous clients: measured along the run
        counted: Array = np.bincount(owner.ravel(), weights=self.p).astype(np.float64)
        p = counted / counted.sum()  # equal clients are merged into one, so that rounding cannot differ
        knots = self._knots(first)[:, None, :]
        deviations = self.gradients(first, knots)(knots)
        deviations = deviations - np.einsum("i,kij->kj", p, deviations)[:, None]
        outer = [np.where(np.isfinite(end), self.floor, self.h) for end in self._ends]
        constants: dict[str, Constant] = {}
        if not any(np.ptp(each[self.p > 0], axis=0).any() for each in outer):
            square = float(np.einsum("i,kij->kj", p, deviations**2).max(axis=0).sum())
            how = "the largest sum p_i (phi_i' - F')^2 of each coordinate, at an end of some client"
            constants["sigma_g"] = Constant(square**0.5, "exact", how)
        if not any(np.ptp(each, axis=0).any() for each in outer):
            zeta = float((deviations**2).max(axis=0).sum(axis=1).max()) ** 0.5
            how = "the largest |phi_i' - F'| of each coordinate, of the worst client"
            constants["zeta"] = Constant(zeta, "exact", how)
            constants["rho_zeta"] = Constant(0.0, "exact", "zeta bounds all of the dissimilarity")
        return constants

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """a and b; infinite where the curvature does not change there."""
        curved = self.h > self.floor
        return np.where(curved, self.a, np.inf), np.where(curved, self.b, np.inf)

    def _knots(self, clients: Any) -> Array:
        """The clients' centres and the points of curvature changes, sorted by coordinate, (3 n, d)."""
        a, b = (np.where(np.isfinite(end), end, 0.0)[clients] for end in self._ends)
        e = self.e[clients]
        return np.sort(np.concatenate([e - a, e, e + b]), axis=0)

    def _stationary_point(self) -> Array:
        """The root of F', or the midpoint of its roots: exact, since F' increases, linearly between knots."""

        def rise(x: Array) -> tuple[Array, Array]:
            each = self.client_gradients(x)
            return self.p @ each, 4e-16 * (self.p @ np.abs(each))

        return root(self._knots(slice(None)), rise)

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        a, b = given["a"], given["b"]
        floor, p = given.get("floor", 0.0), given.get("p")
        return cls(given["h"], a, b, given["e"], floor, p, noise, given.get("l"))

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem."""
        linear = {"l": self.l.tolist()} if self.l.any() else {}
        return {
            "kind": self.kind,
            "h": self.h.tolist(),
            "a": _map_nested(self.a, lambda end: None if end == np.inf else end),
            "b": _map_nested(self.b, lambda end: None if end == np.inf else end),
            "e": self.e.tolist(),
            "floor": self.floor,
            "p": self.p.tolist(),
        } | linear


def _distances(name: str, given: Any, m: int, d: int) -> Array:
    """Ends of every client, (m, d), above 0; null and infinity mean no end, of one client or of all."""
    if _is_open(given):
        return np.full((m, d), np.inf)
    finite = by_coordinate(name, _map_nested(given, lambda end: 1.0 if _is_open(end) else end), m, d)
    all_positive(name, finite)
    open_ends = by_coordinate(name, _map_nested(given, lambda end: float(_is_open(end))), m, d)
    return np.where(open_ends > 0, np.inf, finite)


def _is_open(end: Any) -> bool:
    return end is None or (isinstance(end, float) and end == np.inf)


def _map_nested(values: Any, change: Callable[[Any], Any]) -> Any:
    """The same nested list of changed values."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return [_map_nested(v, change) for v in values] if isinstance(values, (list, tuple)) else change(values)
