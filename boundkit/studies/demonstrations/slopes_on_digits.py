"""Slopes on a network: how FedAvg's squared gradient grows with tau, C, eta and batches, one cause at a time.

A perceptron with a penalty starts at an approximate minimum, so that the initial gap is negligible, and is
run for a fixed eta tau T. What a cause adds is the mean squared gradient over the second half of the
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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.data import load_dataset, partition
from boundkit.simulation.problems import Network
from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations._training import interval, over_replicas, slope, slope_over_replicas
from boundkit.verification.estimate.curvature import client_norms

CLIENTS, POINTS, HIDDEN, PENALTY = 10, 40, 8, 0.03
_LENGTH = 7.5
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
    replicas, length, iterations = (2, 0.5, 60) if quick else (6, _LENGTH, 600)
    varied = sweeps(quick)
    all_at_once = SlopePoint(tau=TAU, C=C, batch=BATCH)
    points = _all_points(varied, all_at_once)
    runs = over_replicas(
        measured, [(seed, points, length, iterations) for seed in range(replicas)], jobs, progress
    )
    observed = {at: np.array([one[at] for one, _ in runs]) for at in points}
    bend = max(L for _, L in runs)
    ratio = interval(together(observed, all_at_once))
    longest = max(at.eta * at.tau for at in points) * bend
    return SlopesOnDigits(
        [row(one, observed) for one in varied], ratio.value, ratio.low, ratio.high, longest, replicas
    )


def added(one: SlopeSweep, observed: Mapping[SlopePoint, Array]) -> Array:
    """What the cause adds at every point of a sweep, (R, points)."""
    return np.stack([observed[at] - observed[without(at, one.cause)] for at in one.points], axis=1)


def verdict(low: float, high: float, term: float) -> str:
    """How the interval of a measured exponent lies to that of the term."""
    if not np.isfinite([low, high]).all():
        return "nothing to see: not above the run without it"
    if low > term:
        return "larger than the term's"
    if high < term:
        return "smaller than the term's"
    return "as the term says" if high - low < _WIDE else "not told: the interval holds half a power more"


def measured(
    seed: int, points: tuple[SlopePoint, ...], length: float, iterations: int
) -> tuple[dict[SlopePoint, float], float]:
    """|grad F|^2 at every point in the mean over the second half of a run, and the largest ||H_i|| at x_0."""
    observed = {}
    start = minimise(seed, iterations)
    for at in points:
        run = simulate(
            "fedavg", network(seed, at.batch), x0=start, seed=seed, dtype="float32",
            every=max(1, round(length / (at.eta * at.tau)) // 50), **at.settings(length),
        )  # fmt: skip
        squares = run.observed["gradient_norm_squared"][0]
        observed[at] = float(squares[len(squares) // 2 :].mean()) if run.outcome == "done" else float("inf")
    return observed, client_norms(network(seed, None), start).largest[0]


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
def minimise(seed: int, iterations: int) -> Array:
    """Where so many steps by full gradients, of L-BFGS, bring the network from its start."""
    from scipy.optimize import minimize

    problem = network(seed, None)

    def at(w: Array) -> tuple[float, Array]:
        return float(problem.p @ problem.losses(w)), problem.p @ problem.client_gradients(w)

    start = problem.initial_point({"seed": seed}).ravel()
    solution = minimize(
        at, start, jac=True, method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-6},
    )  # fmt: skip
    return np.asarray(solution.x, dtype=np.float64)


def _parts(at: SlopePoint) -> tuple[SlopePoint, ...]:
    """Drift alone, then beside participation, and beside noise; and none of them."""
    drift = replace(at, C=1.0, batch=None)
    return replace(drift, tau=1), drift, replace(drift, C=at.C), replace(drift, batch=at.batch)


def _all_points(varied: list[SlopeSweep], all_at_once: SlopePoint) -> tuple[SlopePoint, ...]:
    """Every setting that is run, once."""
    points = {own for one in varied for at in one.points for own in (at, without(at, one.cause))}
    return tuple(sorted(points | {*_parts(all_at_once), all_at_once}, key=repr))


def together(observed: Mapping[SlopePoint, Array], at: SlopePoint) -> Array:
    """All at once over the sum, (R,)."""
    none, drift, participation, noise = (observed[part] for part in _parts(at))
    parts = (drift - none) + (participation - drift) + (noise - drift) / at.C
    return np.asarray((observed[at] - none) / parts)


def row(one: SlopeSweep, observed: Mapping[SlopePoint, Array]) -> SlopeRow:
    """The exponent of a sweep beside that of its term."""
    x = np.array([one.x(at) for at in one.points], dtype=np.float64)
    slope = slope_over_replicas(x, added(one, observed))
    term = one.exponent(TERMS[one.cause])
    also = [name for name, formula in one.rivals.items() if slope.low <= one.exponent(formula) <= slope.high]
    outcome = verdict(slope.low, slope.high, term)
    which = ", ".join(also) or "none of those tried"
    ends = (slope.value, slope.low, slope.high)
    return SlopeRow(one.cause, one.letter, x[0], x[-1], term, *ends, outcome, which)


ETA, TAU, C, BATCH = 0.02, 4, 0.2, 2


@dataclass(frozen=True)
class SlopePoint:
    """A setting of FedAvg; ``batch`` None: full gradients."""

    eta: float = ETA
    tau: int = 1
    C: float = 1.0
    batch: int | None = None

    def settings(self, length: float) -> dict[str, Any]:
        """What ``simulate`` takes."""
        participation: Any = "full" if self.C == 1 else {"kind": "uniform", "C": self.C}
        rounds = max(4, round(length / (self.eta * self.tau)))
        return {"rounds": rounds, "eta": self.eta, "local_steps": self.tau, "participation": participation}


Formula = Callable[[SlopePoint], float]
"""A quantity as a function of the setting."""
_WITHOUT: dict[str, dict[str, Any]] = {
    "drift": {"tau": 1},
    "participation": {"C": 1.0},
    "noise": {"batch": None},
}
TERMS: dict[str, Formula] = {
    "drift": lambda at: at.eta**2 * at.tau * (at.tau - 1),
    "participation": lambda at: at.eta * at.tau * (1 - at.C) / at.C,
    "noise": lambda at: at.eta / (at.batch or 1),
}
"""Dependence of the term of each cause on the setting."""


@dataclass(frozen=True)
class SlopeSweep:
    """What a cause adds at ``points``, which differ in a ``letter`` read by ``x``; ``rivals``: what else one
    may think of, as formulas."""

    cause: str
    letter: str
    points: tuple[SlopePoint, ...]
    x: Formula
    rivals: Mapping[str, Formula]

    def exponent(self, formula: Formula) -> float:
        """The slope of a formula over the same points, fitted as the measured one is."""
        x = np.log([self.x(at) for at in self.points])
        return slope(x, np.log([formula(at) for at in self.points]))


_POWERS: dict[str, Formula] = {"sqrt(eta)": lambda at: at.eta**0.5, "eta": lambda at: at.eta,
                                "eta^2": lambda at: at.eta**2}  # fmt: skip
_IN_TAU: dict[str, Formula] = {"1": lambda at: 1.0, "sqrt(tau)": lambda at: at.tau**0.5,
                                "tau": lambda at: at.tau, "tau^2": lambda at: at.tau**2}  # fmt: skip
_DRIFT: dict[str, Formula] = {
    "tau": lambda at: at.tau, "tau^2": lambda at: at.tau**2, "tau - 1": lambda at: at.tau - 1,
    "tau (tau - 1)": lambda at: at.tau * (at.tau - 1), "(tau - 1)^2": lambda at: (at.tau - 1) ** 2,
}  # fmt: skip
_IN_C: dict[str, Formula] = {
    "sqrt((1-C)/C)": lambda at: ((1 - at.C) / at.C) ** 0.5, "1/C": lambda at: 1 / at.C,
    "(1-C)/C": lambda at: (1 - at.C) / at.C, "1/C^2": lambda at: 1 / at.C**2,
}  # fmt: skip
_IN_B: dict[str, Formula] = {
    "1": lambda at: 1.0, "1/sqrt(batch)": lambda at: (at.batch or 1) ** -0.5,
    "1/batch": lambda at: 1 / (at.batch or 1),
}  # fmt: skip


def sweeps(quick: bool = False) -> list[SlopeSweep]:
    """The sweeps; ``quick``: only the ends of some."""
    etas, taus = (0.01, 0.02, 0.04), (2, 4, 8)
    every = [
        SlopeSweep("drift", "tau", tuple(SlopePoint(tau=t) for t in taus), lambda at: at.tau, _DRIFT),
        SlopeSweep("drift", "eta", tuple(SlopePoint(e, TAU) for e in etas), lambda at: at.eta, _POWERS),
        SlopeSweep(
            "participation",
            "(1-C)/C",
            tuple(SlopePoint(C=c) for c in (0.1, 0.2, 0.5, 0.8)),
            lambda at: (1 - at.C) / at.C,
            _IN_C,
        ),
        SlopeSweep(
            "participation",
            "tau",
            tuple(SlopePoint(tau=t, C=C) for t in (1, 2, 4)),
            lambda at: at.tau,
            _IN_TAU,
        ),
        SlopeSweep(
            "participation", "eta", tuple(SlopePoint(e, C=C) for e in etas), lambda at: at.eta, _POWERS
        ),
        SlopeSweep(
            "noise",
            "batch",
            tuple(SlopePoint(batch=b) for b in (1, 2, 4, 8)),
            lambda at: at.batch or 1,
            _IN_B,
        ),
        SlopeSweep(
            "noise",
            "tau",
            tuple(SlopePoint(tau=t, batch=BATCH) for t in (1, 2, 4)),
            lambda at: at.tau,
            _IN_TAU,
        ),
        SlopeSweep(
            "noise", "eta", tuple(SlopePoint(e, batch=BATCH) for e in etas), lambda at: at.eta, _POWERS
        ),
    ]
    if not quick:
        return every
    return [replace(one, points=one.points[:: len(one.points) - 1]) for one in every if one.letter != "eta"]


def without(at: SlopePoint, cause: str) -> SlopePoint:
    """The setting without a cause."""
    return replace(at, **_WITHOUT[cause])
