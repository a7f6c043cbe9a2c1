"""Exact runs of two clients on a line whose weights are not those of the objective.

A client of FedNova keeps its last gradient, of one step, or of two at the largest pull towards the server's
model, where it is taken at x - eta (F_i'(x) + noise); by plain averaging one client takes plain steps and the
other one step. delta_i = p_i/w_i - 1 of FedNova is -1 for the one and chi^2 for the other, so that the
objective is nearly the loss of the second client, and the surrogate that of both.

With F_i' in the ratios 1 + r delta_i to the gradient g of the surrogate the objective has the gradient (1 +
sqrt z) g, z = chi^2 (beta^2 - 1): where that is 1 nothing is lost between the two. Such clients are parabolas
with a common minimum, from afar or with noise; or, with noise of two values, losses whose gradients fall by L
on either side of x. Stochastic gradients of one size, of either sign, then end where a client's gradient is L
eta (sigma^2 + G_i^2)^(1/2) below its G_i at x. Short server steps end where these means cancel. Their
gradients may have a common distance kappa from g, too. Without noise a convex client of two steps and a
concave one of many end where their gradients are opposite.

Parabolas of the curvatures L and -L lose beta eta L of the surrogate's gradient by one walk. Where they take
many steps at a small pull, they lose about as much and their noise vanishes: that of a third client with one
step remains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import walk1_i, walk2_i
from boundkit.attack.measurement import Array, Measurement, measure_known

_CLAIMS = (
    "mean squared gradient", "mean squared gradient of the surrogate", "weighted mean squared gradient",
)  # fmt: skip
_RATIOS = (1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 1e3, 1e4, 1e6)
"""chi^2."""
_SLOPES = (0.0, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 5.0, 50.0, 1e3, 1e4, 1e6)
"""z."""
_SAME_WEIGHTS = (1.0, 0.54), (0.0, 2.0, 5.0, 5.5)
"""The same where the weights are those of the objective: of curvatures 1 and about -1, besides 1 and 1."""
_WALKS = (0.0, 0.03, 0.1, 0.5, 1.0, 2**0.5, 10**0.5)
"""eta L as fractions of the largest; 0 is a single step, of 1."""
_LONG = 1.7
"""The same where the server's step is as long, which is at most 1/2."""
_PULLS = (1.0, 1.5, 1.7)
"""eta mu_prox of two steps; above 1 gradients have negative weights."""
_LENGTHS = (1.0, 0.5, 0.1, 0.01, 1e-4, 2.0, 10.0)
"""2 eta L tau_eff."""
_SERVERS = 1.0, 0.5, 1e-3
"""tau_eff over that of the clients, where a rule gives eta."""
_BETAS = (1.0, 1.1, 1.2, 1.4, 1.6, 2.0, 2.5, 3.0, 4.0)
"""beta of the curvatures 1 and -1."""
_RISES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1 - 1e-6)
"""By which the gradient of the objective is above the surrogate's, as parts of beta - 1."""
_REST, _RARE = 1e-12, 1e-3
"""A small pull, and the weight of the client with noise."""
_FEW_MORE = 100.0
"""Steps at a small pull, times the pull."""
_ITERATIONS = 60
"""Of a contraction by at most 1/4."""
_SMALL = 0.01
"""The size of plain steps in units of eta, where a rule gives eta."""
_ROUNDS, _FOREVER = (1.0, 10.0), 1e60
_STEPS, _PARTS = (2.0, 4.0, 16.0, 256.0), (0.99, 0.9, 0.5, 0.1, 0.01, 1e-4)
"""Local steps of the one client, and its weight in the objective, of plain averaging."""
_MANY = 1e40
"""Number of clients where a rule gives the number of rounds."""
_LEFT = 1e-3
"""The weight of the first of two gradients at a pull just below 1."""
_SHORT, _FLATTER = 1e-20, 1e-4
"""Server steps in the limit, and by how much a loss is flatter on one side, so that the limit is stable."""
_RELATIVE, _INSIDE, _LEAST = 1e-9, 1 - 1e-9, 1e-9
"""Rounding errors of values and of conditions; the weight that replaces 0."""


def measure_weighted_pairs(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the squared gradients of these runs, with the solvers whose walks a theorem measures."""
    names = {q.name for q in theorem.quantities}
    if theorem.kind != "upper" or theorem.claim.name not in _CLAIMS:
        return
    if theorem.rules:
        kinds = _tuned() if theorem.algorithm == "fednova" and _reads_walks(theorem) else []
    elif theorem.algorithm == "fedavg" and {"chi2", "A_noise"} <= names:
        kinds = [("plain steps on parabolas with a common minimum", _plain_steps())]
        kinds += [("one step of two sizes on parabolas with a common minimum", _two_sizes())]
        kinds += [(said, {**rows, "chi2": 0 * rows["eta"]}) for said, rows in _tuned(averaged=True)]
        kinds += [("noise on either side of a kink of half of many of them", _averaged_kinks())]
    elif theorem.algorithm == "fednova" and _reads_walks(theorem):
        kinds = [
            ("parabolas with a common minimum", _parabolas(names)),
            ("noise on either side of a kink", _kinks(names)),
            ("a convex client and a concave one", _opposites(names)),
            ("of curvatures L and -L", _signed(names)),
        ]
    elif theorem.algorithm == "fednova":
        kinds = [("as many plain steps on parabolas with a common minimum", _alike(names))]
        kinds += [("a pull above 1 of one of them", _pulled())] * ("prox_step" in names)
    else:
        return
    for said, rows in kinds:
        at = _with_other_names(rows)
        with np.errstate(all="ignore"):
            finite = np.isfinite(at["surrogate"]) & np.isfinite(at["objective"])
        at = {name: values[finite] for name, values in at.items()}
        value = at["surrogate" if "surrogate" in theorem.claim.name else "objective"]
        if value.size:
            yield from measure_known(theorem, at, value, _RELATIVE, f"two clients, {said}")


def _tuned(*, averaged: bool = False) -> list[tuple[str, dict[str, Array]]]:
    """Return these instances of many clients where the server has no step, and (eta L)^2 = m/(T mean tau).

    ``averaged``: those of plain averaging, where tau_eff is that of the clients.
    """
    kinds = [
        ("parabolas with a common minimum", _tuned_parabolas((1.0,) if averaged else _SERVERS)),
        ("noise on either side of a kink", _of_many(_kinks(set()))),
        ("a convex client and a concave one", _of_many(_opposites(set()))),
        ("two plain steps of a small size", _small_steps()),
    ]
    return kinds if averaged else [*kinds, ("of curvatures L and -L", _signed(set(), rule=True))]


def _of_many(at: dict[str, Array]) -> dict[str, Array]:
    """Return an instance with half of many clients of each kind, whose noise vanishes in the mean."""
    one = np.ones_like(at["eta"])
    steps = at.get("tau_clients", 2 * one)
    alike = {"m": _MANY * one, "T": _MANY / (steps * at["eta"] ** 2), "tau_clients": steps, "tau_eff": one}
    return at | alike | {"A_noise": at["A_noise"] / at["tau_eff"]}


def _tuned_parabolas(servers: tuple[float, ...]) -> dict[str, Array]:
    """x^2/2 of many clients, of which one weighs most or all weigh the same: from x_0 = 1, or with noise."""
    axes = ((*_WALKS, _LONG), _LENGTHS, (0.0, 1.0), _PULLS, (0.98, 1 / _MANY), servers)
    share, length, sigma, pull, part, server = np.array(list(product(*axes))).T
    one = np.ones_like(share)
    eta, two = _walk(share, one)
    eta, whole = np.where(two == 1, eta, length / 2 * _INSIDE), 1 + two * (1 - pull)
    squares, steps = part**2 + (1 - part) ** 2 / (_MANY - 1), 1 + two
    variance = (1 + two * (1 - pull - eta) ** 2) / whole**2 * squares
    rounds = _MANY / (steps * eta**2)
    at = {
        "eta": eta, "L": one, "m": _MANY * one, "tau_eff": server * whole, "tau_clients": steps,
        "prox_step": two * pull, "B_drift": two, "C_drift": two, "beta": one, "kappa": 0 * one,
        "A_noise": _MANY * server * squares * (1 + two * (1 - pull) ** 2) / whole,
    }  # fmt: skip
    w = np.stack([one])
    s = eta * server * whole
    return at | _run(w, w, w, np.stack([1 - two * eta / whole]), variance, s, rounds, sigma)


def _reads_walks(theorem: Theorem) -> bool:
    """Check whether the definitions for a proximal solver are made of the largest walks of clients."""
    made = theorem.solvers.get("proximal", {})
    return {walk1_i, walk2_i} <= {*made, *(symbol for each in made.values() for symbol in each.free_symbols)}


def _pair(chi2: Array) -> tuple[Array, Array, Array]:
    """Return the weights of both clients in the surrogate and delta of them, (2, N), and chi^2."""
    w = np.stack([chi2, np.ones_like(chi2)]) / (1 + chi2)
    delta = (1 - _LEAST) * np.stack([-np.ones_like(chi2), chi2])  # so that p_1 is above 0
    return w, delta, (w * delta**2).sum(axis=0)


def _grid(names: set[str], *axes: tuple[float, ...]) -> Array:
    """Return all values of chi^2, z and further axes."""
    ratios, slopes = (_RATIOS, _SLOPES) if "chi2" in names else _SAME_WEIGHTS
    return np.array(list(product(ratios, slopes, *axes))).T


def _walk(share: Array, square_beta: Array) -> tuple[Array, Array]:
    """Return eta and whether a client takes two steps, L being 1; 4 eta^2 L^2 C (2 beta^2 + 1) <= 1."""
    two = share > 0
    eta = np.where(two, share * _INSIDE / np.sqrt(4 * (2 * square_beta + 1)), 1.0)
    return eta, two.astype(float)


def _parabolas(names: set[str]) -> dict[str, Array]:
    """h_i x^2/2, h_i in the ratios 1 + r delta_i, the largest of which is 1: from x_0 = 1, or with noise.

    At a pull of alpha the update is g(x - eta g) + (1 - alpha) g over 2 - alpha.
    """
    axes = (_WALKS, _LENGTHS, (*_ROUNDS, _FOREVER), (0.0, 1.0), _PULLS)
    chi2, z, share, length, rounds, sigma, pull = _grid(names, *axes)
    w, delta, chi2 = _pair(chi2)
    square_beta = 1 + z / chi2
    eta, two = _walk(share, square_beta)
    h = _curvatures(z / chi2**2, delta)
    s, whole = length / 2 * _INSIDE, 1 + two * (1 - pull)
    moves = h * (1 - two * eta * h / whole)
    variance = (1 + two * (1 - pull - eta * h) ** 2) / whole**2
    at = {**_common(w, chi2, eta, two, s), "beta": np.sqrt(square_beta), "kappa": 0 * z}
    at |= {"prox_step": two * pull, "tau_eff": s / eta}
    at["A_noise"] *= (1 + two * (1 - pull) ** 2) / whole**2
    p = w * (1 + delta) if "chi2" in names else w
    return at | _run(w, p, h, moves, variance, s, rounds, sigma)


def _alike(names: set[str]) -> dict[str, Array]:
    """The same parabolas, of FedNova with equal numbers of plain steps, and a step of the server's own."""
    axes = ((1.0, *_STEPS), _WALKS[1:], _LENGTHS, (*_ROUNDS, _FOREVER), (0.0, 1.0))
    chi2, z, steps, share, length, rounds, sigma = _grid(names, *axes)
    w, delta, chi2 = _pair(chi2)
    square_beta, most = 1 + z / chi2, steps * (steps - 1)
    walk = (steps - 1) ** 2
    largest = walk if "C_walk" in names else most
    with np.errstate(divide="ignore"):
        eta = share * _INSIDE / np.sqrt(4 * largest * (2 * square_beta + 1))
    eta = np.where(steps == 1, 1 / 2, eta)
    h, s, one = _curvatures(z / chi2**2, delta), length / 2 * _INSIDE, np.ones_like(z)
    moves, variance = _plain_moves(steps, eta, h)
    at = {
        "eta": eta, "L": one, "m": 2 * one, "tau_eff": s / eta, "prox_step": 0 * one,
        "A_noise": 2 * s / eta * (w**2).sum(axis=0) / steps, "B_drift": steps - 1, "C_drift": most,
        "C_walk": walk, "beta": np.sqrt(square_beta), "kappa": 0 * one,
    }  # fmt: skip
    return at | _run(w, w, h, moves, variance, s, rounds, sigma)


def _pulled() -> dict[str, Array]:
    """x^2/2 by one step of a client of weight 1/10, and two of the other at a pull of 3/2, from x_0 = 1.

    The sums of the final weights are 1 and 1/2, less than the last weight, so that C is 0.
    """
    eta, length = np.array(list(product((0.1, 0.3, 0.5), _LENGTHS[:4]))).T
    w, one = np.stack([np.full_like(eta, 0.1), np.full_like(eta, 0.9)]), np.ones_like(eta)
    s, ten = length / 2 * _INSIDE, 10 * one
    at = {
        "eta": eta, "L": one, "m": 2 * one, "tau_eff": s / eta, "prox_step": 1.5 * one, "beta": one,
        "A_noise": 2 * s / eta * (w[0] ** 2 + 5 * w[1] ** 2), "B_drift": w[1] / 4, "C_drift": 0 * one,
        "kappa": 0 * one,
    }  # fmt: skip
    h = np.ones_like(w)
    return at | _run(w, w, h, np.stack([one, 1 - 2 * eta]), h, s, ten, 0 * one)


def _plain_moves(steps: Array, eta: Array, h: Array) -> tuple[Array, Array]:
    """Return the mean of the gradients of plain steps on h x^2/2 at x = 1, and their variance by noise."""
    contraction = np.log1p(-eta * h)
    moves = -np.expm1(steps * contraction) / (eta * steps)
    with np.errstate(all="ignore"):
        variance = np.expm1(2 * steps * contraction) / np.expm1(2 * contraction) / steps**2
    return moves, np.where(h == 0, 1 / steps, variance)


def _plain_steps() -> dict[str, Array]:
    """The same parabolas where one client takes tau plain steps and the other a single one."""
    axes = (_STEPS, _PARTS, _SLOPES, _WALKS[1:], (*_ROUNDS, _FOREVER), (0.0, 1.0))
    steps, part, z, share, rounds, sigma = np.array(list(product(*axes))).T
    p, tau = np.stack([part, 1 - part]), np.stack([steps, np.ones_like(steps)])
    tau_eff = (p * tau).sum(axis=0)
    w, delta = p * tau / tau_eff, tau_eff / tau - 1
    chi2 = (w * delta**2).sum(axis=0)
    square_beta, most = 1 + z / chi2, steps * (steps - 1)
    eta = share * _INSIDE * np.minimum(1 / (2 * tau_eff), 1 / np.sqrt(4 * most * (2 * square_beta + 1)))
    h = _curvatures(z / chi2**2, delta)
    moves, variance = _plain_moves(tau, eta, h)
    one = np.ones_like(z)
    at = {
        "chi2": chi2, "eta": eta, "L": one, "m": 2 * one, "tau_eff": tau_eff, "prox_step": 0 * one,
        "A_noise": 2 * (p**2 * tau).sum(axis=0) / tau_eff, "B_drift": w[0] * (steps - 1), "C_drift": most,
        "beta": np.sqrt(square_beta), "kappa": 0 * one,
    }  # fmt: skip
    return at | _run(w, p, h, moves, variance, eta * tau_eff, rounds, sigma)


def _two_sizes() -> dict[str, Array]:
    """The same parabolas where both clients take one step, that of the second much shorter.

    Nothing drifts, and the first has nearly the whole weight in the surrogate and little in the objective.
    """
    part, z, length, sigma = np.array(list(product(_PARTS[3:], _SLOPES, (1.0, 2.0), (0.0, 1.0)))).T
    one = np.ones_like(part)
    p, sizes = np.stack([part, 1 - part]), np.stack([one, part / 1e4])
    tau_eff = (p * sizes).sum(axis=0)
    w, delta = p * sizes / tau_eff, tau_eff / sizes - 1
    chi2 = (w * delta**2).sum(axis=0)
    h = _curvatures(z / chi2**2, delta)
    s = length / 2 * _INSIDE
    at = {
        "chi2": chi2, "eta": s / tau_eff, "L": one, "m": 2 * one, "tau_eff": tau_eff, "prox_step": 0 * one,
        "A_noise": 2 * (p**2 * sizes**2).sum(axis=0) / tau_eff, "B_drift": 0 * one, "C_drift": 0 * one,
        "beta": np.sqrt(1 + z / chi2), "kappa": 0 * one,
    }  # fmt: skip
    return at | _run(w, p, h, h, np.ones_like(h), s, _FOREVER * one, sigma)


def _curvatures(square_ratio: Array, delta: Array) -> Array:
    """Return curvatures in the ratios 1 + r delta_i, the largest of which is 1 or -1."""
    ratio = 1 + np.sqrt(square_ratio) * delta
    return np.asarray(ratio / np.abs(ratio).max(axis=0))


def _run(
    w: Array, p: Array, h: Array, moves: Array, variance: Array, s: Array, rounds: Array, sigma: Array
) -> dict[str, Array]:
    """Return what is measured where x+ = x - s sum_i w_i (moves_i x + noise), without noise from x_0 = 1."""
    mean, start = (w * h).sum(axis=0), 1.0 - sigma
    moved = 1 - s * (w * moves).sum(axis=0)
    with np.errstate(all="ignore"):
        left = 1 - moved**2
        settled = s**2 * sigma**2 * (w**2 * variance).sum(axis=0) / left
        shrunk = -np.expm1(2 * rounds * np.log(np.abs(moved))) / (rounds * left)
        square = np.where(left > 0, settled + (start - settled * left) * shrunk, np.nan)
    return {
        "sigma": sigma, "T": rounds, "gap": mean * start / 2, "surrogate": mean**2 * square,
        "objective": (p * h).sum(axis=0) ** 2 * square,
    }  # fmt: skip


def _kinks(names: set[str]) -> dict[str, Array]:
    """Gradients G_i at x that fall by 1 on either side, and G_i + noise = +-(1 + G_i^2)^(1/2).

    The client's mean gradient is G_i less eta (1 + G_i^2)^(1/2).
    """
    chi2, z, share, apart = _grid(names, _WALKS[1:], (0.0, 1.0))
    w, delta, chi2 = _pair(chi2)
    square_beta = 1 + z / chi2 * (1 - apart)
    eta, two = _walk(share, square_beta)
    ratios = 1 + np.sqrt(z) / chi2 * delta
    mean = _mean_fall(eta, w, ratios)
    gradients = mean * ratios
    stable = (w * gradients / np.sqrt(1 + gradients**2)).sum(axis=0) > 0
    mean = np.where(stable, mean, np.nan)
    return {
        **_common(w, chi2, eta, two, np.full_like(z, _SHORT)), "beta": np.sqrt(square_beta),
        "kappa": apart * mean * np.sqrt(z / chi2), "sigma": np.ones_like(z), "T": np.full_like(z, _FOREVER),
        "gap": np.ones_like(z), "surrogate": mean**2,
        "objective": (mean * (1 + np.sqrt(z) * ("chi2" in names))) ** 2,
    }  # fmt: skip


def _mean_fall(eta: Array, w: Array, ratios: Array) -> Array:
    """Return g = eta sum_i w_i (1 + (r_i g)^2)^(1/2)."""
    mean = eta
    with np.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            mean = eta * (w * np.sqrt(1 + (ratios * mean) ** 2)).sum(axis=0)
    return np.asarray(np.where(np.isfinite(mean), mean, np.nan))


def _averaged_kinks() -> dict[str, Array]:
    """Half of many clients take one step, the others two at a pull just below 1, from a kink as above.

    By plain averaging their updates have the lengths 1 and 1 + e, so that chi^2 is small, and beta large.
    """
    z, share, single = np.array(list(product(_SLOPES, _WALKS[1:], _PARTS[3:]))).T
    whole = np.stack([np.ones_like(z), np.full_like(z, 1 + _LEFT)])
    w = np.stack([single, 1 - single])
    tau_eff = 1 / (w / whole).sum(axis=0)
    delta = tau_eff / whole - 1
    chi2 = (w * delta**2).sum(axis=0)
    square_beta = 1 + z / chi2
    eta, _ = _walk(share, square_beta)
    length, slope = w[1] * eta / whole[1], 1 + np.sqrt(z) / chi2 * delta
    mean = length * (1 - _FLATTER / 2) / (1 - length * slope[1] * _FLATTER / 2)
    mean = np.where(np.abs(mean * slope[1]) < 1, mean, np.nan)
    p, one = w * tau_eff / whole, np.ones_like(z)
    squares = np.stack([one, (1 + _LEFT**2) * one])
    return {
        "chi2": chi2, "eta": eta, "L": one, "m": _MANY * one, "tau_eff": tau_eff,
        "prox_step": (1 - _LEFT) * one, "A_noise": 2 * (p**2 * squares).sum(axis=0) / tau_eff,
        "B_drift": w[1], "C_drift": one, "beta": np.sqrt(square_beta), "kappa": 0 * one, "sigma": one,
        "T": _FOREVER * one, "gap": one, "surrogate": mean**2, "objective": (mean * (1 + np.sqrt(z))) ** 2,
    }  # fmt: skip


def _signed(names: set[str], *, rule: bool = False) -> dict[str, Array]:
    """x^2/2 and -x^2/2, of which the objective has more of the first than the surrogate.

    Without noise, from x_0 = 1, a client keeps the last of two gradients. With noise both take many steps at
    a small pull, which end at the minimum of F_i + |y - x|^2/(2 b), and a third one a single step on x^2/2.
    """
    rises = _RISES if "chi2" in names else (0.0,)
    beta, rise, share, length, sigma = np.array(
        list(product(_BETAS, rises, _WALKS[1:], (*_LENGTHS, _LONG / 2), (0.0, 1.0)))
    ).T
    one, rare, pull = np.ones_like(beta), sigma * _RARE, np.where(sigma > 0, _REST, 1.0)
    walk, _ = _walk(share, beta**2)
    h = np.stack([one, -one, one])
    w, p = (np.stack([(1 - rare) * (1 + part) / 2, (1 - rare) * (1 - part) / 2, rare])
            for part in (1 / beta, (1 + rise * (beta - 1)) / beta))  # fmt: skip
    chi2 = np.where(w > 0, (p - w) ** 2 / np.where(w > 0, w, 1), 0).sum(axis=0)
    moves = np.stack([*np.where(sigma > 0, h / (1 + walk * h), h * (1 - walk * h))[:2], one])
    eta, s, squares = walk * pull, length / 2 * _INSIDE, pull / (2 - pull)
    steps, m = np.where(sigma > 0, _FEW_MORE / pull, 2.0), (_MANY if rule else 3.0) * one
    alike = 0.0 if rule else w[0] ** 2 + w[1] ** 2
    at = {
        "chi2": chi2, "eta": eta, "L": one, "m": m, "tau_eff": s / eta, "prox_step": pull, "beta": beta,
        "A_noise": m * s / eta * (rare**2 + alike * squares), "B_drift": (1 - rare) / (pull * (2 - pull)),
        "C_drift": pull**-2, "kappa": 0 * one, "tau_clients": steps,
    }  # fmt: skip
    rounds = m / (steps * eta**2) if rule else _FOREVER * one
    return at | _run(w, p, h, moves, h * [[0], [0], [1]], s, rounds, sigma)


def _small_steps() -> dict[str, Array]:
    """Two plain steps of a small size, so that A, B and C are below 1, of many clients.

    They have noise at a kink, or gradients 1 and -1 and curvatures 1 and -1, where the means over both steps
    are 1 - b/2 and -1 - b/2.
    """
    share, noise = np.array(list(product(_WALKS[1:5], (0.0, 1.0)))).T
    one, small, largest = np.ones_like(share), _SMALL * np.ones_like(share), 2 * _SMALL**2
    eta = share * _INSIDE / np.sqrt(12 * largest)
    walk = eta * _SMALL
    at_rest, kink = walk / 2, walk / 2 / np.sqrt(1 - (walk / 2) ** 2)
    value = np.where(noise > 0, kink, at_rest) ** 2
    return {
        "eta": eta, "L": one, "m": _MANY * one, "tau_eff": 2 * small, "tau_clients": 2 * one,
        "prox_step": 0 * one,
        "A_noise": small, "B_drift": _SMALL**2 * one, "C_drift": largest * one, "beta": one,
        "kappa": (1 - noise) * np.sqrt(1 - at_rest**2), "sigma": noise, "T": _MANY / (2 * eta**2), "gap": one,
        "surrogate": value, "objective": value,
    }  # fmt: skip


def _opposites(names: set[str]) -> dict[str, Array]:
    """Gradients 1 and -1 of such curvatures, and two and many steps: the last ones are 1 - b and -1/(1 - b).

    The weights are those at which these cancel. delta_1 is given by how much of sqrt(chi^2) kappa is the
    surrogate's gradient, with the sign of it.
    """
    parts = (0.0, 0.3, 0.6, 1.0, 1.5, 3.0) if "chi2" in names else (0.0,)
    share, part = np.array(list(product(_WALKS[1:], parts))).T
    eta, two = _walk(share, np.ones_like(share))
    last = np.stack([1 - eta, (1 - eta ** _STEPS[-1]) / (1 - eta)])
    w = last[::-1] / last.sum(axis=0)
    w = w + np.array([[1.0], [-1.0]]) * _LEAST  # so that the point is stable
    gradient = -(w[0] * last[0]) / (w[1] * last[1])
    mean = w[0] + w[1] * gradient
    kappa = np.sqrt(w[0] * w[1]) * (1 - gradient)
    first = part * mean / (w[0] * (1 - gradient))
    delta = np.stack([first, -w[0] * first / w[1]])
    p = w * (1 + delta)
    chi2 = (w * delta**2).sum(axis=0)
    objective = np.where((p > 0).all(axis=0), (p[0] + p[1] * gradient) ** 2, np.nan)
    one = np.ones_like(mean)
    return {
        **_common(w, chi2, eta, two, _SHORT * one), "beta": one, "kappa": kappa,
        "sigma": 0 * one, "T": _FOREVER * one, "gap": one, "surrogate": mean**2, "objective": objective,
        "tau_clients": (2 + _STEPS[-1]) / 2 * one,
    }  # fmt: skip


def _common(w: Array, chi2: Array, eta: Array, two: Array, s: Array) -> dict[str, Array]:
    """Return what the weights and steps determine; a client's update is one gradient, of weight 1."""
    tau_eff = s / eta
    one = np.ones_like(eta)
    return {
        "chi2": chi2, "eta": eta, "L": one, "m": 2 * one, "tau_eff": tau_eff, "prox_step": two,
        "A_noise": 2 * tau_eff * (w**2).sum(axis=0), "B_drift": two, "C_drift": two,
    }  # fmt: skip


def _with_other_names(at: Mapping[str, Array]) -> dict[str, Array]:
    """Add the walks under their other names, and means and maxima over rounds that are all alike."""
    other = {
        "B_walk": "B_drift", "C_walk": "C_drift", "tau_eff_mean": "tau_eff", "tau_eff_max": "tau_eff",
        "A_mean": "A_noise", "B_mean": "B_drift", "C_mean": "C_drift", "C_drift_max": "C_drift",
    }  # fmt: skip
    return {**{name: at[known] for name, known in other.items()}, **at}
