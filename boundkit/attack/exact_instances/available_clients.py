r"""Exact moments of FedAvg and FedAU where a mean over all clients receives the updates of available ones.

The clients have losses h (x - e_i)^2/2 with minimisers of mean 0, and each is available with probability q,
independently. With s the step of a round and omega its weight, x+ = x - (s omega/m) sum over the present
of a (x - e_i) + n_i, a the curvature of a client's round and n_i its noise, so that

    E x+^2 = ((1 - s p a)^2 + (s omega a)^2 q (1 - q)/m) E x^2 + (s omega)^2 (q (1 - q) (a e)^2 + q V)/m,

p = omega q, (a e)^2 the mean of the (a e_i)^2 and V the variance of the noise. Rare clients show what a mean
over all clients costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import satisfied
from boundkit.attack.exact_instances.sampled_moments import (
    average_factor,
    conditions,
    largest_power,
    noise_of_client,
)
from boundkit.attack.measurement import Array, Measurement, measure_known

_AVAILABLE, _CLIENTS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 1e-4), (2.0, 4.0, 64.0, 1e6)
_TAUS, _SERVER, _CURVATURES = (1.0, 2.0, 64.0), (1e-2, 1.0, 100.0), (1.0, 0.01)
_PARTS = (1.0, 0.3, 0.01)
"""Fractions of s p L = 1/2, of s p L = q m/16 and of eta tau L = 1/8, of which the smallest counts."""
_CAUSES = ("initial gap", "noise", "dissimilarity")
_HORIZONS = (0.0, 1.0, 64.0, 1e9)
"""Rounds, in units of those after which the initial gap has become small; at least one."""
_INSIDE, _ERROR = 1 - 1e-9, 1e-9


def measure_available_clients(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the mean squared gradient with one cause of error alone."""
    for cause, at in _causes(theorem):
        yield from _measured(theorem, at, cause)


def measure_longest_available(theorem: Theorem, condition: Relational) -> Iterator[Measurement]:
    """Yield the same at the longest steps that a theorem allows, where ``condition`` does not hold."""
    for cause, at in _causes(theorem):
        power = largest_power(theorem, partial(_longer, at), at["m"].shape)
        longest = _longer(at, power)
        beyond = ~np.broadcast_to(satisfied(condition, longest), power.shape)
        if beyond.any():
            yield from _measured(theorem, {name: each[beyond] for name, each in longest.items()}, cause)


def _longer(at: dict[str, Array], power: Array) -> dict[str, Array]:
    return {**at, "eta": at["eta"] * 2.0**power}


def _causes(theorem: Theorem) -> Iterator[tuple[str, dict[str, Array]]]:
    """Yield the causes of error with their instances; nothing where the theorem is about others."""
    over_all = theorem.assumes("average-over-all") or theorem.assumes("fixed-weights")
    observed = theorem.claim.observable == "surrogate_gradient_norm_squared"
    if theorem.kind != "upper" or theorem.rules or not (over_all and observed):
        return
    for cause in _CAUSES:
        at = settings(cause, weighted=theorem.assumes("fixed-weights"))
        if {q.name for q in theorem.quantities} <= {*at, "T"}:
            yield cause, at


def _measured(theorem: Theorem, at: dict[str, Array], cause: str) -> Iterator[Measurement]:
    for horizon in _HORIZONS:
        with np.errstate(all="ignore"):  # beyond what converges
            rounds = np.maximum(np.ceil(horizon / contraction(at)[0]), 1.0)
            measured = mean_squared_gradient(at, rounds)
        known = {**at, "T": rounds}
        valid = conditions(theorem, known) & (measured > 0)
        known = {name: each[valid] for name, each in known.items()}
        said = f"{cause} alone, by exact moments of clients available at random"
        yield from measure_known(theorem, known, measured[valid], _ERROR, said)


def settings(cause: str, weighted: bool) -> dict[str, Array]:
    """Return the quantities of all instances with a cause, (N,) each, at L = 1; ``weighted``: by 1/q, too."""
    rows = set()
    for q, m, tau, server, h, part in product(_AVAILABLE, _CLIENTS, _TAUS, _SERVER, _CURVATURES, _PARTS):
        for omega in {1.0, 1 / q} if weighted else {1.0}:
            longest = min(1 / (2 * omega * q), m / (16 * omega * (1 - q)) if q < 1 else np.inf, server / 8)
            rows.add((q, m, tau, server, h, omega, _INSIDE * part * longest / (server * tau)))
    q, m, tau, server, h, omega, eta = np.array(sorted(rows)).T
    one = np.ones(q.shape)
    return {
        "m": m, "tau": tau, "eta_s": server, "eta": eta, "L": one, "h": h, "omega": omega, "availability": q,
        "pull": omega * q, "share_noise": 1 / (m * q), "absence": (1 - q) / (m * q),
        "x0": one * (cause == "initial gap"), "sigma": one * (cause == "noise"),
        "sigma_g": one * (cause == "dissimilarity"), "gap": h / 2 * (cause == "initial gap"),
    }  # fmt: skip


def contraction(at: dict[str, Array]) -> tuple[Array, Array]:
    """Return 1 less the factor of E x^2 in a round, and what is added to the product."""
    q, m = at["availability"], at["m"]
    step, factor = (
        at["eta_s"] * at["eta"] * at["tau"] * at["omega"],
        average_factor(at["h"], at["eta"], at["tau"]),
    )
    moved = step * at["h"] * factor
    lost = 2 * q * moved - moved**2 * (q**2 + q * (1 - q) / m)
    noise = noise_of_client(at, at["eta"], at["sigma"])
    return lost, step**2 * q * ((1 - q) * (factor * at["sigma_g"]) ** 2 + noise) / m


def mean_squared_gradient(at: dict[str, Array], rounds: Array) -> Array:
    """Return the mean over the rounds t < T of E (h x_t)^2."""
    lost, added = contraction(at)
    start = -np.expm1(rounds * np.log1p(-lost)) / (rounds * lost)
    return at["h"] ** 2 * (at["x0"] ** 2 * start + added / lost * np.maximum(1 - start, 0.0))
