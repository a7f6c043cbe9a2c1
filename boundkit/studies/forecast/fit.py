"""Fit of a bound's shape to logged runs: non-negative least squares, bootstrap, and test on the log itself.

The model of a quantity after t rounds, with the progress u = t progress(settings):

    minimum + sum_j a_j/(1 + u/u_j) + (1 - Phi(u)) sum_k c_k term_k(settings),

a_j, c_k and the minimum at least 0. The first sum is the initial gap of the theorem, constant/u at large u,
finite at u = 0, or a sum of exponentials where the theorem contracts; Phi is that sum divided by its value at
0: a term of the error floor grows as the initial gap falls. Local convergence shortens the progress of
many or long local steps, by (1 - exp(-kappa eta tau))/(kappa eta tau).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.training_log import FEWEST, LoggedRun
from boundkit.studies.forecast.shape import NEUTRAL, BoundShape

Settings = dict[str, float]
Curve = tuple[str, int]
"""Kind of the initial gap: rational and its power, or exponential."""

SATURATIONS = (0.0, 0.06, 0.2, 0.6, 2.0)
"""kappa times the largest eta tau."""
_RATES = 12
_POINTS = 120
"""Points of a run to which a fit is made; of more, means over neighbours are taken."""
_ITERATIONS = 4
_NEAR_BEST = 1.02
_LATE = (0.7, 2.0)
"""Exponents of the weight that late rounds have, in bootstrapped fits; 1 in the main one."""
_BLOCK = 8
_FAR = 30.0
"""Rounds beyond this multiple of the logged ones are not computed."""


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit. ``dilation``: factor of the rounds, which widens bootstrapped fits by the errors that the log
    itself shows.
    """

    shape: BoundShape
    curve: Curve
    saturation: float
    horizon: float
    minimum: float
    amplitudes: Array
    floor: Array
    cost: float = 0.0
    dilation: float = 1.0

    def progress(self, settings: Settings) -> float:
        """Progress of a round."""
        return self.shape.progress_at(settings) * _saturated(self.saturation * _local(settings))

    def excess(self, settings: Settings, rounds: Array) -> Array:
        """The quantity above its minimum."""
        u = self.progress(settings) * np.asarray(rounds) / self.dilation
        gap = basis(u, self.horizon, self.curve) @ self.amplitudes
        start = self.amplitudes.sum()
        remaining = gap / start if start > 0 else np.ones_like(gap)
        return np.asarray(gap + (1 - remaining) * (self.shape.terms_at(settings) @ self.floor))

    def __call__(self, settings: Settings, rounds: Array) -> Array:
        return self.minimum + self.excess(settings, rounds)

    def without(self, causes: Collection[str]) -> Fit:
        """The fit without the terms of these causes; without client drift local steps count in full."""
        floor = self.floor.copy()
        floor[self.shape.of_causes(causes)] = 0
        return replace(self, floor=floor, saturation=0.0 if "client drift" in causes else self.saturation)

    def limit(self, settings: Settings) -> float:
        """The value that it tends to: the minimum and the error floor."""
        return float(self.minimum + self.shape.terms_at(settings) @ self.floor)


def _local(settings: Settings) -> float:
    return settings.get("eta", NEUTRAL["eta"]) * settings.get("tau", NEUTRAL["tau"])


def _saturated(x: float) -> float:
    return float(-np.expm1(-x) / x) if x > 1e-9 else 1.0


def basis(u: Array, horizon: float, curve: Curve) -> Array:
    """Shapes of the initial gap at progress u, (n, 12): each falls from 1, at a time of its own."""
    kind, power = curve
    times = np.geomspace(horizon / 1000, horizon, _RATES)
    if kind == "exponential":
        return np.asarray(np.exp(-u[:, None] / times))
    return np.asarray((1 + u[:, None] / times) ** -power)


def curves_of(shape: BoundShape) -> tuple[Curve, Curve]:
    """The curve of the theorem, and one that falls faster or slower, for the bootstrap."""
    return (("exponential", 1), ("rational", 2)) if shape.exponential else (("rational", 1), ("rational", 2))


def thin(run: LoggedRun) -> LoggedRun:
    """The run, or means over neighbouring rounds where it has many."""
    if len(run.rounds) <= _POINTS:
        return run
    parts = np.array_split(np.arange(len(run.rounds)), _POINTS)
    rounds, values = (np.array([x[p].mean() for p in parts]) for x in (run.rounds, run.values))
    return replace(run, rounds=rounds, values=values)


def fit_once(
    shape: BoundShape, runs: Sequence[LoggedRun], curve: Curve, saturation: float, late: float = 1.0
) -> Fit:
    """Fit by non-negative least squares, weighted by the gap and towards late rounds.

    The remaining share Phi and the gap are those of the fit before, and of a flat one at first.
    """
    from scipy.optimize import nnls

    rates = [shape.progress_at(r.settings) * _saturated(saturation * _local(r.settings)) for r in runs]
    u = np.concatenate([rate * run.rounds for rate, run in zip(rates, runs, strict=True)])
    values = np.concatenate([run.values for run in runs])
    terms = np.concatenate([np.tile(shape.terms_at(r.settings), (len(r.rounds), 1)) for r in runs])
    density = np.concatenate([1 / np.maximum(run.rounds, 1.0) for run in runs])
    horizon = float(u.max())
    weight = np.sqrt(density) * np.maximum(u / horizon, 1e-3) ** late
    scale = np.abs(terms).max(axis=0, initial=0.0)
    scale[scale == 0] = 1.0
    gaps = basis(u, horizon, curve)
    remaining = np.zeros_like(u)
    span = float(np.ptp(values)) or float(values.max()) or 1.0  # a part of a log may be constant
    level = values - values.min() + 0.1 * span
    predicted = values
    for _ in range(_ITERATIONS):
        columns = np.hstack([np.ones((len(u), 1)), gaps, terms / scale * (1 - remaining)[:, None]])
        weighted = columns * (weight / level)[:, None]
        norms = np.linalg.norm(weighted, axis=0)
        norms[norms == 0] = 1.0
        solution = nnls(weighted / norms, values * weight / level, maxiter=2000)[0] / norms
        amplitudes, floor = solution[1 : 1 + _RATES], solution[1 + _RATES :]
        remaining = gaps @ amplitudes / max(float(amplitudes.sum()), 1e-300)
        predicted = columns @ solution
        level = np.clip(_levels(predicted, float(solution[0])), 1e-3 * span, span)
    cost = float(np.sqrt((((predicted - values) * weight / level) ** 2).sum() / (weight**2).sum()))
    return Fit(shape, curve, saturation, horizon, float(solution[0]), amplitudes, floor / scale, cost)


def _levels(predicted: Array, minimum: float) -> Array:
    """The scale of errors at each point: the gap, bounded below."""
    gap = predicted - minimum
    least = max(1e-3 * float(np.ptp(predicted)), 0.02 * float(np.median(gap)), 1e-300)
    return np.maximum(gap, least)


def saturations(runs: Sequence[LoggedRun]) -> list[float]:
    """Values of kappa that are tried; 0 alone where eta tau is the same in all runs."""
    products = [_local(run.settings) for run in runs]
    largest = max(products)
    return [0.0] if largest <= 1.001 * min(products) else [each / largest for each in SATURATIONS]


def fit_best(
    shape: BoundShape, runs: Sequence[LoggedRun], curve: Curve, late: float = 1.0,
    random: np.random.Generator | None = None,
) -> Fit:  # fmt: skip
    """The fit of the smallest kappa that is near the best; of a random one of those where ``random``."""
    fits = [fit_once(shape, runs, curve, kappa, late) for kappa in saturations(runs)]
    most = min(fit.cost for fit in fits) * (_NEAR_BEST if random is None else 1.1)
    near = [fit for fit in fits if fit.cost <= most]
    return near[0] if random is None else near[random.integers(len(near))]


def residuals(fit: Fit, run: LoggedRun) -> Array:
    """Residuals of a run, relative to the scale of its gap."""
    predicted = fit(run.settings, run.rounds)
    return np.asarray((run.values - predicted) / _levels(predicted, fit.minimum))


def fluctuations(fit: Fit, run: LoggedRun) -> Array:
    """Residuals of the later two thirds without their moving mean."""
    own = residuals(fit, run)[len(run.rounds) // 3 :]
    padded = np.pad(own, 3, mode="edge")
    return np.asarray(own - np.convolve(padded, np.ones(7) / 7, "valid"))


def resample_blocks(series: Array, count: int, block: int, random: np.random.Generator) -> Array:
    """Blocks of a series at random places, one after the other, up to ``count`` values."""
    block = min(block, len(series))
    starts = random.integers(0, len(series) - block + 1, size=-(-count // block))
    return np.asarray(series[(starts[:, None] + np.arange(block)).ravel()[:count]])


def bootstrap(
    shape: BoundShape, runs: Sequence[LoggedRun], main: Fit, members: int, random: np.random.Generator
) -> list[Fit]:
    """Fits to resampled runs: replicas at random where there are three, blocks of residuals, either curve,
    and a random weight of late rounds.
    """
    thinned = [thin(run) for run in runs]
    errors = [residuals(main, run) for run in thinned]
    groups = _replicas(thinned)
    fits = []
    for _ in range(members):
        chosen: list[int] = []
        for group in groups:
            chosen += random.choice(group, len(group)).tolist() if len(group) > 2 else group
        resampled = []
        for k in chosen:
            run, predicted = thinned[k], main(thinned[k].settings, thinned[k].rounds)
            block = max(2, int(len(run.rounds) ** 0.5))
            error = resample_blocks(errors[k], len(run.rounds), block, random)
            values = predicted + error * _levels(predicted, main.minimum)
            resampled.append(replace(run, values=values))
        curve = curves_of(shape)[random.integers(2)]
        late = float(np.exp(random.uniform(*np.log(_LATE))))
        fits.append(fit_best(shape, resampled, curve, late, random))
    return fits


def _replicas(runs: Sequence[LoggedRun]) -> list[list[int]]:
    """Places of runs with the same settings."""
    groups: dict[tuple[tuple[str, float], ...], list[int]] = {}
    for k, run in enumerate(runs):
        groups.setdefault(tuple(sorted(run.settings.items())), []).append(k)
    return list(groups.values())


def distinct_settings(runs: Sequence[LoggedRun]) -> list[Settings]:
    """The settings of the runs, each once."""
    return [runs[group[0]].settings for group in _replicas(runs)]


def first_passage(rounds: Array, values: Array, target: float) -> float:
    """The first round at which the value is at most the target, linear in between; inf where none is."""
    below = np.flatnonzero(values <= target)
    if not below.size:
        return float("inf")
    k = int(below[0])
    if k == 0:
        return float(rounds[0])
    part = (values[k - 1] - target) / (values[k - 1] - values[k])
    return float(rounds[k - 1] + part * (rounds[k] - rounds[k - 1]))


def round_grid(logged: float) -> Array:
    """Rounds at which a forecast is evaluated: evenly over the log and three times its length, then wider."""
    near = 3 * logged
    even = np.linspace(0, near, min(int(near) + 1, 600))
    return np.unique(np.concatenate([even, np.geomspace(max(near, 1.0), _FAR * max(logged, 1.0), 200)]))


def error_on_the_rest(shape: BoundShape, runs: Sequence[LoggedRun]) -> float:
    """Root mean square of log(predicted/true rounds) to levels of the later half, by a fit to the first."""
    halves = [run.until(run.rounds[0] + (run.rounds[-1] - run.rounds[0]) / 2) for run in runs]
    if any(len(half.rounds) < FEWEST // 2 for half in halves):
        return float("nan")
    fit = fit_best(shape, [thin(half) for half in halves], curves_of(shape)[0])
    errors = [
        e for run, half in zip(runs, halves, strict=True) for e in _log_errors(fit, run, half.rounds[-1])
    ]
    return _rms(errors)


def error_on_other_settings(shape: BoundShape, runs: Sequence[LoggedRun]) -> float:
    """The same to levels of the runs of one setting, by a fit to those of the others, for each setting."""
    groups = _replicas(runs)
    if len(groups) < 2:
        return float("nan")
    errors: list[float] = []
    for group in groups:
        others = [thin(run) for k, run in enumerate(runs) if k not in group]
        fit = fit_best(shape, others, curves_of(shape)[0])
        for k in group:
            first = runs[k].rounds[0] + 0.2 * (runs[k].rounds[-1] - runs[k].rounds[0])
            errors += _log_errors(fit, runs[k], first)
    return _rms(errors)


def _log_errors(fit: Fit, run: LoggedRun, after: float) -> list[float]:
    rounds, values = run.rounds, run.values
    grid = round_grid(float(rounds[-1]))
    predicted = fit(run.settings, grid)
    half = max(1, len(rounds) // 20)
    start, errors = int(np.searchsorted(rounds, after)), []
    for k in np.unique(np.linspace(start, len(rounds) - 1 - half, 6).astype(int)):
        level = float(np.median(values[max(0, k - half) : k + half + 1]))
        true = first_passage(rounds, values, level)
        if after <= true < np.inf and true > 2 and level < 0.9 * values[0]:
            errors.append(float(np.log(max(first_passage(grid, predicted, level), 1.0) / true)))
    return errors


def _rms(errors: list[float]) -> float:
    return float(np.sqrt(np.mean(np.clip(errors, -2, 2) ** 2))) if errors else float("nan")
