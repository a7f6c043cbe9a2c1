"""Exact second moments of algorithms on clients of one curvature, for any number of clients and rounds.

All m clients have the curvature h, and M of them are sampled without replacement. With x the distance from
the optimum, and theta = eta_s eta tau, a round of FedAvg, FedVARP or SCAFFOLD is

    x+ = x - theta (s h x + gamma w + n),    s h eta tau = 1 - (1 - eta h)^tau,

where n is the mean noise, and w the mean over the sample of what a client's update differs from what the
server has stored of it, less the mean over all clients. A client that is sampled stores its update, so that
the mean c of what is stored, and the mean square of the differences, follow recursions of their own: by
symmetry the second moments of x and c and that mean square are linear functions of those a round before.
MIFA replaces the stored update of each client that is available; clients of FedAWE store models, and their
moments with the gaps between their rounds follow recursions; FedCM has one momentum; messages that are
compressed, and a server that adds noise, are independent noise. Powers of the matrix of such a recursion are
computed by repeated squaring, so that thousands of clients and millions of rounds cost as little as few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import T
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.attack.measurement import Array, Measurement, knows, measure_known

STORES = {
    "fedavg": "nothing", "fednova": "nothing", "fedpaq": "nothing", "dp_fedavg": "nothing",
    "robust_fedavg": "nothing", "clusterfedvarp": "clusters", "fedvarp": "updates", "scaffold": "controls",
    "mifa": "available updates", "fedcm": "momentum", "fedawe": "models",
}  # fmt: skip
"""What the server stores beside the model. Of robust aggregators the mean is taken, whose coefficient is 0
without Byzantine clients, and of ClusterFedVARP one cluster, where stored updates cancel, or one a client."""
CAUSES = ("initial gap", "stochastic noise", "partial participation", "privacy noise")
_TAUS, _CLIENTS = (1.0, 2.0, 3.0, 16.0, 1024.0), (2.0, 12.0, 256.0, 1e6)
_PRODUCTS, _LENGTHS = (1.0, 0.4, 1 / 3, 0.25, 0.1, 0.01, 1e-3, 1e-5, 1e-8), (0.1, 1e-3, 1e-6, 1e-9)
"""theta L and eta tau L; in units of availability^2 where clients store models, else without the last."""
_WHOLE = (1.0, 0.5, 0.25, 0.125)
"""eta tau L where the server's step is 1."""
_FRESH = 0.8
"""theta L of FedCM beside these."""
_CURVATURES = (1.0, 0.1, 1e-3)
_FURTHER: dict[str, tuple[float, ...]] = {
    "fresh": (1.0, 0.5, 0.1, 1e-2), "comp_noise": (0.0, 1e-4, 1.0, 100.0), "groups": (2.0, 8.0),
    "availability": (1.0, 0.9999, 0.998, 0.95, 0.5, 0.1, 0.01), "privacy_noise": (1e-4, 1e-2, 1.0, 100.0),
    "alone": (0.0, 1.0),
}  # fmt: skip
NOWHERE = {
    "fresh": 1.0, "comp_noise": 0.0, "groups": 1.0, "availability": 1.0, "privacy_noise": 0.0, "alone": 0.0,
}  # fmt: skip
_DROPPED = 0.0, 100.0
"""comp_noise where a client of the sample takes part with the probability 1/(1 + comp_noise)."""
_DOUBLINGS, _FEWER, _EACH = 45, 18, 3
"""T is at most 2 to the power of the first, or the second, in steps of 2 to the last."""
_LENGTHENED = (("eta",), ("eta_s",), ("both", "eta_s"), ("both", "eta_s", "comp_noise"))
"""Settings that are made as large as the conditions allow, one after the other; ``both``: see below."""
_SHORT, _HALVINGS = 2e-6, 50
"""eta tau where they begin."""
_RELATIVE, _OF_ROUNDS, _OF_ECHOES, _INSIDE, _LARGE = 1e-6, 1e-15, 1e-14, 1 - 1e-9, 1e60
"""Rounding of moments, and times T, as every squaring doubles an error; that of step sizes whose limit is an
equality; larger moments diverge."""
_CLIPPED = 0.01
"""Largest root mean square of updates, as part of the threshold: of Gaussian ones no digit is clipped."""


def measure_sampled_moments(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the claimed quantity after 1, 8, 64, ... rounds, with one cause of error alone.

    Nothing for other algorithms and claims, and where the theorem has a quantity that is not known here.
    """
    if not _applies(theorem):
        return
    names = _names(theorem)
    grid, models = _grid(theorem), STORES[theorem.algorithm] == "models"
    for cause, needed in zip(CAUSES, _needed(models), strict=True):
        if needed in names:
            most = _DOUBLINGS
            if models and cause == CAUSES[2]:  # of many moments; all minimisers together cancel
                grid, most = _where(grid, (grid["h"] == 1) & (grid["availability"] < 1)), _FEWER
            for doublings in range(0, most + 1, _EACH) if theorem.rules else (most,):
                yield from _measured(theorem, grid, cause, doublings)


def measure_longest_steps(theorem: Theorem, condition: Relational) -> Iterator[Measurement]:
    """Yield the same, after every power of 2 of rounds, at the longest steps that a theorem allows.

    Only where ``condition`` does not hold, one of another theorem, from which this one differs in it alone.
    """
    if not _applies(theorem) or theorem.rules or any(T in each.free_symbols for each in theorem.step_size):
        return
    names, grid = _names(theorem), _grid(theorem)
    models = STORES[theorem.algorithm] == "models"
    grid = _where(grid, grid["eta"] * grid["tau"] < _SHORT)
    for scaled in _LENGTHENED if "eta_s" in names else _LENGTHENED[:1]:
        if "comp_noise" in scaled and "comp_noise" not in names:
            continue
        first = scaled == _LENGTHENED[0]
        at = grid if first else _where(grid, grid["eta_s"] == grid["eta_s"].min())
        for name in scaled:
            at = _longest(theorem, at, name)
        at = _where(at, ~np.broadcast_to(satisfied(condition, quantities(at)), at["m"].shape))
        for cause, needed in zip(CAUSES, _needed(models), strict=True):
            if needed in names and at["m"].size and not (models and cause == CAUSES[2]):
                yield from _measured(theorem, at, cause, _DOUBLINGS, 1)


def _names(theorem: Theorem) -> set[str]:
    """Return the names of a theorem's quantities, with C where it has the numbers of unbiased sampling.

    A client of a sample may then take part with a probability only, its update divided by it, as a message
    that is compressed at random.
    """
    names = {q.name for q in theorem.quantities}
    names |= {"alone"} if "missed" in names else set()
    if "sampling_spread" not in names:
        return names
    return names | {"C"} | ({"comp_noise"} if "sampling_error" not in names else set())


def _needed(models: bool) -> tuple[str, ...]:
    """Return the quantity that a theorem has where it bounds each of the causes."""
    return ("T", "sigma", "kappa" if models else "C", "privacy_noise")


def _longest(theorem: Theorem, at: dict[str, Array], name: str) -> dict[str, Array]:
    """Return the settings with one of them multiplied by the largest factor at which the conditions hold.

    ``both``: the local steps become longer, and the server's shorter.
    """

    def times(power: Array) -> dict[str, Array]:
        factor = 2.0**power
        if name != "both":
            return {**at, name: at[name] * factor}
        return {**at, "eta": at["eta"] * factor, "eta_s": at["eta_s"] / factor}

    return times(largest_power(theorem, lambda power: quantities(times(power)), at["m"].shape))


def largest_power(
    theorem: Theorem, longer: Callable[[Array], Mapping[str, Array]], shape: tuple[int, ...]
) -> Array:
    """Return the largest powers at which the settings for them are inside the conditions, and eta h < 1."""
    low, high = np.zeros(shape), np.full(shape, float(_DOUBLINGS))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        with np.errstate(all="ignore"):
            at = longer(middle)
            holds = conditions(theorem, at) & (at["eta"] * at["h"] < 1)
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return low


def _applies(theorem: Theorem) -> bool:
    names = {q.name for q in theorem.quantities}
    if theorem.kind != "upper" or theorem.algorithm not in STORES or not names <= KNOWN:
        return False
    if theorem.claim.summary not in ("average", "last") or theorem.claim.observable not in WEIGHTS:
        return False
    return not any(map(theorem.assumes, ("biased-selection", "decaying-step", "known-availability")))


def _measured(
    theorem: Theorem, grid: Mapping[str, Array], cause: str, doublings: int, each: int = _EACH
) -> Iterator[Measurement]:
    """Yield the measurements of all horizons up to 2^doublings, the last alone where a rule needs T."""
    at = quantities(grid, cause)
    if theorem.rules:
        at = by_rules(theorem, at | {"T": np.full(at["m"].shape, 2.0**doublings)})
        at = quantities(_where(at, at["eta"] * at["h"] < 1), cause)
        at = _where(at, conditions(theorem, at))
    said = {"said": f"{cause} alone, by exact moments of many clients"}
    with np.errstate(all="ignore"):
        for t, found in moments(theorem.algorithm, at, doublings, theorem.claim.observable):
            if (theorem.rules and t != 2**doublings) or np.log2(t) % each:
                continue
            last, total, *sizes = found
            average = theorem.claim.summary == "average"
            measured, size = (total / t, sizes[1] / t) if average else (last, sizes[0])
            known = {**at, "T": np.full(measured.shape, float(t)), "measured": measured, "size": size}
            kept = conditions(theorem, known) & (measured >= 0) & (measured < _LARGE)
            kept &= t % known["groups"] == 0  # whole cycles
            if cause == "privacy noise":
                kept &= known["eta"] * known["tau"] * known["h"] * np.sqrt(last) <= _CLIPPED
            known = _where(known, kept)
            weight = WEIGHTS[theorem.claim.observable](known["h"])
            value, error = known["measured"] * weight, known["size"] * weight * (_RELATIVE + _OF_ROUNDS * t)
            if STORES[theorem.algorithm] == "models":  # echoes of minimisers cancel, over t rounds
                walked = known["eta_s"] * known["eta"] * known["tau"] * t * known["sigma_g"]
                error += _OF_ECHOES * walked**2 / known["availability"]
            if value.size:
                values = {q.name: known[q.name] for q in theorem.quantities}
                yield Measurement(values, np.maximum(value - error, 0.0), value + error, 0.0, said)


def by_rules(theorem: Theorem, at: Mapping[str, Array]) -> dict[str, Array]:
    """Replace step sizes by those that the theorem prescribes; not a number by a quantity that is unknown."""
    steps = {
        q.name: evaluate(rule, at) if {each.name for each in rule.free_symbols} <= set(at) else np.nan
        for q, rule in theorem.rules.items()
    }
    return {**at, **{name: np.broadcast_to(values, at["m"].shape) for name, values in steps.items()}}


def conditions(theorem: Theorem, at: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Evaluate where all conditions hold."""
    every = (*theorem.step_size, *theorem.requires)
    holds = [np.ones(at["m"].shape, bool), *(satisfied(c, at) for c in every)]
    return np.asarray(np.all(holds, axis=0))


def measure_inside(
    theorem: Theorem, at: Mapping[str, Array], measured: Array, relative: float, said: str
) -> Iterator[Measurement]:
    """Yield a measurement by a formula, of the settings that are inside all conditions.

    Nothing where the theorem or its rules have a quantity that the settings do not know.
    """
    if knows(theorem, at):
        valid = conditions(theorem, at)
        yield from measure_known(theorem, _where(at, valid), measured[valid], relative, said)


def _where(at: Mapping[str, Array], chosen: NDArray[np.bool_]) -> dict[str, Array]:
    return {name: values[chosen] for name, values in at.items()}


WEIGHTS: dict[str, Callable[[Array], Array]] = {
    "gradient_norm_squared": lambda h: h**2,
    "mean_model_gradient_norm_squared": lambda h: h**2,
    "auxiliary_gradient_norm_squared": lambda h: h**2,
    "surrogate_gradient_norm_squared": lambda h: h**2,
    "loss_gap": lambda h: h / 2,
    "distance_squared": lambda h: np.ones(h.shape),
    "scaled_spread": lambda h: np.ones(h.shape),
}


def _grid(theorem: Theorem) -> dict[str, Array]:
    """Return the settings at L = 1, (N,) each; those that the theorem does not have are left at one value."""
    names = _names(theorem)
    free = names - {q.name for q in theorem.rules}
    choices = _FURTHER | ({"comp_noise": _DROPPED} if "sampling_spread" in names else {})
    further = [values if name in names else (NOWHERE[name],) for name, values in choices.items()]
    rows = set()
    taus = _TAUS if names & {"tau", "tau_eff"} else (1.0,)
    models = STORES[theorem.algorithm] == "models"
    products, lengths = (_PRODUCTS, _LENGTHS) if models else (_PRODUCTS[:-1], _LENGTHS[:-1])
    if "eta_s" not in names:
        lengths = (*_WHOLE, *lengths)
    if "fresh" in names:  # where the longest rounds grow with it
        products = (_FRESH, *products)
    for tau, m, h, length, *rest in product(taus, _CLIENTS, _CURVATURES, lengths, *further):
        unit = rest[3] ** 2 if models else 1.0
        group = m / rest[2]
        some = {1.0, 2.0, *(np.floor(group / part) for part in (32, 2)), group - 1}
        counts = {*some, group} if "C" in names else {group}
        for count, theta in product(counts, products if "eta_s" in free else (length,)):
            if 1 <= count <= group:
                rows.add((tau, m, h, _INSIDE * unit * length / tau, theta / length, count, group, *rest))
    every = ("tau", "m", "h", "eta", "eta_s", "count", "group", *_FURTHER)
    return with_derived(dict(zip(every, np.array(sorted(rows)).T, strict=True)))


def with_derived(at: dict[str, Array]) -> dict[str, Array]:
    """Add what follows from the settings; FedNova's quantities are those of clients that take tau steps."""
    tau, m, p, one = at["tau"], at["m"], at["availability"], np.ones(at["tau"].shape)
    ones = dict.fromkeys(("L", "A_noise", "clip", "d"), one)
    zeros = dict.fromkeys(("prox_step", "robustness", "clip_excess", "staleness"), 0 * one)
    equal = dict.fromkeys(("tau_eff", "tau_clients", "tau_mean", "tau_max"), tau)
    mixing = np.maximum(1 - (p * m + (1 - p) ** m - 1) / (m - 1), 0.0)
    steps = {"B_drift": tau - 1, "C_drift": tau * (tau - 1)}
    rest = {"C": at["count"] / m, "mixing": mixing, "availability_max": p, "sampling_slack": _absent(at)}
    clusters = {"clusters": np.where(at["alone"] > 0, m, 1.0), "missed": at["alone"] * (1 - at["count"] / m)}
    dropped = at["comp_noise"] / at["count"]
    sampling = {"sampling_spread": _absent(at) + dropped, "share_noise": 1 / at["count"] + dropped}
    return {**at, **ones, **zeros, **equal, **steps, **rest, **sampling, **clusters}


def quantities(at: Mapping[str, Array], cause: str = "") -> dict[str, Array]:
    """Return the settings with the constants of the cause.

    Either x_0 = 1, or sigma = 1, or gradients of +-1 at the optimum, or the server's noise with clip = 1, or
    none of them.
    """
    zero, one = np.zeros(at["m"].shape), np.ones(at["m"].shape)
    x, sigma, spread = (one if cause == each else zero for each in CAUSES[:3])
    start = np.sqrt((at["h"] * x) ** 2 + spread**2)
    alike = (at["count"] == at["group"]) & (spread == 0)  # equal controls then cancel, exact ones too
    s, noise = average_factor(at["h"], at["eta"], at["tau"]), noise_of_client(at, at["eta"], sigma)
    first = _absent(at) * ((s * spread) ** 2 + (1 - 1 / at["m"]) * noise) + sigma**2 / (at["m"] * at["tau"])
    spreads = ("sigma_g", "kappa", "sigma_within", "correction_error", "control_error_star")
    return {
        **at, **dict.fromkeys(spreads, spread), "x0": x, "sigma": sigma, "beta": one, "chi2": zero,
        "sampling_error": np.sqrt(_absent(at)) * spread,
        "sigma_c": spread * (1 - at["alone"]), "sigma_between": zero, "gap": at["h"] / 2 * x**2,
        "distance": x, "mu": at["h"], "mu_pl": at["h"], "gradients_start": start,
        "control_error": np.where(alike, 0.0, start), "update_error": np.sqrt(first),
        "privacy_noise": at["privacy_noise"] if cause == "privacy noise" else zero,
    }  # fmt: skip


def average_factor(h: Array, eta: Array, tau: Array) -> Array:
    """Return s = (1 - (1 - eta h)^tau)/(h eta tau), for eta h <= 1.

    >>> float(average_factor(np.array(1.0), np.array(0.5), np.array(2.0)))
    0.75
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # eta h = 1, and nan beyond
        return np.asarray(-np.expm1(tau * np.log1p(-eta * h)) / (h * eta * tau))


def noise_of_client(at: Mapping[str, Array], eta: Array, sigma: Array) -> Array:
    """Return the variance of a client's update over eta tau: of its noises, the k-th last has shrunk by
    (1 - eta h)^k."""
    twice = at["h"] * (2 - eta * at["h"])  # (1 - eta h)^2 = 1 - eta twice
    squares = average_factor(twice, eta, at["tau"])
    return np.asarray(sigma**2 * squares / at["tau"])


def _absent(at: Mapping[str, Array]) -> Array:
    """Return the variance of the mean of a sample over that of one client."""
    return np.asarray((at["group"] - at["count"]) / (at["count"] * np.maximum(at["group"] - 1, 1)))


def moments(
    algorithm: str, at: Mapping[str, Array], doublings: int, observable: str = ""
) -> Iterator[tuple[int, list[Array]]]:
    """Yield 1, 2, 4, ... rounds, with E x_T^2, the sum of E x_t^2 over t < T, and the sum of the sizes of the
    parts of each, (N,)."""
    step, first = recursion(algorithm, at)
    claimed = claimed_moments(observable, at, first.shape[-1])
    power, total = step, np.broadcast_to(np.eye(step.shape[-1]), step.shape)
    for k in range(doublings + 1):
        parts = [claimed * np.einsum("njk,nk->nj", matrix, first) for matrix in (power, total)]
        yield 2**k, [part.sum(axis=-1) for part in (*parts, *map(np.abs, parts))]
        total = total + total @ power
        power = power @ power


def recursion(algorithm: str, at: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the matrix of one round, (N, k, k), and the initial vector, (N, k).

    The vector has E x^2, E x c and E c^2, with c the momentum or the mean of what is stored, then the mean
    square over clients, of what is stored in MIFA and of the differences elsewhere, and 1. For FedAWE see
    there.
    """
    if STORES[algorithm] == "momentum":
        return _with_momentum(at)
    if STORES[algorithm] == "available updates":
        return _of_available_clients(at)
    if STORES[algorithm] == "models":
        return _of_gaps(at)
    return _of_samples(at, STORES[algorithm])


def _with_momentum(at: Mapping[str, Array]) -> tuple[Array, Array]:
    zero, theta = np.zeros(at["h"].shape), at["eta_s"] * at["eta"] * at["tau"]
    slope = at["fresh"] * at["eta"]
    s = average_factor(at["h"], slope, at["tau"])
    noise = at["fresh"] ** 2 * noise_of_client(at, slope, at["sigma"]) / at["m"]
    new = (at["fresh"] * s * at["h"], (1 - at["fresh"]) * s)
    rows = _squares((1 - theta * new[0], -theta * new[1]), new)
    own = (theta**2 * noise, -theta * noise, noise)
    rows = [[*row, zero, each] for row, each in zip(rows, own, strict=True)]
    return _matrix([*rows, [zero] * 5]), _vector(at["x0"] ** 2, zero, zero, zero)


def _of_available_clients(at: Mapping[str, Array]) -> tuple[Array, Array]:
    zero, theta, p = np.zeros(at["h"].shape), at["eta_s"] * at["eta"] * at["tau"], at["availability"]
    slope = average_factor(at["h"], at["eta"], at["tau"]) * at["h"]
    noise = noise_of_client(at, at["eta"], at["sigma"])
    new = (p * slope, 1 - p)
    # of a client's update u and its stored y, availability adds p (1 - p) (u - y)^2
    varies = [p * (1 - p) / at["m"] * each for each in (slope**2, -2 * slope, 1 + zero)]
    rows = _squares((1 - theta * new[0], -theta * new[1]), new)
    for row, factor in zip(rows, (theta**2, -theta, 1 + zero), strict=True):
        row[0], row[1] = row[0] + factor * varies[0], row[1] + factor * varies[1]
        row += [factor * varies[2], factor * p * noise / at["m"]]
    rows.append([p * slope**2, zero, zero, 1 - p, p * noise])
    x = at["x0"]
    first = (slope * x) ** 2
    return _matrix(rows), _vector(x**2, slope * x**2, first + noise / at["m"], first + noise)


def _of_gaps(at: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return them for FedAWE, with the gaps g_i between the rounds of a client and its minimiser e_i.

    The vector has E x_i^2 g_i^k for k = 0, 1, 2, then E x_i x_j, E x_i x_j g_i and E x_i x_j g_i g_j of two
    clients, E g, E g^2, and 1. A client that participates goes to y_i, which is x_i - eta_s g_i (s h eta tau
    (x_i - e_i) + noise), and stores the mean of all that do, with a gap of 1. Where minimisers differ,
    there are also E x_i e_i g_i^k for k = 0, 1, 2, then E x_i e_j g_i^k g_j^l for k, l = 0, 1, and E g_i g_j.
    """
    m, p, one = at["m"], at["availability"], np.ones(at["h"].shape)
    q, length = 1 - p, at["eta_s"] * at["eta"] * at["tau"]
    pull = length * average_factor(at["h"], at["eta"], at["tau"]) * at["h"]
    noise = length**2 * noise_of_client(at, at["eta"], at["sigma"])
    apart = (at["sigma_g"] / at["h"]) ** 2  # of e_i^2, and of e_i e_j
    opposite = -apart / (m - 1)
    own, own_1, own_2, both, both_1, both_2, gap, gap_2, *rest, unit = np.eye(17)[:, :, None] * one
    self_0, self_1, self_2, other, other_1, other_01, other_11, gaps = rest
    squares = own - 2 * pull * own_1 + pull**2 * own_2 + noise * gap_2
    squares = squares + 2 * pull * (self_1 - pull * self_2) + pull**2 * apart * gap_2
    products = both - 2 * pull * both_1 + pull**2 * both_2
    products = products + 2 * pull * (other_01 - pull * other_11) + pull**2 * opposite * gaps
    with_absent = both - pull * both_1 + pull * other_01
    with_absent_1 = both_1 - pull * both_2 + pull * other_11
    to_self = self_0 - pull * self_1 + pull * apart * gap  # y_i e_i, and y_j e_i, alone and times g_i
    to_other = other - pull * other_1 + pull * opposite * gap
    to_other_1 = other_01 - pull * other_11 + pull * opposite * gaps
    none, two = q ** (m - 1), q**m
    single = (1 - two) / (m * p)  # the mean of 1/M of a participating client, and of two
    pair = ((1 - two) / m - q * (1 - none) / (m - 1)) / p**2
    mean = p * (single * squares + (1 - single) * products)
    means = p**2 * (pair * squares + (1 - pair) * products)
    mean_self = p * (single * to_self + (1 - single) * to_other)
    mean_other = p**2 * (pair * to_self + (1 - pair) * to_other)
    rows = [
        q * own + mean,
        q * (own_1 + own) + mean,
        q * (own_2 + 2 * own_1 + own) + mean,
        q**2 * both + 2 * p * q * with_absent + means,
        q**2 * (both_1 + both) + p * q * (2 * with_absent + with_absent_1) + means,
        q**2 * (both_2 + 2 * both_1 + both) + 2 * p * q * (with_absent_1 + with_absent) + means,
        p * unit + q * (gap + unit),
        p * unit + q * (gap_2 + 2 * gap + unit),
        q * self_0 + mean_self,
        q * (self_1 + self_0) + mean_self,
        q * (self_2 + 2 * self_1 + self_0) + mean_self,
        q**2 * other + p * q * (other + to_other) + mean_other,
        q**2 * (other_1 + other) + p * q * (other_1 + other + to_other) + mean_other,
        q**2 * (other_01 + other) + p * q * (other + to_other_1 + to_other) + mean_other,
        q**2 * (other_11 + other_1 + other_01 + other)
        + p * q * (other_1 + other + to_other_1 + to_other)
        + mean_other,
        p**2 * unit + 2 * p * q * (gap + unit) + q**2 * (gaps + 2 * gap + unit),
    ]
    first = [*[at["x0"] ** 2] * 6, one, one]
    if at["sigma_g"].any():
        return _matrix([list(row) for row in rows]), _vector(*first, *[0 * one] * 7, one)
    kept = [*range(8), 16]
    return _matrix([list(row[kept]) for row in rows[:8]]), _vector(*first)


def claimed_moments(observable: str, at: Mapping[str, Array], size: int) -> Array:
    """Return the weights of the moments of ``recursion`` whose sum is E x^2 of the claimed point, (N, k).

    The points of FedAWE are the mean of the clients' models, and that of z_i = x_i - theta (g_i - 1) h (x_i -
    e_i). Of its spread the weights are of E x_i^2 - E x_i x_j.
    """
    if observable == "scaled_spread":
        between = 1 - 1 / at["m"]  # of E x_i^2 - E x_i x_j
        return np.eye(size)[:1] * between[:, None] - np.eye(size)[3:4] * between[:, None]
    if not observable.startswith(("mean_model", "auxiliary")):
        return np.eye(size)[:1] * np.ones((at["h"].size, 1))
    m, c = at["m"], at["eta_s"] * at["eta"] * at["tau"] * at["h"] * observable.startswith("auxiliary")
    square, apart = np.stack([(1 + c) ** 2, -2 * c * (1 + c), c**2]), (at["sigma_g"] / at["h"]) ** 2
    times = 2 * c * np.stack([-(1 + c), 1 + 2 * c, -c])  # of x_i e_i, without and with g_i and g_i^2
    other = 2 * c * np.stack([-(1 + c), c, 1 + c, -c])
    late = c**2 * apart / m  # of E g_i^2 - E g_i g_j, as E e_i e_j is -E e_i^2/(m - 1)
    moved = (times / m, other * (1 - 1 / m), np.stack([-late, 0 * c]))
    result = np.concatenate([square / m, square * (1 - 1 / m), np.stack([0 * c, late]), *moved])
    return result.T if size == 17 else result[[*range(8), 16]].T


def _of_samples(at: Mapping[str, Array], stores: str) -> tuple[Array, Array]:
    h, zero, theta = at["h"], np.zeros(at["h"].shape), at["eta_s"] * at["eta"] * at["tau"]
    s, noise = average_factor(h, at["eta"], at["tau"]), noise_of_client(at, at["eta"], at["sigma"])
    gamma = s if stores == "controls" else 1 + zero
    absent, squares = gamma**2 * _absent(at), at["comp_noise"] / at["count"]
    server = (at["privacy_noise"] / (at["eta"] * at["tau"] * at["m"])) ** 2
    own = (1 + at["comp_noise"]) * noise / at["count"] + server
    kind = {"nothing": zero, "clusters": at["alone"]}.get(stores, 1 + zero)  # 0 where stored updates cancel
    C, kept = kind * at["C"], kind * (1 - at["C"])
    rows = _squares((1 - theta * s * h, zero), (C * s * h, kept))
    rows[0][0] = rows[0][0] + theta**2 * squares * (s * h) ** 2
    for row, factor in zip(rows, (theta**2, -theta * C, C**2), strict=True):
        row += [factor * (absent + squares), factor * own]
    spread = at["sigma_g"] * (1 if stores == "controls" else s)
    # their mean square, less the square of their mean
    all_of_them = [C * (s * h) ** 2, zero, kept, C * (1 - gamma) ** 2 + kept + (1 - kind), C * noise]
    differences = [each - kind * mean for each, mean in zip(all_of_them, rows[2], strict=True)]
    return _matrix([*rows, differences]), _vector(at["x0"] ** 2, zero, zero, spread**2)


def _squares(x: tuple[Array, Array], c: tuple[Array, Array]) -> list[list[Array]]:
    """Return x^2, x c and c^2 of two linear forms in x and c, as coefficients of x^2, x c and c^2."""
    pairs = ((x, x), (x, c), (c, c))
    return [[a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]] for a, b in pairs]


def _matrix(rows: list[list[Array]]) -> Array:
    """Return the matrix with these rows, and a last one that keeps 1."""
    last = np.zeros((*rows[0][0].shape, 1, len(rows[0])))
    last[..., -1] = 1.0
    return np.concatenate([np.stack([np.stack(row, axis=-1) for row in rows], axis=-2), last], axis=-2)


def _vector(*entries: Array) -> Array:
    return np.stack([*entries, np.ones(entries[0].shape)], axis=-1)


def _one_point() -> dict[str, Array]:
    names = ("tau", "m", "h", "eta", "eta_s", "count", "group", *_FURTHER)
    return quantities(with_derived({name: np.full(1, 0.5) for name in names}), CAUSES[0])


KNOWN = frozenset(_one_point()) | {"T"}
