"""The constants of one-dimensional polynomials: each an extreme value at finitely many roots.

``curved`` contains f'' and f' of every client (and of the mean, where stated), ``apart`` f_i' - F' and F'
of every client; ``steepest`` is the largest |F'| on the initial sublevel set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import polynomial_roots as poly
from boundkit.simulation.problems.base import Array

Pairs = Sequence[tuple[Array, Array]]
_BETWEEN = "between the ends of F <= F(x_0)"


def curvature(curved: Pairs, part: Array | None) -> dict[str, Constant]:
    """L, mu and L_minus of the clients; L and mu between the ends of ``part`` without global ones."""
    bends = [bend for bend, _ in curved]
    ends = [poly.range_of(c, part.min(), part.max()) for c in bends] if part is not None else []
    found = {}
    if all(poly.degree(c) == 0 for c in bends):
        found["L"] = Constant(max(abs(float(c[-1])) for c in bends), "exact", "constant curvatures")
    elif ends:
        L = max(max(-low, high) for low, high in ends)
        found["L"] = Constant(L, "local", f"largest curvature of a client {_BETWEEN}")
    lowest = [poly.least(c) for c in bends]
    least = min((low[1] if low is not None else -np.inf for low in lowest), default=0.0)
    if np.isfinite(least):
        found["L_minus"] = Constant(max(-least, 0.0), "exact", "smallest curvature of any client, downwards")
    if least > 0:
        found["mu"] = Constant(least, "exact", "smallest curvature of any client")
    elif ends and not any(map(bends_down, bends)) and min(low for low, _ in ends) > 0:
        mu = min(low for low, _ in ends)
        found["mu"] = Constant(mu, "local", f"smallest curvature of a client {_BETWEEN}")
    return found


def bends_down(bend: Array) -> bool:
    """Whether a second derivative is negative by more than rounding."""
    low = poly.least(bend)
    return low is None or low[1] < -1e-12 * np.abs(bend).max()


def relaxed(curved: Pairs, L1: float | None, steepest: float) -> dict[str, Constant]:
    """L0 and L1, for clients and mean; none where every curvature is constant and no L1 is given."""
    chosen = "makes L0 + L1 grad_max smallest" if L1 is None else "as given"
    L1 = poly.balanced_slope(curved, steepest or 1.0) if L1 is None else L1
    if L1 == 0:
        return {}
    L0 = max(poly.excess(bend, slope, L1) for bend, slope in curved)
    return {
        "L0": Constant(max(L0, 0.0), "exact", "sup of |f''| - L1 |f'|, clients and mean, by roots"),
        "L1": Constant(L1, "exact", chosen),
    }


def dissimilarity(apart: Pairs, rho: float | None, p: Array, steepest: float) -> dict[str, Constant]:
    """zeta and rho_zeta, where some rho_zeta suffices; sigma_g where the f_i' differ by constants."""
    chosen = "makes zeta + rho_zeta grad_max smallest" if rho is None else "as given"
    rho = poly.balanced_slope(apart, steepest or 1.0) if rho is None else rho
    zeta = max(poly.excess(a, slope, rho) for a, slope in apart)
    found = {}
    if np.isfinite(zeta):
        found["zeta"] = Constant(max(zeta, 0.0), "exact", "sup of |f_i' - F'| - rho_zeta |F'| by roots")
        found["rho_zeta"] = Constant(rho, "exact", chosen)
    if all(poly.degree(a) == 0 for a, _ in apart):
        square = float(p @ np.array([a[-1] ** 2 for a, _ in apart]))
        found["sigma_g"] = Constant(square**0.5, "exact", "the f_i' differ by constants")
    return found
