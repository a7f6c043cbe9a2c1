"""Exact fixed points of local steps on two kinds of clients: client drift alone, after any number of rounds.

Half of the clients have curvature 1 and minimiser 1, the others curvature h and minimiser -1. All of them
participate, without noise. The server stays where the updates (1 - (1 - eta h_i)^tau) (x - e_i) cancel, which
is not the optimum. It is the fixed point of every algorithm with these local steps, whatever else the server
does with their mean: stored updates and momenta are 0 there.

Where updates are clipped, the server also stays at points beyond, where the updates of both are longer than
the clip: then the drift and what clipping takes off the mean direction add up.

Convex clients may have the curvatures 1 and h in two dimensions, along axes that are mirror images: gradients
(1, b) and (-1, b) then move both along the second coordinate too, in which their mean loss is flat.

A robust server stays wherever the error of the aggregate may be minus the mean update. Half of the clients
then have curvature 1 and the others -1, and the drift adds to what the attack hides; or all have curvature 1
along the mean gradient and -1 along what they differ by: local steps shorten the one and lengthen the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import (
    KNOWN,
    NOWHERE,
    STORES,
    WEIGHTS,
    by_rules,
    conditions,
    quantities,
    with_derived,
)
from boundkit.attack.measurement import Array, Measurement, measure_known

LOCAL_STEPS = frozenset(STORES) - {"scaffold"}
"""Algorithms with plain local steps."""
OPPOSITE, CONVEX = (-0.99, -0.97, -0.9, -0.7, -0.3), (1e-3, 0.01, 0.1, 0.5)
_TAUS, _LENGTHS = (2.0, 3.0, 4.0, 16.0, 256.0, 4096.0), (0.25, 0.125, 0.1, 0.05, 0.01, 1e-3)
"""tau and eta tau."""
_ROUNDS, _TIMES = (1e2, 1e4, 1e6, 1e9, 1e15), (4.0, 12.0, 24.0, 100.0, 1e4)
"""T, and T in units of m tau, where a rule gives the step."""
_FURTHER: dict[str, tuple[float, ...]] = {
    "m": (2.0, 1e3, 1e6), "eta_s": (1.0, 1e-2, 1e-4), "fresh": (1.0, 0.1, 1e-2),
}  # fmt: skip
_TANGENTS = (1.0, 4.0)
"""Of the angle between the first coordinate and the axis of curvature 1, in units of sqrt h."""
_BEYOND = (1.25, 1.5, 2.0)
"""Distance from the optimum over that of the fixed point, where one kind is clipped as long as the other."""
_ROOTS, _STEPS = (0.0, *np.geomspace(1e-4, 0.99, 60)), (*_LENGTHS, 0.5, 0.2, 1e-4)
"""sqrt(robustness) and eta tau of a robust server."""
_FOREVER = 1e60
_INSIDE, _RELATIVE = 1 - 1e-9, 1e-9
"""Rounding of step sizes whose limit is an equality, and of the fixed point."""


def measure_drift_fixed_points(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity at the fixed points, where the bound has a client drift."""
    names = {q.name for q in theorem.quantities}
    if theorem.kind != "upper" or theorem.algorithm not in LOCAL_STEPS or not names <= KNOWN:
        return
    if theorem.claim.observable not in WEIGHTS or theorem.claim.summary not in ("average", "last"):
        return
    others = ("biased-selection", "decaying-step", "cyclic-participation")
    if "client drift" not in theorem.bound.terms or any(map(theorem.assumes, others)):
        return
    if theorem.assumes("robust-aggregation"):
        for place, attacked in (("", at_attacked_point()), (" from aside", at_point_attacked_from_aside())):
            said = f"client drift under attack{place}, at rest"
            yield from measure_known(theorem, attacked, attacked["square"], _RELATIVE, said)
    grid = by_rules(theorem, _grid(theorem))
    said = "client drift alone, at the fixed point of two kinds of clients"
    places = [(said, at_fixed_point(grid))]
    if _convex(theorem):
        places += [(f"{said} across each other", at_crossed_point(grid, size)) for size in _TANGENTS]
    if "clip_excess" in names:
        beyond = "client drift and clipping, where updates of two kinds of clients are clipped to one length"
        places += [(beyond, at_fixed_point(grid, times)) for times in _BEYOND]
    for said, at in places:
        with np.errstate(all="ignore"):
            inside = conditions(theorem, at) & (at["eta"] < 1) & np.isfinite(at["x0"])
            if "opposite" in at:
                inside &= at["opposite"].astype(bool)
        at = {name: values[inside] for name, values in at.items()}
        value = at["distance"] ** 2 * WEIGHTS[theorem.claim.observable](at["mean"])
        if value.size:
            yield from measure_known(theorem, at, value, _RELATIVE, said)


def at_attacked_point() -> dict[str, Array]:
    """Return the constants where the mean update is k times the deviation of the updates, k^2 = robustness.

    The gradients are 1 and ``second``, the curvatures 1 and -1.
    """
    at, convex, concave = _attacked()
    k = np.sqrt(at["robustness"])
    second = -convex * (1 - k) / (concave * (1 + k))
    return at | {"second": second, "sigma_g": (1 - second) / 2, "square": ((1 + second) / 2) ** 2}


def at_point_attacked_from_aside() -> dict[str, Array]:
    """Return the same where the gradients are (x, 1) and (x, -1), and all Hessians diag(1, -1)."""
    at, convex, concave = _attacked()
    return at | {"sigma_g": at["L"], "square": at["robustness"] * (concave / convex) ** 2}


def _attacked() -> tuple[dict[str, Array], Array, Array]:
    """Return settings, and the mean gradient of local steps over the first, for curvatures 1 and -1."""
    k, tau, length = np.array(list(product(_ROOTS, _TAUS, _STEPS))).T
    one, eta = np.ones_like(k), _INSIDE * length / tau
    convex, concave = (np.abs(np.expm1(tau * np.log1p(-h * eta))) / (eta * tau) for h in (1.0, -1.0))
    at = {
        "m": 2 * one, "eta": eta, "eta_s": one, "tau": tau, "L": one, "T": _FOREVER * one, "gap": one,
        "robustness": k**2,
    }  # fmt: skip
    return at, convex, concave


def _convex(theorem: Theorem) -> bool:
    return theorem.assumes("convex") or theorem.assumes("strongly-convex")


def _grid(theorem: Theorem) -> dict[str, Array]:
    """Return h, tau, eta, T and what the theorem has of the further quantities, (N,) each."""
    names = {q.name for q in theorem.quantities}
    further = [values if name in names else values[:1] for name, values in _FURTHER.items()]
    times = _TIMES if theorem.rules else _ROUNDS
    curvatures = CONVEX if _convex(theorem) else (*OPPOSITE, *CONVEX)
    rows = np.array(list(product(curvatures, _TAUS, _LENGTHS, times, *further))).T
    h, tau, length, rounds, m, server, fresh = rows
    at = {
        "h": h, "tau": tau, "eta": _INSIDE * length / tau, "m": m, "count": m, "group": m,
        "T": rounds * m * tau if theorem.rules else rounds,
    }  # fmt: skip
    at |= {name: np.full(h.shape, value) for name, value in NOWHERE.items()}
    return quantities(with_derived(at | {"eta_s": server, "fresh": fresh}))


def at_fixed_point(at: Mapping[str, Array], times: float = 1.0) -> dict[str, Array]:
    """Add the fixed point and the constants there.

    ``times``: the distance from the optimum over that of the point where updates cancel that are not clipped;
    those of both kinds are clipped at the shorter length of the two.
    """
    h, slope = at["h"], at["fresh"] * at["eta"]
    with np.errstate(all="ignore"):
        moves = [-np.expm1(at["tau"] * np.log1p(-slope * each)) for each in (1.0, h)]
        x = (moves[0] - moves[1]) / (moves[0] + moves[1])
        x = x + (times - 1) * (x - (1 - h) / (1 + h))
    mean, gradients = (1 + h) / 2, np.array([x - 1, h * (x + 1)])
    lengths = np.abs([moves[0] * (x - 1), moves[1] * (x + 1)])
    excess = np.abs(lengths[0] - lengths[1]) / (2 * at["eta"] * at["tau"])
    away = np.abs(gradients.mean(axis=0)) / mean
    spread = np.abs(gradients[0] - gradients[1]) / 2
    return {
        **at, **dict.fromkeys(("sigma_g", "kappa", "sigma_c"), spread), "x0": x, "mean": mean,
        "distance": away, "gap": mean / 2 * away**2, "mu": h, "mu_pl": mean,
        "clip": lengths.min(axis=0), "clip_excess": excess if times > 1 else 0 * x,
        "opposite": gradients[0] * gradients[1] <= 0,
        "gradients_start": np.sqrt((gradients**2).mean(axis=0)), "update_error": 0 * x,
    }  # fmt: skip


def at_crossed_point(at: Mapping[str, Array], size: float) -> dict[str, Array]:
    """Add the fixed point (0, 0) of curvatures across each other, and the constants there."""
    h, slope = at["h"], at["fresh"] * at["eta"]
    flat = 1 / (1 + size**2 * h)  # the squares of both coordinates of the axis
    steep, product = 1 - flat, np.sqrt(flat * (1 - flat))
    with np.errstate(all="ignore"):
        moves = [-np.expm1(at["tau"] * np.log1p(-slope * each)) / each for each in (1.0, h)]
        sideways, along = (moves[0] - moves[1]) * product, moves[0] * steep + moves[1] * flat
        b = -sideways / along
    mean, start = steep + h * flat, np.sqrt(1 + b**2)
    distance = np.abs(b) / mean
    one = np.ones_like(h)
    return {
        **at, **dict.fromkeys(("sigma_g", "kappa", "sigma_c"), one), "x0": distance, "mean": mean,
        "distance": distance, "gap": mean / 2 * distance**2, "mu": h,
        "mu_pl": mean,
        "clip": np.abs(moves[0] * flat + moves[1] * steep + sideways * b),
        "gradients_start": start, "update_error": 0 * h,
    }  # fmt: skip
