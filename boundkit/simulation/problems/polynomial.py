r"""Polynomials of one variable: (L0, L1)-smooth where their degree is above 2, with exact constants.

L0 for a given L1 is the supremum of |f''| - L1 |f'| over the line, for every client and for the mean. It
is finite for every L1 > 0, because f' has the higher degree, and it is attained where f''' = +-L1 f'' or at
a root of f' or f'': the largest value at finitely many points. Similarly zeta for a given rho_zeta is
the supremum of |f_i' - F'| - rho_zeta |F'|.

The default L1 minimises L0 + L1 M, with M the largest |F'| on
{F <= F(x_0)}: the tangent, at that gradient, of curvature against gradient; rho_zeta likewise minimises
zeta + rho_zeta M. Any other choice is valid too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import polynomial_roots as poly
from boundkit.simulation.problems.base import Pointwise
from boundkit.simulation.validation import checked_array, checked_noise, checked_weights

_HIGHEST = 40
_DIGITS = 140
_FLATTEST = 1e-6


def padded_coefficients(given: Any) -> Array:
    """One row a client, (m, longest), left-padded with zeros; errors name the client."""
    if not isinstance(given, (list, tuple, np.ndarray)) or not len(given):
        raise BoundkitError("coefficients must be a list with one list a client, highest power first.")
    rows = [checked_array(f"coefficients[{i}]", row, (None,)) for i, row in enumerate(given)]
    for i, row in enumerate(rows):
        if not 1 <= len(row) <= _HIGHEST + 1:
            raise BoundkitError(
                f"coefficients[{i}] must hold 1 to {_HIGHEST + 1} numbers, but it holds {len(row)}."
            )
    width = max(map(len, rows))
    return np.stack([np.pad(row, (width - len(row), 0)) for row in rows])


def refuse_overflow(c: Array) -> None:
    """Raise BoundkitError where values at roots may overflow, by Cauchy's bound on the roots."""
    c = poly.trimmed(c)
    if len(c) > 1:
        with np.errstate(over="ignore"):
            reach = np.log10(1 + np.abs(c[1:] / c[0]).max())
        if not (len(c) - 1) * reach + np.log10(np.abs(c).max()) < _DIGITS:
            raise BoundkitError(
                "coefficients differ so much in size that the values at their roots may overflow; "
                "measure x in other units."
            )


def checked_slope(name: str, given: Any, above: bool) -> float | None:
    """A slope given by the user, or None; ``above``: 0 is refused too."""
    if given is None:
        return None
    value = float(checked_array(name, given, ()))
    if value < 0 or (above and value == 0):
        raise BoundkitError(f"{name} must be {'above' if above else 'at least'} 0, but it is {value:g}.")
    if value and not _FLATTEST <= value <= 1 / _FLATTEST:
        limits = f"from {_FLATTEST:g} to {1 / _FLATTEST:g}"
        raise BoundkitError(f"{name} must be {limits}, but it is {value:g}; measure x in other units.")
    return value


Pairs = Sequence[tuple[Array, Array]]
_BETWEEN = "between the ends of F <= F(x_0)"


def curvature(curved: Pairs, part: Array | None) -> dict[str, Constant]:
    """L, mu and L_minus of the clients; L and mu between the ends of ``part`` without global ones."""
    second_derivatives = [second_derivative for second_derivative, _ in curved]
    ends = [poly.range_of(c, part.min(), part.max()) for c in second_derivatives] if part is not None else []
    constants = {}
    if all(poly.degree(c) == 0 for c in second_derivatives):
        constants["L"] = Constant(
            max(abs(float(c[-1])) for c in second_derivatives), "exact", "constant curvatures"
        )
    elif ends:
        L = max(max(-low, high) for low, high in ends)
        constants["L"] = Constant(L, "local", f"largest curvature of a client {_BETWEEN}")
    lowest = [poly.minimum(c) for c in second_derivatives]
    least = min((low[1] if low is not None else -np.inf for low in lowest), default=0.0)
    if np.isfinite(least):
        constants["L_minus"] = Constant(
            max(-least, 0.0), "exact", "smallest curvature of any client, downwards"
        )
    if least > 0:
        constants["mu"] = Constant(least, "exact", "smallest curvature of any client")
    elif ends and not any(map(has_negative_values, second_derivatives)) and min(low for low, _ in ends) > 0:
        mu = min(low for low, _ in ends)
        constants["mu"] = Constant(mu, "local", f"smallest curvature of a client {_BETWEEN}")
    return constants


def has_negative_values(second_derivative: Array) -> bool:
    """Whether a second derivative is negative by more than rounding."""
    low = poly.minimum(second_derivative)
    return low is None or low[1] < -1e-12 * np.abs(second_derivative).max()


def relaxed(curved: Pairs, L1: float | None, steepest: float) -> dict[str, Constant]:
    """L0 and L1, for clients and mean; none where every curvature is constant and no L1 is given."""
    chosen = "makes L0 + L1 grad_max smallest" if L1 is None else "as given"
    L1 = poly.balanced_slope(curved, steepest or 1.0) if L1 is None else L1
    if L1 == 0:
        return {}
    L0 = max(poly.excess(second, first, L1) for second, first in curved)
    return {
        "L0": Constant(max(L0, 0.0), "exact", "sup of |f''| - L1 |f'|, clients and mean, by roots"),
        "L1": Constant(L1, "exact", chosen),
    }


def dissimilarity(differences: Pairs, rho: float | None, p: Array, steepest: float) -> dict[str, Constant]:
    """zeta and rho_zeta, where some rho_zeta suffices; sigma_g where the f_i' differ by constants."""
    chosen = "makes zeta + rho_zeta grad_max smallest" if rho is None else "as given"
    rho = poly.balanced_slope(differences, steepest or 1.0) if rho is None else rho
    zeta = max(poly.excess(difference, mean, rho) for difference, mean in differences)
    constants = {}
    if np.isfinite(zeta):
        constants["zeta"] = Constant(max(zeta, 0.0), "exact", "sup of |f_i' - F'| - rho_zeta |F'| by roots")
        constants["rho_zeta"] = Constant(rho, "exact", chosen)
    if all(poly.degree(a) == 0 for a, _ in differences):
        square = float(p @ np.array([a[-1] ** 2 for a, _ in differences]))
        constants["sigma_g"] = Constant(square**0.5, "exact", "the f_i' differ by constants")
    return constants


_ROUNDING = 1e-14
"""Relative to the terms added: a smaller coefficient of the mean is 0 up to rounding."""


class Polynomial(Pointwise):
    """Polynomials in one dimension, of any degrees.

    Parameters
    ----------
    coefficients
        One list for each client, highest power first, as numpy.polyval takes them.
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.
    L1, rho_zeta
        The slopes for which L0 and zeta are given.

    Raises
    ------
    BoundkitError
        For coefficients that are not lists of numbers, and for a slope for which there is no finite constant.

    Examples
    --------
    >>> problem = Polynomial([[1.0, 0.0, 0.0], [1.0, -4.0, 4.0]])  # x^2 and (x - 2)^2
    >>> problem.optimum.tolist()
    [1.0]
    """

    kind = "polynomial"
    fields = (("coefficients",), ("p", "L1", "rho_zeta"))
    d = 1

    def __init__(
        self,
        coefficients: Sequence[Any],
        weights: Any = None,
        noise: float = 0.0,
        L1: float | None = None,
        rho_zeta: float | None = None,
    ) -> None:
        self.coefficients = padded_coefficients(coefficients)
        self.m = len(self.coefficients)
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        mean, sizes = self.p @ self.coefficients, self.p @ np.abs(self.coefficients)
        self.mean: Array = np.where(np.abs(mean) <= _ROUNDING * sizes, 0.0, mean)
        for c in (*self.coefficients, self.mean):
            refuse_overflow(c)
        self.L1 = checked_slope("L1", L1, above=True)
        self.rho_zeta = checked_slope("rho_zeta", rho_zeta, above=False)
        self._least = poly.minimum(self.mean)
        where = poly.real_parts(poly.derivative(self.mean))
        self.centre = np.array([where[0] if len(where) else 0.0])
        self.optimum: Array | None = None
        if self._least is not None:
            self.centre = np.array([self._least[0]])
            self.optimum = self.centre if self._alone(where) else None
        for name, given, pairs in (("L1", self.L1, self._curved), ("rho_zeta", self.rho_zeta, self._apart)):
            if given is not None and not np.isfinite(max(poly.excess(a, b, given) for a, b in pairs)):
                needed = poly.steepness(pairs)
                raise BoundkitError(f"{name} must be above {needed:g} for this problem, but it is {given:g}.")

    @classmethod
    def episode(cls, H: float, noise: float = 0.0) -> Self:
        """EPISODE's two clients, x^4 - 3 x^3 - H h_i x^2 + x with h = (-1, 2); they start at x_0 = 1.

        Crawshaw, Bao, Liu 2023 (arXiv 2302.07155), the published synthetic experiment.
        """
        return cls([[1, -3, -H * h, 1, 0] for h in (-1, 2)], noise=noise)

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """f_i(y_i) by Horner's rule."""
        return _horner(as_like(self.coefficients[clients], y), y[..., 0])

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """f_i'(y_i) by Horner's rule."""
        slopes = as_like(self._slopes[clients], like)
        return lambda y: _horner(slopes, y[..., 0])[..., None]

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """The Taylor series about the minimiser from second order on, so that nothing cancels near it."""
        u = x[..., 0] - float(self.centre[0])
        series = poly.taylor_coefficients(self.mean, float(self.centre[0]))[:-2]
        return _horner(as_like(series, x), u) * u * u if len(series) else 0 * u

    @property
    def infimum(self) -> Constant | None:
        """The smallest value at the roots of F'."""
        if self._least is None:
            return None
        return Constant(self._least[1], "exact", "smallest value at the roots of F'")

    @cached_property
    def _minima(self) -> Array | None:
        lowest = [poly.minimum(c) for c in self.coefficients]
        return None if None in lowest else np.array([f[1] for f in lowest if f is not None])

    @property
    def minima(self) -> Array | None:
        """The smallest value of each client at the roots of its derivative."""
        return self._minima

    @property
    def homogeneous(self) -> bool:
        """Whether all coefficients but the constant ones are the same."""
        c = self.coefficients[:, :-1]
        return bool(c.size == 0 or np.ptp(c, axis=0).max() <= 1e-12 * np.abs(c).max())

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L0, L1, zeta, rho_zeta, grad_max by roots; L and mu on all of space, else on {F <= F(x_0)}."""
        constants = self.start_constants(x0)
        at = float(x0[0])
        with np.errstate(over="ignore"):
            steepest = abs(float(np.polyval(poly.derivative(self.mean), at)))
        part = None
        if self._least is not None:
            part = np.append(poly.sublevel_points(self.mean, float(np.polyval(self.mean, at))), at)
            steepest = float(np.abs(np.polyval(poly.derivative(self.mean), part)).max())
            constants["grad_max"] = Constant(steepest, "exact", "largest |F'| where F <= F(x_0)")
        constants |= curvature(self._curved[: self.m], part)
        constants |= relaxed(self._curved, self.L1, steepest)
        return constants | dissimilarity(self._apart, self.rho_zeta, self.p, steepest)

    def convexity(self) -> tuple[bool, str]:
        """Convex where no client's second derivative is negative (up to rounding)."""
        for i, (second_derivative, _) in enumerate(self._curved[: self.m]):
            if has_negative_values(second_derivative):
                low = poly.minimum(second_derivative)
                where = "falls without end" if low is None else f"is {low[1]:.6g} at x = {low[0]:.6g}"
                return False, f"the second derivative of client {i} {where}"
        return True, ""

    @cached_property
    def _slopes(self) -> Array:
        powers = np.arange(self.coefficients.shape[1] - 1, 0, -1)
        slopes = self.coefficients[:, :-1] * powers
        return slopes if slopes.size else np.zeros((self.m, 1))

    @cached_property
    def _curved(self) -> list[tuple[Array, Array]]:
        """f'' and f' of every client, then of the mean."""
        slopes = [*self._slopes, poly.derivative(self.mean)]
        return [(poly.derivative(s), s) for s in slopes]

    @cached_property
    def _apart(self) -> list[tuple[Array, Array]]:
        """f_i' - F' and F' for every client; rounding errors are set to 0."""
        mean = poly.derivative(self.mean)
        differences = self._slopes - mean
        differences[np.abs(differences) <= _ROUNDING * np.abs(self._slopes).max(axis=0)] = 0.0
        return [(a, mean) for a in differences]

    def _alone(self, where: Array) -> bool:
        """Whether no other stationary point is as low."""
        if self._least is None or poly.degree(self.mean) == 0:
            return False
        x, value = self._least
        values = np.polyval(self.mean, where)
        rival = values - value <= 1e-12 * max(np.abs(values).max(), abs(value))
        return not bool((rival & (np.abs(where - x) > 1e-3 * max(np.abs(where).max(), 1e-300))).any())

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(given["coefficients"], given.get("p"), noise, given.get("L1"), given.get("rho_zeta"))

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem; the slopes only where they were given."""
        slopes = {"L1": self.L1, "rho_zeta": self.rho_zeta}
        return {
            "kind": self.kind,
            "coefficients": self.coefficients.tolist(),
            "p": self.p.tolist(),
            **{name: value for name, value in slopes.items() if value is not None},
        }


def _horner(c: AnyArray, x: AnyArray) -> AnyArray:
    out = c[..., 0] + 0 * x
    for k in range(1, c.shape[-1]):
        out = out * x + c[..., k]
    return out
