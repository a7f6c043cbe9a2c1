r"""FedExP with the longest server steps, eta_s ||mean Delta||^2 = mean ||Delta_i||^2, in closed form.

Four instances, of full gradients.

- **Orthogonal clients.** Client i has the loss L x_i^2/2 in a coordinate of its own, of which there are m.
  From equal coordinates eta_s is m, and every coordinate falls by the factor 1 - a in a round, as if its
  client were alone, a = 1 - (1 - eta L)^tau.
- **Two sides of a parabola.** The minimisers of two clients of curvature L are e and -e. Where eta_s a = 2
  the model goes from x to -x and back, with a (x^2 + e^2) = 2 x^2.
- **Two sides of a kink.** The mean loss is |x| times a small slope s, rounded within s/L, and two clients
  differ by +-zeta x from it. Gradients are the same in every round whose local steps stay on one side, so
  that the model goes from q to q - eta tau (s^2 + zeta^2)/s and back, with q just beyond the reach of local
  steps. The mean of both models is on one side, where the loss is half of that at the far one.
- **A straight line.** Equal clients, eta_s = 1, begin many steps from the quadratic part. The loss at the
  mean of models on a line is the mean of their losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import average_factor, measure_inside
from boundkit.attack.exact_instances.straight_lines import descent_gap
from boundkit.attack.measurement import Array, Measurement

_CLIENTS, _ROUNDS = (2.0, 16.0, 1024.0), (1.0, 2.0, 8.0, 64.0, 2.0**20)
_TAUS, _PARTS = (1.0, 2.0, 4096.0), (1.0, 0.3, 1e-2)
"""tau, and eta L tau in units of its limit 1/6."""
_SLOPE, _CYCLES = 1e-3, 2.0**100
"""s, at zeta = 1, and rounds of a cycle: so many that the initial gap is small beside it."""
_DESCENT = 2.0**24
"""Rounds on a line."""
_INSIDE, _ERROR = 1 - 1e-9, 1e-9


def measure_extrapolated_models(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity of each instance."""
    if theorem.algorithm != "fedexp" or theorem.kind != "upper" or theorem.rules:
        return
    of_loss = theorem.claim.observable == "weighted_iterate_loss_gap"
    at = orthogonal_clients()
    measured = at["loss"] if of_loss else at["squared_gradient"]
    yield from measure_inside(theorem, at, measured, _ERROR, "clients of orthogonal coordinates")
    if of_loss:
        at = two_sides_of_a_kink()
        yield from measure_inside(theorem, at, at["loss"], _ERROR, "two sides of a kink")
        at = straight_line()
        yield from measure_inside(theorem, at, at["loss"], _ERROR, "descent along a straight line")
    else:
        at = two_sides_of_a_parabola()
        yield from measure_inside(theorem, at, at["squared_gradient"], _ERROR, "two sides of a parabola")


def orthogonal_clients() -> dict[str, Array]:
    """Return the quantities of all instances, (N,) each, at L = 1, and what is claimed of them."""
    m, T, tau, part = np.array(list(product(_CLIENTS, _ROUNDS, _TAUS, _PARTS))).T
    at = _at(m, T, tau, part)
    a = at["eta"] * tau * average_factor(at["L"], at["eta"], tau)
    left = -np.expm1(T * np.log1p(-a))  # 1 - (1 - a)^T
    twice = -np.expm1(2 * T * np.log1p(-a))
    return {
        **at, "eta_s_mean": m, "distance": np.sqrt(m), "gap": 0.5 * at["L"],
        "loss": (left / (T * a)) ** 2 / 2, "squared_gradient": twice / (a * (2 - a)) / (m * T),
    }  # fmt: skip


def two_sides_of_a_parabola() -> dict[str, Array]:
    """Return the same for a model that goes to and fro beside a parabola."""
    tau, part = np.array(list(product(_TAUS, _PARTS))).T
    at = _at(2.0, _CYCLES, tau, part)
    a = at["eta"] * tau * average_factor(at["L"], at["eta"], tau)
    x = np.sqrt(a / (2 - a))  # at e = 1
    return {
        **at, "eta_s_mean": 2 / a, "distance": x, "gap": x**2 / 2, "sigma_g": at["L"], "sigma_star": at["L"],
        "squared_gradient": x**2,
    }  # fmt: skip


def two_sides_of_a_kink() -> dict[str, Array]:
    """Return the same for a model that goes to and fro beside a kink."""
    tau, part = np.array(list(product(_TAUS, _PARTS))).T
    at, s = _at(2.0, _CYCLES, tau, part), _SLOPE
    near = s + at["eta"] * tau  # the rounded part, and the local steps against the mean's slope
    moved = at["eta"] * tau * (s**2 + 1) / s
    return {
        **at, "eta_s_mean": (s**2 + 1) / s**2 * at["L"], "distance": near, "gap": s * near - s**2 / 2,
        "sigma_g": at["L"], "sigma_star": at["L"], "loss": s * (moved / 2 - near) - s**2 / 2,
    }  # fmt: skip


def straight_line() -> dict[str, Array]:
    """Return the same for a model that comes to the quadratic part, of width 1, after the last round."""
    tau, part = np.array(list(product(_TAUS, _PARTS))).T
    at = _at(2.0, _DESCENT, tau, part)
    s = at["eta"] * tau
    return {
        **at, "eta_s_mean": at["L"], "distance": 1 + s * _DESCENT, "gap": 0.5 + s * _DESCENT,
        "loss": np.array([descent_gap(each, _DESCENT, "loss_gap") for each in s]),
    }  # fmt: skip


def _at(m: Array | float, T: Array | float, tau: Array, part: Array) -> dict[str, Array]:
    one = np.ones(tau.shape)
    return {
        "m": m * one, "T": T * one, "tau": tau, "eta": _INSIDE * part / (6 * tau), "L": one,
        "sigma_g": 0 * one, "sigma_star": 0 * one,
    }  # fmt: skip
