"""The report of a forecast, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boundkit.report import Report, Sentences, Table
from boundkit.report.formatting import join_names, json_values
from boundkit.simulation.training_log import SETTINGS, describe_settings
from boundkit.studies.forecast.answers import (
    LEVEL,
    RANGE,
    SettingForecast,
    describe_interval,
    interval_to_dict,
)
from boundkit.studies.forecast.fit import round_grid

if TYPE_CHECKING:
    from boundkit.studies.forecast.forecast import Forecast


def to_dict(forecast: Forecast) -> dict[str, Any]:
    """The whole result for JSON."""
    return {
        "theorem": forecast.theorem.name,
        "quantity": forecast.quantity,
        "target": json_values(forecast.target) if forecast.target is not None else None,
        "horizon": forecast.horizon,
        "runs": [
            {
                "name": r.name,
                "settings": r.settings,
                "rounds": float(r.rounds[-1]),
                "count": len(r.rounds),
            }
            for r in forecast.runs
        ],
        "logged": [_to_dict(each) for each in forecast.logged],
        "others": [_to_dict(each) for each in forecast.others],
        "marginals": [
            {"change": each.change, "rounds": interval_to_dict(each.rounds)} for each in forecast.marginals()
        ],
        "costs": [
            {"source": each.source, "rounds": interval_to_dict(each.rounds), "found": each.verdict}
            for each in forecast.costs()
        ],
        "terms": [
            {"term": each.label, "contribution": interval_to_dict(each.contribution), "found": each.verdict}
            for each in forecast.terms()
        ],
        "not_fitted": list(forecast.shape.left_out),
        "minimum": interval_to_dict(forecast.quantiles([fit.minimum for fit in forecast.members])),
        "errors": {
            "rest": json_values(forecast.own_error),
            "other_settings": json_values(forecast.other_error),
        },
        "level": LEVEL,
        "falls_exponentially": forecast.falls_exponentially,
    }


def report_of(forecast: Forecast) -> Report:
    """The answer, then the settings, the terms, and how far the forecast is to be trusted."""
    lines = [Sentences([_answer(forecast)], wrapped=True)]
    known = (("Logged settings", forecast.logged), ("Other settings", forecast.others))
    tables = [
        Table(
            [
                "setting",
                "rounds",
                f"{forecast.quantity} in round {forecast.horizon:g}",
                "tends to",
                "less than 1 % left after",
            ],
            [_row(forecast, each) for each in rows],
            caption=title,
        )
        for title, rows in known
    ]
    refusals = [
        Sentences([f"{_describe(forecast, each)}: {each.refusal}."], wrapped=True)
        for each in (*forecast.logged, *forecast.others)
        if each.refusal
    ]
    unit = Table(
        ["at the first setting", "rounds, with it minus without"],
        [[each.change, describe_interval(each.rounds)] for each in forecast.marginals()],
        caption="What a change of one setting buys",
    )
    fitted, sources = forecast.terms(), forecast.costs()
    terms = Table(
        ["term", "contribution, at most", "verdict"],
        [[each.label, f"{each.contribution.high:.3g}", each.verdict] for each in fitted if each.separate],
        caption=f"Error floor by the terms of {forecast.theorem.name}, with fitted constants",
    )
    costs = Table(
        ["source of error", "rounds, with it minus without", "verdict"],
        [[each.source, describe_interval(each.rounds), each.verdict] for each in sources if each.separate],
        caption=f"What each source of error costs {_setting(forecast, forecast.logged[0])}",
    )
    apart = _not_separate(
        [each.label for each in fitted if not each.separate],
        [each.source for each in sources if not each.separate],
    )
    notes = Sentences([_trust(forecast)], wrapped=True)
    return Report((*lines, *tables, *refusals, unit, costs, terms, *apart, notes))


def _not_separate(terms: Sequence[str], sources: Sequence[str]) -> list[Sentences]:
    """A sentence on the terms and sources that the logged settings do not tell apart."""
    kinds = [f"the terms {join_names(terms)}"] if terms else []
    kinds += [f"the costs of {join_names(sources)}"] if sources else []
    if not kinds:
        return []
    text = f"These settings do not tell apart {' and '.join(kinds)}: log runs at other settings."
    return [Sentences([text], wrapped=True)]


def _shown(forecast: Forecast) -> tuple[str, ...]:
    """The settings that differ between the forecasts."""
    each = [one.settings for one in (*forecast.logged, *forecast.others)]
    return tuple(n for n in SETTINGS if len({s.get(n) for s in each}) > 1)


def _describe(forecast: Forecast, each: SettingForecast) -> str:
    return (
        describe_settings({n: each.settings[n] for n in _shown(forecast) if n in each.settings})
        or "as logged"
    )


def _setting(forecast: Forecast, each: SettingForecast) -> str:
    described = _describe(forecast, each)
    return described if described == "as logged" else f"at {described}"


def _answer(forecast: Forecast) -> str:
    if forecast.target is None:
        first = forecast.logged[0]
        return (
            f"{forecast.quantity} is forecast at {describe_interval(first.later)} in round "
            f"{forecast.horizon:g}, and tends to {describe_interval(first.limit)}, "
            f"{_setting(forecast, first)}."
        )
    answers = [
        each for each in (*forecast.logged, *forecast.others) if each.rounds or each.reached is not None
    ]
    if not answers:
        refusal = (*forecast.logged, *forecast.others)[0].refusal
        return f"No answer for {forecast.quantity} {forecast.target:g}: {refusal}."
    best = min(answers, key=lambda e: e.rounds.value if e.rounds else e.reached or 0.0)
    of, setting = f"{forecast.quantity} {forecast.target:g}", _setting(forecast, best)
    if len(answers) == 1:
        takes = f"takes {describe_interval(best.rounds)} rounds"
        return f"{of} {takes if best.rounds else f'was reached after {best.reached:.3g} rounds'}, {setting}."
    rounds = f"{best.reached:.3g}, in the log" if best.rounds is None else describe_interval(best.rounds)
    return f"{of} takes the fewest rounds, {rounds}, {setting}."


def _row(forecast: Forecast, each: SettingForecast) -> list[str]:
    rounds = "" if forecast.target is None else "refused"
    if each.reached is not None:
        rounds = f"{each.reached:.3g} (logged)"
    elif each.rounds is not None:
        rounds = describe_interval(each.rounds)
    beyond = f"not within {round_grid(forecast.last())[-1]:.3g}"
    exhausted = each.exhausted
    end = beyond if exhausted and not np.isfinite(exhausted.value) else describe_interval(exhausted)
    return [
        _describe(forecast, each),
        rounds,
        describe_interval(each.later),
        describe_interval(each.limit),
        end,
    ]


def _trust(forecast: Forecast) -> str:
    tests = {"the rest of the log": forecast.own_error, "a setting that was left out": forecast.other_error}
    known = [f"{100 * np.expm1(e):.0f} % on {name}" for name, e in tests.items() if np.isfinite(e)]
    text = f"{100 * LEVEL:.0f} % intervals, by block bootstrap"
    if known:
        text += f", widened by the errors in rounds of fits to a part of the log: {', '.join(known)}"
    if forecast.falls_exponentially:
        text += (
            f". {forecast.quantity} falls exponentially here, as on quadratics, which the fitted sum of "
            "a/(1 + u/u_j) does not foresee: these intervals are too narrow (on logs of homogeneous "
            "quadratics 63 % of them covered)"
        )
    text += f". Settings beyond {RANGE:g} times the logged ones are not forecast, and stability is not"
    if forecast.shape.left_out:
        text += f"; not fitted: {', '.join(forecast.shape.left_out)}"
    same = {n: v for n, v in forecast.runs[0].settings.items() if n not in _shown(forecast)}
    return f"{text}. The same everywhere: {describe_settings(same)}." if same else f"{text}."


def _to_dict(each: SettingForecast) -> dict[str, Any]:
    return {
        "settings": each.settings,
        "run": each.logged or None,
        "reached": each.reached,
        "rounds": interval_to_dict(each.rounds),
        "at_horizon": interval_to_dict(each.later),
        "limit": interval_to_dict(each.limit),
        "pointless_after": interval_to_dict(each.exhausted),
        "refusal": each.refusal,
    }
