"""Forecast of training runs from their logs: rounds to a target, other settings, and the error floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.report import Report, Reported, Sentences, Table
from boundkit.report.formatting import json_values
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.training_log import SETTINGS, LoggedRun, check_settings, describe_settings
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
from boundkit.studies.forecast.shape import Shape, shape_of

LEVEL = 0.9
MEMBERS = 80
RANGE = 2.0
"""How far beyond the logged values of a setting a forecast goes, as a factor."""
WIDEST = 10.0
"""A wider ratio of the ends of an interval is no answer."""
_UNTESTED = 0.3
"""Error of log rounds where the log is too short to test a fit on it."""
_LEAST_DESCENT = 0.1
_GAINED = 0.01
"""Share of the whole descent that is left where going on gains no more."""
_BLOCK = 8


@dataclass(frozen=True)
class SettingForecast:
    """Forecast at one setting.

    ``rounds``: to the target; ``refusal`` says why there is none. ``reached``: the round of the log at which
    the target was reached. ``later``: the quantity at the horizon. ``limit``: what it tends to.
    ``exhausted``: the round after which less than 1 % of the whole descent, or less than the fluctuation
    between rounds, is left.
    """

    settings: Settings
    logged: str
    reached: float | None
    rounds: Estimate | None
    later: Estimate | None
    limit: Estimate | None
    exhausted: Estimate | None
    refusal: str = ""


@dataclass(frozen=True)
class FittedTerm:
    """A term's contribution to the error floor, at the logged setting where it is largest.

    ``separate``: whether the logged settings tell it apart from the other terms and the minimum.
    """

    label: str
    contribution: Estimate
    separate: bool

    @property
    def verdict(self) -> str:
        """What the data say of the term."""
        if not self.separate:
            return "not told apart from the others by these settings"
        return "identified" if self.contribution.low > 0 else "not told apart from 0"


@dataclass(frozen=True)
class Marginal:
    """What one more unit of a setting changes: rounds to the target, with it minus without it."""

    change: str
    rounds: Estimate


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
    shape: Shape
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
        if not own and (refusal := self._refusal(whole)):
            return SettingForecast(whole, name, None, None, None, None, None, refusal)
        members = self._dilated(bool(own))
        limit = self._quantiles([fit.limit(whole) for fit in members])
        horizon = np.array([self.horizon])
        later = self._quantiles(self._paths(members, whole, own, horizon)[:, 0].tolist())
        exhausted = self._quantiles([self._exhausted(fit, whole, own) for fit in members])
        reached = self._reached(own)
        if self.target is None or reached is not None:
            return SettingForecast(whole, name, reached, None, later, limit, exhausted)
        rounds, refusal = self._rounds(whole, own, members, limit)
        return SettingForecast(whole, name, None, rounds, later, limit, exhausted, refusal)

    def terms(self) -> tuple[FittedTerm, ...]:
        """The terms of the error floor, fitted."""
        settings = distinct_settings(self.runs)
        features = np.array([[1.0, *self.shape.terms_at(each)] for each in settings])
        scaled = features / np.maximum(np.abs(features).max(axis=0), 1e-300)
        rank = np.linalg.matrix_rank(scaled)
        fitted = []
        for k, label in enumerate(self.shape.terms):
            largest = float(features[:, k + 1].max())
            contribution = self._quantiles([float(fit.floor[k]) * largest for fit in self.members])
            alone = np.linalg.matrix_rank(np.delete(scaled, k + 1, axis=1)) < rank
            fitted.append(FittedTerm(label, contribution, bool(alone)))
        return tuple(fitted)

    def marginals(self) -> tuple[Marginal, ...]:
        """What one more unit of each varied setting buys at the first logged setting."""
        if self.target is None:
            return ()
        base, found = self.runs[0].settings, []
        before = self._noiseless(base)
        for name in self.varied:
            step = {"tau": 1.0, "m": 1.0, "C": 1 / base.get("m", np.inf)}.get(name, 0.1 * base[name])
            changed = {**base, name: base[name] + step}
            if step == 0 or changed.get("C", 0) > 1 or self._refusal(changed):
                continue
            with np.errstate(invalid="ignore"):
                difference = self._noiseless(changed) - before
            if np.isfinite(difference).mean() < LEVEL:
                continue
            words = "one more client a round" if name == "C" else f"{name} = {changed[name]:.4g}"
            found.append(Marginal(words, self._quantiles(difference[np.isfinite(difference)].tolist())))
        return tuple(found)

    def _noiseless(self, settings: Settings) -> Array:
        grid = round_grid(self._last(()))
        target = self.target if self.target is not None else np.nan
        return np.array([first_passage(grid, fit(settings, grid), target) for fit in self._dilated(False)])

    def _neighbours(self) -> tuple[Settings, ...]:
        base = self.runs[0].settings
        found = []
        for name in self.varied:
            for factor in (0.5, 2.0):
                value = factor * base[name]
                value = float(max(1, round(value))) if name in ("tau", "m") else value
                changed = {**base, name: value}
                if changed.get("C", 0) <= 1 and not self._refusal(changed) and changed not in found:
                    found.append(changed)
        return tuple(each for each in found if all(each != run.settings for run in self.runs))

    def _refusal(self, settings: Settings) -> str:
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

    def _last(self, own: Sequence[LoggedRun]) -> float:
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
        last = self._last(own)
        grid = round_grid(last)
        if own:
            grid = np.concatenate([[last], grid[grid > last]])
        passages = [
            first_passage(grid, path, self.target) for path in self._paths(members, settings, own, grid)
        ]
        estimate = self._quantiles(passages)
        tends = f"{self.quantity} tends to {_interval(limit)} there"
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
        grid = round_grid(self._last(own))
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
    def _quantiles(values: Sequence[float]) -> Estimate:
        ordered = np.sort(values)
        place = [
            min(len(ordered) - 1, int(q * len(ordered))) for q in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
        ]
        low, middle, high = (float(ordered[k]) for k in place)
        return Estimate(middle, low, high)

    def to_dict(self) -> dict[str, Any]:
        """The whole result for JSON."""
        return {
            "theorem": self.theorem.name,
            "quantity": self.quantity,
            "target": json_values(self.target) if self.target is not None else None,
            "horizon": self.horizon,
            "runs": [
                {
                    "name": r.name,
                    "settings": r.settings,
                    "rounds": float(r.rounds[-1]),
                    "count": len(r.rounds),
                }
                for r in self.runs
            ],
            "logged": [_to_dict(each) for each in self.logged],
            "others": [_to_dict(each) for each in self.others],
            "marginals": [{"change": each.change, "rounds": _ends(each.rounds)} for each in self.marginals()],
            "terms": [
                {"term": each.label, "contribution": _ends(each.contribution), "found": each.verdict}
                for each in self.terms()
            ],
            "not_fitted": list(self.shape.left_out),
            "minimum": _ends(self._quantiles([fit.minimum for fit in self.members])),
            "errors": {"rest": json_values(self.own_error), "other_settings": json_values(self.other_error)},
            "level": LEVEL,
        }

    def report(self) -> Report:
        """The answer, then the settings, the terms, and how far the forecast is to be trusted."""
        lines = [Sentences([self._answer()], wrapped=True)]
        known = (("Logged settings", self.logged), ("Other settings", self.others))
        tables = [
            Table(
                [
                    "setting",
                    "rounds",
                    f"{self.quantity} at {self.horizon:g}",
                    "tends to",
                    "less than 1 % left after",
                ],
                [self._row(each) for each in rows],
                caption=title,
            )
            for title, rows in known
        ]
        refusals = [
            Sentences([f"{self._describe(each)}: {each.refusal}."], wrapped=True)
            for each in (*self.logged, *self.others)
            if each.refusal
        ]
        unit = Table(
            ["at the first setting", "rounds, with it minus without"],
            [[each.change, _interval(each.rounds)] for each in self.marginals()],
            caption="What one more unit buys",
        )
        terms = Table(
            ["term", "contribution, at most", "verdict"],
            [[each.label, f"{each.contribution.high:.3g}", each.verdict] for each in self.terms()],
            caption=f"Error floor by the terms of {self.theorem.name}, with fitted constants",
        )
        notes = Sentences([self._trust()], wrapped=True)
        return Report((*lines, *tables, *refusals, unit, terms, notes))

    @property
    def _shown(self) -> tuple[str, ...]:
        """The settings that differ between the forecasts."""
        each = [forecast.settings for forecast in (*self.logged, *self.others)]
        return tuple(n for n in SETTINGS if len({s.get(n) for s in each}) > 1)

    def _describe(self, each: SettingForecast) -> str:
        return describe_settings({n: each.settings[n] for n in self._shown}) or "as logged"

    def _at(self, each: SettingForecast) -> str:
        return f"at {self._describe(each)}" if self._shown else "as logged"

    def _answer(self) -> str:
        if self.target is None:
            first = self.logged[0]
            return (
                f"{self.quantity} is forecast at {_interval(first.later)} in round {self.horizon:g}, and "
                f"tends to {_interval(first.limit)}, {self._at(first)}."
            )
        answers = [each for each in (*self.logged, *self.others) if each.rounds or each.reached is not None]
        if not answers:
            return (
                f"No answer for {self.quantity} {self.target:g}: {(*self.logged, *self.others)[0].refusal}."
            )
        best = min(answers, key=lambda e: e.rounds.value if e.rounds else e.reached or 0.0)
        rounds = f"{best.reached:.3g}, in the log" if best.rounds is None else _interval(best.rounds)
        return f"{self.quantity} {self.target:g} takes the fewest rounds, {rounds}, {self._at(best)}."

    def _row(self, each: SettingForecast) -> list[str]:
        rounds = "" if self.target is None else "refused"
        if each.reached is not None:
            rounds = f"{each.reached:.3g} (logged)"
        elif each.rounds is not None:
            rounds = _interval(each.rounds)
        beyond = f"not within {round_grid(self._last(()))[-1]:.3g}"
        exhausted = each.exhausted
        end = beyond if exhausted and not np.isfinite(exhausted.value) else _interval(exhausted)
        return [self._describe(each), rounds, _interval(each.later), _interval(each.limit), end]

    def _trust(self) -> str:
        tests = {"the rest of the log": self.own_error, "a setting that was left out": self.other_error}
        known = [f"{100 * np.expm1(e):.0f} % on {name}" for name, e in tests.items() if np.isfinite(e)]
        text = f"{100 * LEVEL:.0f} % intervals, by block bootstrap"
        if known:
            text += f", widened by the errors in rounds of fits to a part of the log: {', '.join(known)}"
        text += f". Settings beyond {RANGE:g} times the logged ones are not forecast, and stability is not"
        if self.shape.left_out:
            text += f"; not fitted: {', '.join(self.shape.left_out)}"
        same = {n: v for n, v in self.runs[0].settings.items() if n not in self._shown}
        return f"{text}. The same everywhere: {describe_settings(same)}." if same else f"{text}."


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    high = f"{estimate.high:.3g}]" if np.isfinite(estimate.high) else "no end)"
    return f"{estimate.value:.3g} [{estimate.low:.3g}, {high}"


def _ends(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {name: json_values(getattr(estimate, name)) for name in ("value", "low", "high")}


def _to_dict(each: SettingForecast) -> dict[str, Any]:
    return {
        "settings": each.settings,
        "run": each.logged or None,
        "reached": each.reached,
        "rounds": _ends(each.rounds),
        "at_horizon": _ends(each.later),
        "limit": _ends(each.limit),
        "pointless_after": _ends(each.exhausted),
        "refusal": each.refusal,
    }


def check_runs(runs: Sequence[LoggedRun], quantity: str) -> None:
    """Check that runs can be fitted together.

    Raises BoundkitError, one sentence, for runs of several algorithms, unlike known settings, and runs that
    do not fall.
    """
    algorithms = sorted({run.algorithm for run in runs if run.algorithm})
    if len(algorithms) > 1:
        raise BoundkitError(
            f"the log has runs of {' and '.join(algorithms)}; forecast one algorithm at a time."
        )
    for run in runs:
        if run.settings.keys() != runs[0].settings.keys():
            (name, *_) = sorted(run.settings.keys() ^ runs[0].settings.keys())
            has, lacks = (run, runs[0]) if name in run.settings else (runs[0], run)
            raise BoundkitError(f"{has.name} has {name} and {lacks.name} has not; give it for all.")
        start, end = float(run.values[0]), float(np.median(run.values[-max(3, len(run.values) // 4) :]))
        wiggle = float(np.median(np.abs(np.diff(run.values))))
        if end > start + wiggle:
            raise BoundkitError(
                f"{quantity} of {run.name} rises from {start:.3g} to {end:.3g}: it does not converge, so no "
                "forecast is made; leave the run out, or log one with smaller steps."
            )
    falls = [run.values[0] - np.median(run.values[-max(3, len(run.values) // 4) :]) for run in runs]
    if max(falls) < _LEAST_DESCENT * max(abs(float(run.values[0])) for run in runs):
        raise BoundkitError(
            f"{quantity} falls by less than {100 * _LEAST_DESCENT:.0f} % in every run: it is too early for a "
            "forecast."
        )


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
        seed=seed, asked=tuple(check_settings(each) for each in at),
    )  # fmt: skip


def default_theorem(runs: Sequence[LoggedRun]) -> str:
    """The theorem whose terms are fitted where none is named."""
    if any(run.algorithm == "scaffold" for run in runs):
        return "scaffold_nonconvex_partial_explicit"
    return "fedavg_nonconvex_partial"
