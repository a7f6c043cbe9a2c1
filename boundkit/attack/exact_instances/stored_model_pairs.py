r"""Exact second moments of FedAWE on two clients of different quadratics, for any number of rounds.

Client i has the loss h_i (x - e_i)^2/2, and each is available with the probability q, independently. Its
state is the stored model x_i and the updates w_i = (k_i - 1) a_i that it missed, k_i the rounds since its
last one, a_i the mean direction of its local steps from x_i. A participant goes to x_i - s (w_i + a_i + k_i
n_i), n_i the noise of its direction, and has missed nothing; two of them store their mean. So the moments of
(x_1, x_2, w_1, w_2, 1), with E k_i and E k_i^2, are linear in those before, and powers of the matrix are
computed by repeated squaring. Rare clients of nearly opposite curvature show what old models cost.
Where step sizes depend on T, every T is an instance of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import (
    average_factor,
    by_rules,
    conditions,
    noise_of_client,
)
from boundkit.attack.measurement import Array, Measurement, knows

_AVAILABLE = (1.0, 1 - 1e-5, 0.999, 0.9, 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
_ROOTS = (0.51, 0.255, 0.102)
"""Roots of mixing just above 1/2, 1/4 and 1/10, where a divisor of one of these less the root is negative."""
_TAUS, _SERVER = (1.0, 2.0, 4096.0, 2.0**30), (1.0, 1e-2, 100.0, 1e10)
_LONG = (64.0, 2.0**8, 2.0**20)
"""Local steps, where the step sizes follow from the rounds."""
_LENGTHS = (0.5, 0.2, 0.05, 0.01, 1e-3, 1e-5)
"""s L in units of q^2 and of q^3."""
_CURVATURES = ((1.0, 1.0), (1.0, -0.9), (1.0, -0.5), (1.0, 0.01))
_CAUSES = ("initial gap", "noise", "dissimilarity")
_DISSIMILAR = (2.0, 1e4)
"""beta^2, of clients with one minimiser 1, where kappa depends on it: the larger it is, the smaller kappa."""
_POINTS = {
    "mean_model_gradient_norm_squared": 0.0,
    "auxiliary_gradient_norm_squared": 1.0,
    "scaled_spread": 0.0,
}
"""Observables, and whether the missed updates are taken off the stored models."""
_DOUBLINGS, _EACH = 42, 6
_RELATIVE, _OF_ROUNDS, _LARGE = 1e-6, 1e-15, 1e30
_CANCELLED = 1e-8
"""Smallest difference of moments, as part of them, that rounding leaves."""
_LEAST = 1e-12
"""Smallest value, in units of a round's step, that is not rounding of a sum of gradients of +-1."""


def measure_stored_model_pairs(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity after 1, 64, 4096, ... rounds, with one cause of error alone."""
    if theorem.algorithm != "fedawe" or theorem.kind != "upper":
        return
    horizons = [2.0**k for k in range(0, _DOUBLINGS + 1, _EACH)] if theorem.rules else [1.0]
    for cause, rounds in product(_CAUSES, horizons):
        at = settings(cause, chosen=bool(theorem.rules))
        at = by_rules(theorem, {**at, "T": rounds * at["T"]})
        if not knows(theorem, at):
            return
        at = {name: values[conditions(theorem, at)] for name, values in at.items()}
        said = {"said": f"{cause} alone, by exact moments of two clients"}
        with np.errstate(all="ignore"):
            for t, measured, scale in _measured(at, theorem.claim.observable):
                if theorem.rules and t != rounds:
                    continue
                known = {**at, "T": np.full(measured.shape, float(t))}
                least = _CANCELLED * scale + _LEAST * at["eta_s"] * at["eta"] * at["tau"]
                kept = conditions(theorem, known) & (measured > least) & (scale < _LARGE)
                if kept.any():
                    values = {q.name: known[q.name][kept] for q in theorem.quantities}
                    value = measured[kept]
                    error = value * (_OF_ROUNDS * t) + _RELATIVE * np.minimum(value, _RELATIVE * scale[kept])
                    yield Measurement(values, value - error, value + error, 0.0, said)


def settings(cause: str, chosen: bool = False) -> dict[str, Array]:
    """Return the quantities of all instances with a cause, (N,) each, at L = 1.

    ``chosen``: without step sizes of their own, as a theorem's rules give them.
    """
    taus, servers, lengths, powers = (
        (_TAUS[:-1] + _LONG, (1.0,), (1.0,), (0,)) if chosen else (_TAUS, _SERVER, _LENGTHS, (2, 3))
    )
    available = (*_AVAILABLE, *((1 - root**2) ** 0.5 for root in _ROOTS))
    apart = float(cause == "dissimilarity")
    rows = [
        (q, tau, server, (length * q**power) / (tau * server), first, second, over)
        for q, tau, server, length, power, (first, second), over in product(
            available, taus, servers, lengths, powers, _CURVATURES, _DISSIMILAR if apart else (1.0,)
        )
        if first != second or over <= 2
    ]
    q, tau, server, eta, first, second, over = np.array(sorted(set(rows))).T
    one = np.ones(q.shape)
    h, mean = np.stack([first, second]), (first + second) / 2
    centres = np.stack([apart / first, -apart / second])  # gradients of +-1 at the optimum 0
    squares = (h**2).mean(axis=0)
    beta = np.sqrt(np.where(first == second, 1.0, over * squares / mean**2))
    cross = ((h**2) * centres).mean(axis=0)  # mean (h x - h e)^2 = squares x^2 - 2 cross x + apart^2
    more = beta**2 * mean**2 - squares
    kappa = np.sqrt(apart**2 + np.where(cross != 0, cross**2 / np.where(cross != 0, more, 1.0), 0.0))
    start = float(cause == "initial gap")
    return {
        "m": 2 * one, "tau": tau, "eta_s": server, "eta": eta, "availability": q, "availability_max": q,
        "mixing": 1 - q**2, "L": one, "sigma": one * (cause == "noise"), "beta": beta, "kappa": kappa,
        "gap": mean / 2 * start**2, "T": one, "h_1": first, "h_2": second, "e_1": centres[0],
        "e_2": centres[1], "x0": start * one,
    }  # fmt: skip


def _measured(at: Mapping[str, Array], observable: str) -> Iterator[tuple[int, Array, Array]]:
    """Yield T, the mean over the rounds t < T of the observable, and the size of the moments in it."""
    if observable not in _POINTS or not at["h_1"].size:
        return
    step, first = recursion(at)
    mean = (at["h_1"] + at["h_2"]) / 2
    s, off = at["eta_s"] * at["eta"] * at["tau"], _POINTS[observable]
    point = np.zeros((mean.size, 5))
    point[:, :2] = 0.5
    if off:  # the source's auxiliary models miss gradients, not directions
        for i in (0, 1):
            factor = average_factor(at[f"h_{i + 1}"], at["eta"], at["tau"])
            point[:, 2 + i] = -s / (2 * factor)
    if observable == "scaled_spread":
        point[:, 1] = -0.5
    weight = np.ones(mean.shape) if observable == "scaled_spread" else mean**2
    claimed = np.einsum("ni,nj->nij", point, point).reshape(mean.size, 25)
    power, total = step, np.broadcast_to(np.eye(step.shape[-1]), step.shape)
    for k in range(_DOUBLINGS + 1):
        if k % _EACH == 0:
            moments = np.einsum("njk,nk->nj", total, first)[:, :25] / 2**k
            value, size = (
                weight * np.einsum("nj,nj->n", *each)
                for each in ((claimed, moments), (np.abs(claimed), np.abs(moments)))
            )
            yield 2**k, value, size
        total = total + total @ power
        power = power @ power


def recursion(at: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the matrix of a round for the 25 moments, E k_i, E k_i^2 and 1, and their start."""
    size, q = at["availability"].size, at["availability"]
    s = at["eta_s"] * at["eta"] * at["tau"]
    slopes = np.stack(
        [at[f"h_{i}"] * average_factor(at[f"h_{i}"], at["eta"], at["tau"]) for i in (1, 2)], axis=-1
    )
    noises = [noise_of_client({**at, "h": at[f"h_{i}"]}, at["eta"], at["sigma"]) for i in (1, 2)]
    step = np.zeros((size, 28, 28))
    added = np.zeros((size, 5, 5, 2))
    for present in product((True, False), repeat=2):
        chance = np.prod([q if each else 1 - q for each in present], axis=0)
        linear = np.zeros((size, 5, 5))
        linear[:, 4, 4] = 1.0
        moved = np.zeros((size, 2, 5))
        for i in (0, 1):
            moved[:, i, i], moved[:, i, 2 + i] = 1 - s * slopes[:, i], -s
            moved[:, i, 4] = s * slopes[:, i] * at[f"e_{i + 1}"]
            if not present[i]:
                linear[:, i, i] = linear[:, 2 + i, 2 + i] = 1.0
                linear[:, 2 + i, i] = slopes[:, i]
                linear[:, 2 + i, 4] = -slopes[:, i] * at[f"e_{i + 1}"]
        share = 1 / max(sum(present), 1)
        receives = np.zeros((5, 2))
        for i, j in product((0, 1), repeat=2):
            if present[i] and present[j]:
                linear[:, i] += share * moved[:, j]
                receives[i, j] = share
        both = np.einsum("nij,nkl->nikjl", linear, linear).reshape(size, 25, 25)
        step[:, :25, :25] += chance[:, None, None] * both
        for j in (0, 1):
            added[..., j] += (chance * s**2 * noises[j])[:, None, None] * np.outer(
                receives[:, j], receives[:, j]
            )
    step[:, :25, 26] = added.sum(axis=-1).reshape(size, 25)  # times E k_i^2, which the clients share
    step[:, 25, 25], step[:, 25, 27] = 1 - q, 1.0
    step[:, 26, 26], step[:, 26, 25], step[:, 26, 27] = 1 - q, 2 * (1 - q), 1.0
    step[:, 27, 27] = 1.0
    start = np.stack([at["x0"], at["x0"], 0 * q, 0 * q, 1 + 0 * q], axis=-1)
    first = np.concatenate(
        [np.einsum("ni,nj->nij", start, start).reshape(size, 25), np.ones((size, 3))], axis=1
    )
    return step, first
