"""Slopes on a network: how FedAvg's squared gradient grows with tau, C, eta and batches, one cause at a time.

A perceptron with a penalty starts where full gradients have brought it, so that no initial gap is in the way,
and is run for a fixed eta tau T. What a cause adds is the mean squared gradient over the second half of the
run, less that of a run without the cause. Its exponents are fitted on a log-log scale in every replica. The
terms of the bound for smooth losses:

drift            eta^2 tau (tau - 1) L^2 sigma_g^2        client drift: full gradients, all clients
participation    eta tau L (1-C)/C sigma_g^2/(m - 1)      partial participation: full gradients
noise            eta L sigma^2/m, sigma^2 ~ 1/batch       stochastic noise: all clients

They are upper bounds, whose exponents need not be met. Small steps on a quadratic make the mean of all ways
drift by (tau - 1)^2 in place of tau (tau - 1). The noise is read at several tau as well, on which its term
does not depend: noise drift, eta^2 (tau - 1) L^2 sigma^2, would show there.

Jhunjhunwala, Sharma, Nagarkatti, Joshi, arXiv 2207.14130, Theorem 1 (the terms).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from boundkit.simulation.data import load_dataset, partition
from boundkit.simulation.engines import Progress
from boundkit.simulation.problems import Network
from boundkit.simulation.problems.base import Array
from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations._exponents import BATCH, TAU, TERMS, C, Point, Sweep, sweeps, without
from boundkit.studies.demonstrations._replicas import over_replicas, slope_over_replicas
from boundkit.studies.demonstrations._training import interval
from boundkit.verification.estimate.curvature import client_norms

CLIENTS, POINTS, HIDDEN, PENALTY = 10, 40, 8, 0.03
_WAY = 7.5
"""eta tau T of every run."""
_WIDE = 1.0
"""An interval as long as this would hold half a power on either side."""


@dataclass(frozen=True)
class SlopeRow:
    """``slope``, in ``low`` to ``high``: the measured exponent of what ``cause`` adds; ``term``: that of the
    bound's term over the same points, and ``found`` beside it; ``also``: the formulas whose exponents the
    interval holds, which this does not tell apart."""

    cause: str
    letter: str
    first: float
    last: float
    term: float
    slope: float
    low: float
    high: float
    found: str
    also: str


@dataclass(frozen=True)
class SlopesOnDigits:
    """``together``, in ``together_low`` to ``together_high``: what all causes add at once over
    the sum of what each adds, the noise over C; ``eta_tau_L``: the longest eta tau L, with L the largest
    ||H_i|| at the start. Means over ``replicas``, each with clients, start and draws of its own."""

    slopes: list[SlopeRow]
    together: float
    together_low: float
    together_high: float
    eta_tau_L: float
    replicas: int


def slopes_on_digits(
    *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> SlopesOnDigits:
    """Ten clients with two digits each, equal weights; exponents in tau, (1-C)/C, eta and the batch."""
    replicas, way, most = (2, 0.5, 60) if quick else (6, _WAY, 600)
    varied = sweeps(quick)
    all_at_once = Point(tau=TAU, C=C, batch=BATCH)
    points = _all_points(varied, all_at_once)
    found = over_replicas(measured, [(seed, points, way, most) for seed in range(replicas)], jobs, progress)
    seen = {at: np.array([one[at] for one, _ in found]) for at in points}
    bend = max(L for _, L in found)
    ratio = interval(together(seen, all_at_once))
    longest = max(at.eta * at.tau for at in points) * bend
    return SlopesOnDigits(
        [row(one, seen) for one in varied], ratio.value, ratio.low, ratio.high, longest, replicas
    )


def added(one: Sweep, seen: Mapping[Point, Array]) -> Array:
    """What the cause adds at every point of a sweep, (R, points)."""
    return np.stack([seen[at] - seen[without(at, one.cause)] for at in one.points], axis=1)


def verdict(low: float, high: float, term: float) -> str:
    """How the interval of a measured exponent lies to that of the term."""
    if not np.isfinite([low, high]).all():
        return "nothing to see: not above the run without it"
    if low > term:
        return "larger than the term's"
    if high < term:
        return "smaller than the term's"
    return "as the term says" if high - low < _WIDE else "not told: the interval holds half a power more"


def measured(seed: int, points: tuple[Point, ...], way: float, most: int) -> tuple[dict[Point, float], float]:
    """|grad F|^2 at every point in the mean over the second half of a run, and the largest ||H_i|| at x_0."""
    seen = {}
    start = settled(seed, most)
    for at in points:
        run = simulate(
            "fedavg", network(seed, at.batch), x0=start, seed=seed, dtype="float32",
            every=max(1, round(way / (at.eta * at.tau)) // 50), **at.settings(way),
        )  # fmt: skip
        squares = run.observed["gradient_norm_squared"][0]
        seen[at] = float(squares[len(squares) // 2 :].mean()) if run.outcome == "done" else float("inf")
    return seen, client_norms(network(seed, None), start).largest[0]


@lru_cache(maxsize=32)
def network(seed: int, batch: int | None) -> Network:
    """A perceptron on clients drawn by the seed, so many points each."""
    data = load_dataset("digits")
    split = {"kind": "pathological", "num_partitions": CLIENTS, "num_classes_per_partition": 2, "seed": seed}
    draw = np.random.default_rng(seed)
    rows = [draw.choice(own, POINTS, replace=False) for own in partition(split, data.y, None)]
    clients = [(data.X[own], data.y[own]) for own in rows]
    model = {"kind": "mlp", "hidden": [HIDDEN]}
    return Network(clients, model, batch=batch, l2=PENALTY, classes=data.classes)


@lru_cache(maxsize=32)
def settled(seed: int, most: int) -> Array:
    """Where so many steps by full gradients, of L-BFGS, bring the network from its start."""
    import torch
    from scipy.optimize import minimize

    found = network(seed, None)
    everyone = np.arange(found.m)

    def at(w: Array) -> tuple[float, Array]:
        each = found.gradients(everyone, torch.as_tensor(w))(torch.as_tensor(w).expand(1, found.m, found.d))
        return float(found.p @ found.losses(w)), found.p @ each[0].numpy()

    start = found.initial_point({"seed": seed}).ravel()
    way = minimize(
        at, start, jac=True, method="L-BFGS-B",
        options={"maxiter": most, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-6},
    )  # fmt: skip
    return np.asarray(way.x, dtype=np.float64)


def _parts(at: Point) -> tuple[Point, ...]:
    """Drift alone, then beside participation, and beside noise; and none of them."""
    drift = replace(at, C=1.0, batch=None)
    return replace(drift, tau=1), drift, replace(drift, C=at.C), replace(drift, batch=at.batch)


def _all_points(varied: list[Sweep], all_at_once: Point) -> tuple[Point, ...]:
    """Every setting that is run, once."""
    asked = {own for one in varied for at in one.points for own in (at, without(at, one.cause))}
    return tuple(sorted(asked | {*_parts(all_at_once), all_at_once}, key=repr))


def together(seen: Mapping[Point, Array], at: Point) -> Array:
    """All at once over the sum, (R,)."""
    none, drift, participation, noise = (seen[part] for part in _parts(at))
    parts = (drift - none) + (participation - drift) + (noise - drift) / at.C
    return np.asarray((seen[at] - none) / parts)


def row(one: Sweep, seen: Mapping[Point, Array]) -> SlopeRow:
    """The exponent of a sweep beside that of its term."""
    x = np.array([one.x(at) for at in one.points], dtype=np.float64)
    found = slope_over_replicas(x, added(one, seen))
    term = one.exponent(TERMS[one.cause])
    also = [name for name, formula in one.rivals.items() if found.low <= one.exponent(formula) <= found.high]
    said = verdict(found.low, found.high, term)
    which = ", ".join(also) or "none of those tried"
    ends = (found.value, found.low, found.high)
    return SlopeRow(one.cause, one.letter, x[0], x[-1], term, *ends, said, which)
