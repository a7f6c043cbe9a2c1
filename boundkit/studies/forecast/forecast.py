"""Forecast of training runs from their logs: rounds to a target, other settings, and the error floor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.report import Report, Reported
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.training_log import SETTINGS, LoggedRun, check_settings
from boundkit.studies.forecast.answers import (
    LEVEL,
    RANGE,
    FittedCost,
    FittedTerm,
    Marginal,
    SettingForecast,
    describe_interval,
)
from boundkit.studies.forecast.fit import (
    Fit,
    Settings,
    _levels,
    bootstrap,
    curves_of,
    distinct_settings,
    error_on_other_settings,
    error_on_the_rest,
    first_passage,
    fit_best,
    fluctuations,
    resample_blocks,
    round_grid,
    thin,
)
from boundkit.studies.forecast.report import report_of, to_dict
from boundkit.studies.forecast.runs import check_requested_settings, check_runs
from boundkit.studies.forecast.shape import BoundShape, shape_of

MEMBERS = 80
WIDEST = 10.0
"""A wider ratio of the ends of an interval is no answer."""
_UNTESTED = 0.3
"""Error of log rounds where the log is too short to test a fit on it."""
ALL_SOURCES = "all of these"
SOURCES: dict[str, tuple[str, ...]] = {
    "mini-batch noise": ("stochastic noise", "noise drift"),
    "partial participation": ("partial participation",),
    "client drift": ("client drift", "noise drift"),
    ALL_SOURCES: ("stochastic noise", "noise drift", "partial participation", "client drift"),
}
"""Sources of error, and the causes of the terms that vanish without them."""
_GAINED = 0.01
"""Share of the whole descent that is left where going on gains no more."""
_BLOCK = 8
_BAD_FIT, _CLEARLY = 0.01, 0.2
"""Relative error of a fit that is bad, and the share of it that another fit has that is clearly better."""


@dataclass(frozen=True, repr=False)
class Forecast(Reported):
    """Forecast of logged runs by the shape of a theorem.

    ``own_error``, ``other_error``: root mean square error of log rounds of fits to the first half of the log,
    tested on the rest of it, and of fits to all settings but one, tested on that one; nan where the log does
    not allow the test. Intervals are widened by them.
    """

    theorem: Theorem
    quantity: str
    target: float | None
    horizon: float
    runs: tuple[LoggedRun, ...]
    shape: BoundShape
    main: Fit
    members: tuple[Fit, ...]
    own_error: float
    other_error: float
    seed: int = 0
    asked: tuple[Settings, ...] = ()

    @cached_property
    def logged(self) -> tuple[SettingForecast, ...]:
        """The rest of the logged runs, setting by setting."""
        return tuple(self.at(settings) for settings in distinct_settings(self.runs))

    @cached_property
    def others(self) -> tuple[SettingForecast, ...]:
        """Forecasts at the settings that were asked for, or at halves and doubles of those that vary."""
        chosen = self.asked or self._neighbours()
        return tuple(self.at(settings) for settings in chosen)

    @cached_property
    def falls_exponentially(self) -> bool:
        """Whether exponentials follow at least half of the runs, each by itself, clearly better than the
        fitted shape, so that intervals are too narrow.
        """
        if self.shape.exponential:
            return False
        curve, exponential = curves_of(self.shape)[0], []
        for run in map(thin, self.runs):
            own = fit_best(self.shape, [run], curve).cost
            other = fit_best(self.shape, [run], ("exponential", 1)).cost
            exponential.append(own > _BAD_FIT and other < _CLEARLY * own)
        return 2 * sum(exponential) >= len(exponential)

    @property
    def varied(self) -> tuple[str, ...]:
        """The settings of which the log has two values or more."""
        each = distinct_settings(self.runs)
        return tuple(n for n in SETTINGS if n in each[0] and len({s[n] for s in each}) > 1)

    def at(self, settings: Mapping[str, Any]) -> SettingForecast:
        """The forecast at a setting; what is not given is as in the first run of the log."""
        whole = {**self.runs[0].settings, **check_settings(settings)}
        own = [run for run in self.runs if run.settings == whole]
        name = own[0].name if own else ""
        if not own and (refusal := self.refuse(whole)):
            return SettingForecast(whole, name, None, None, None, None, None, refusal)
        members = self._dilated(bool(own))
        limit = self.quantiles([fit.limit(whole) for fit in members])
        horizon = np.array([self.horizon])
        later = self.quantiles(self._paths(members, whole, own, horizon)[:, 0].tolist())
        exhausted = self.quantiles([self._exhausted(fit, whole, own) for fit in members])
        reached = self._reached(own)
        if self.target is None or reached is not None:
            return SettingForecast(whole, name, reached, None, later, limit, exhausted)
        rounds, refusal = self._rounds(whole, own, members, limit)
        return SettingForecast(whole, name, None, rounds, later, limit, exhausted, refusal)

    def terms(self) -> tuple[FittedTerm, ...]:
        """The terms of the error floor, fitted."""
        settings, fitted = distinct_settings(self.runs), []
        for k, label in enumerate(self.shape.terms):
            largest = max(float(self.shape.terms_at(each)[k]) for each in settings)
            contribution = self.quantiles([float(fit.floor[k]) * largest for fit in self.members])
            fitted.append(FittedTerm(label, contribution, self._separate([k])))
        return tuple(fitted)

    def marginals(self) -> tuple[Marginal, ...]:
        """What one more unit of each varied setting buys at the first logged setting."""
        if self.target is None:
            return ()
        base, marginals = self.runs[0].settings, []
        before = self.passages(base)
        for name in self.varied:
            step = {"tau": 1.0, "m": 1.0, "C": 1 / base.get("m", np.inf)}.get(name, 0.1 * base[name])
            changed = {**base, name: base[name] + step}
            if step == 0 or changed.get("C", 0) > 1 or self.refuse(changed):
                continue
            with np.errstate(invalid="ignore"):
                difference = self.passages(changed) - before
            if np.isfinite(difference).mean() < LEVEL:
                continue
            words = "one more client a round" if name == "C" else f"{name} = {changed[name]:.4g}"
            marginals.append(Marginal(words, self.quantiles(difference[np.isfinite(difference)].tolist())))
        return tuple(marginals)

    def costs(self, settings: Settings | None = None) -> tuple[FittedCost, ...]:
        """What each source of error costs, in rounds to the target; by default at the first setting."""
        if self.target is None:
            return ()
        base, costs = settings or self.runs[0].settings, []
        before = self.passages(base)
        for source, causes in SOURCES.items():
            own = self.shape.of_causes(causes)
            if not own or not any(self.shape.terms_at(base)[own]):
                continue
            with np.errstate(invalid="ignore"):
                cost = before - self.passages(base, without=causes)
            cost = cost[~np.isnan(cost)]  # neither reaches the target
            if len(cost) < LEVEL * len(before):
                continue
            costs.append(FittedCost(source, base, self.quantiles(cost.tolist()), self._separate(own)))
        return tuple(costs)

    def _separate(self, terms: Sequence[int]) -> bool:
        """Whether the logged settings tell these terms apart from the others and the minimum."""
        settings = distinct_settings(self.runs)
        features = np.array([[1.0, *self.shape.terms_at(each)] for each in settings])
        scaled = features / np.maximum(np.abs(features).max(axis=0), 1e-300)
        columns = [k + 1 for k in terms]
        own, rest = (np.linalg.matrix_rank(x) for x in (scaled[:, columns], np.delete(scaled, columns, 1)))
        return bool(own > 0 and own + rest == np.linalg.matrix_rank(scaled))

    def passages(self, settings: Settings, without: Collection[str] = ()) -> Array:
        """Rounds until the loss, without fluctuations, is at most the target, one value for each fit.

        ``without``: causes whose terms are removed; infinite where the target is not reached.
        """
        grid = round_grid(self.last())
        target = self.target if self.target is not None else np.nan
        fits = (fit.without(without) if without else fit for fit in self._dilated(False))
        return np.array([first_passage(grid, fit(settings, grid), target) for fit in fits])

    def _neighbours(self) -> tuple[Settings, ...]:
        base = self.runs[0].settings
        settings = []
        for name in self.varied:
            for factor in (0.5, 2.0):
                value = factor * base[name]
                value = float(max(1, round(value))) if name in ("tau", "m") else value
                changed = {**base, name: value}
                if changed.get("C", 0) <= 1 and not self.refuse(changed) and changed not in settings:
                    settings.append(changed)
        return tuple(each for each in settings if all(each != run.settings for run in self.runs))

    def refuse(self, settings: Settings) -> str:
        """Why nothing is said about a setting; empty where something is."""
        for name, value in settings.items():
            logged = [run.settings[name] for run in self.runs if name in run.settings]
            if not logged:
                return f"the log does not say {name}: give it as a column, or by --given {name}=VALUE"
            if np.isclose(value, logged[0]) and len(set(logged)) == 1:
                continue
            if len(set(logged)) == 1:
                return (
                    f"{name} is {logged[0]:.4g} in every logged run, so nothing says what {value:.4g} does: "
                    "log a run at another value"
                )
            if not min(logged) / RANGE <= value <= max(logged) * RANGE:
                return (
                    f"{name} = {value:.4g} is more than {RANGE:g} times beyond the logged values, "
                    f"{min(logged):.4g} to {max(logged):.4g}"
                )
        return ""

    def _dilated(self, own: bool) -> list[Fit]:
        """The bootstrapped fits, with the errors that the log itself shows."""
        errors = [self.own_error] if own else [self.own_error, self.other_error]
        known = [each for each in errors if np.isfinite(each)]
        error = max(known) if known else _UNTESTED
        order = np.random.default_rng([self.seed, 1]).permutation(len(self.members))
        quantiles = [NormalDist().inv_cdf((k + 0.5) / len(order)) for k in range(len(order))]
        return [
            replace(fit, dilation=float(np.exp(error * quantiles[k])))
            for fit, k in zip(self.members, order, strict=True)
        ]

    def last(self, own: Sequence[LoggedRun] = ()) -> float:
        """The last logged round of these runs, or of all."""
        return max(float(run.rounds[-1]) for run in own or self.runs)

    def _paths(
        self, members: Sequence[Fit], settings: Settings, own: Sequence[LoggedRun], rounds: Array
    ) -> Array:
        """The quantity along the rounds, (members, rounds), with fluctuations like those of the log."""
        random = np.random.default_rng([self.seed, 2])
        series = [fluctuations(self.main, run) for run in own or self.runs]
        paths = []
        for fit in members:
            values = fit(settings, rounds)
            error = resample_blocks(series[random.integers(len(series))], len(rounds), _BLOCK, random)
            paths.append(values + error * _levels(values, fit.minimum))
        return np.array(paths)

    def _rounds(
        self, settings: Settings, own: Sequence[LoggedRun], members: Sequence[Fit], limit: Estimate
    ) -> tuple[Estimate | None, str]:
        assert self.target is not None
        last = self.last(own)
        grid = round_grid(last)
        if own:
            grid = np.concatenate([[last], grid[grid > last]])
        passages = [
            first_passage(grid, path, self.target) for path in self._paths(members, settings, own, grid)
        ]
        estimate = self.quantiles(passages)
        tends = f"{self.quantity} tends to {describe_interval(limit)} there"
        never = float(np.mean(~np.isfinite(passages)))
        if never >= LEVEL:
            return None, f"{self.target:g} is not reached: {tends}"
        if never > 0.5:
            return None, f"the log does not say whether {self.target:g} is reached: {tends}"
        if np.isfinite(estimate.high) and estimate.high > WIDEST * max(estimate.low, 1.0):
            return None, f"the log leaves anything from {estimate.low:.3g} to {estimate.high:.3g} rounds open"
        return estimate, ""

    def _reached(self, own: Sequence[LoggedRun]) -> float | None:
        if self.target is None or not own:
            return None
        passages = [first_passage(run.rounds, run.values, self.target) for run in own]
        return float(np.median(passages)) if np.isfinite(np.median(passages)) else None

    def _exhausted(self, fit: Fit, settings: Settings, own: Sequence[LoggedRun]) -> float:
        grid = round_grid(self.last(own))
        values, limit = fit(settings, grid), fit.limit(settings)
        wiggle = float(np.std(fluctuations(self.main, (own or self.runs)[0])))
        gap = max(
            wiggle * (limit - fit.minimum), _GAINED * abs(float((own or self.runs)[0].values[0]) - limit)
        )
        far = np.flatnonzero(np.abs(values - limit) > gap)
        if not far.size:
            return 0.0
        return float("inf") if far[-1] == len(grid) - 1 else float(grid[far[-1] + 1])

    @staticmethod
    def quantiles(values: Sequence[float]) -> Estimate:
        """The median and the interval, from one value for each fit."""
        ordered = np.sort(values)
        place = [
            min(len(ordered) - 1, int(q * len(ordered))) for q in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
        ]
        low, middle, high = (float(ordered[k]) for k in place)
        return Estimate(middle, low, high)

    def to_dict(self) -> dict[str, Any]:
        """The whole result for JSON."""
        return to_dict(self)

    def report(self) -> Report:
        """The answer, then the settings, the terms, and how far the forecast is to be trusted."""
        return report_of(self)


def make_forecast(
    runs: Sequence[LoggedRun], theorem: Theorem, *, quantity: str = "loss", target: float | None = None,
    at: Sequence[Mapping[str, Any]] = (), rounds: float | None = None, members: int = MEMBERS, seed: int = 0,
) -> Forecast:  # fmt: skip
    """Fit the shape of ``theorem`` to the runs; see ``Forecast``.

    Parameters
    ----------
    runs
        Logged runs of one algorithm.
    theorem
        The theorem whose terms are fitted.
    quantity
        The name of the fitted quantity, which falls.
    target
        The level to which rounds are counted.
    at
        Other settings, each complete with those of the first run.
    rounds
        The round at which the quantity is forecast; three times the log by default.
    members
        Bootstrapped fits.
    seed
        Of the bootstrap.
    """
    if not runs:
        raise BoundkitError("a forecast needs at least one logged run.")
    if rounds is not None and not 0 < rounds < np.inf:
        raise BoundkitError(f"rounds must be a finite number above 0, but {rounds:g} was given.")
    if seed < 0:
        raise BoundkitError(f"the seed must be at least 0, but {seed} was given.")
    check_runs(runs, quantity)
    shape = shape_of(theorem)
    if target is not None and not np.isfinite(target):
        raise BoundkitError(f"the target must be a finite number, but {target} was given.")
    thinned = [thin(run) for run in runs]
    main = fit_best(shape, thinned, curves_of(shape)[0])
    fits = bootstrap(shape, runs, main, members, np.random.default_rng([seed, 0]))
    return Forecast(
        theorem=theorem, quantity=quantity, target=target,
        horizon=rounds if rounds is not None else 3 * max(float(run.rounds[-1]) for run in runs),
        runs=tuple(runs), shape=shape, main=main, members=tuple(fits),
        own_error=error_on_the_rest(shape, runs), other_error=error_on_other_settings(shape, runs),
        seed=seed, asked=tuple(check_requested_settings(each, runs) for each in at),
    )  # fmt: skip
