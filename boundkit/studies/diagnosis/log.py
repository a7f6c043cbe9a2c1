"""Diagnosis of a log: what each source of error costs, in rounds to a target, by fitted constants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.report import Report, Reported, Sentences, Table
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.training_log import describe_settings
from boundkit.studies.forecast import ALL_SOURCES, FittedCost, Forecast
from boundkit.studies.forecast.answers import describe_interval, interval_to_dict


@dataclass(frozen=True, repr=False)
class LogDiagnosis(Reported):
    """What each source of error costs at each logged setting: rounds to the target minus those without it.

    Raises BoundkitError for a forecast without a target.
    """

    forecast: Forecast

    def __post_init__(self) -> None:
        if self.forecast.target is None:
            raise BoundkitError("a log is diagnosed by rounds to a target: give one, as in target=0.4.")

    @cached_property
    def costs(self) -> tuple[tuple[Estimate, tuple[FittedCost, ...]], ...]:
        """Rounds to the target and the costs, for each logged setting."""
        settings = [each.settings for each in self.forecast.logged]
        return tuple(
            (self.forecast.quantiles(self.forecast.passages(one).tolist()), self.forecast.costs(one))
            for one in settings
        )

    @property
    def worst(self) -> FittedCost | None:
        """The largest cost that the log supports; None where it supports none."""
        single = [
            c for _, costs in self.costs for c in costs if c.verdict == "costs" and c.source != ALL_SOURCES
        ]
        return max(single, key=lambda cost: cost.rounds.value, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The whole result for JSON."""
        return {
            "target": self.forecast.target,
            "theorem": self.forecast.theorem.name,
            "worst": None if self.worst is None else self.worst.source,
            "settings": [
                {
                    "settings": each.settings,
                    "rounds": interval_to_dict(rounds),
                    "costs": [
                        {"source": c.source, "rounds": interval_to_dict(c.rounds), "found": c.verdict}
                        for c in costs
                    ],
                }
                for each, (rounds, costs) in zip(self.forecast.logged, self.costs, strict=True)
            ],
        }

    def report(self) -> Report:
        """The largest cost, then all of them."""
        shown = [n for n in self.forecast.runs[0].settings if n in self.forecast.varied]
        rows = []
        for each, (rounds, costs) in zip(self.forecast.logged, self.costs, strict=True):
            name = describe_settings({n: each.settings[n] for n in shown}) or "as logged"
            for k, cost in enumerate(costs):
                known = describe_interval(cost.rounds) if cost.separate else ""
                first = [name, describe_interval(rounds)] if not k else ["", ""]
                rows.append([*first, cost.source, known, cost.verdict])
        header = ["setting", "rounds", "source of error", "rounds, with it minus without", "verdict"]
        caption = f"Rounds to {self.forecast.quantity} {self.forecast.target:g}, by fitted constants"
        terms = (
            f"The sources are the terms of {self.forecast.theorem.name}; client drift includes that long "
            "local work makes less progress a step."
        )
        return Report((
            Sentences([self._answer()], wrapped=True), Table(header, rows, caption=caption),
            Sentences([terms], wrapped=True),
        ))  # fmt: skip

    def _answer(self) -> str:
        worst = self.worst
        if worst is not None:
            at = describe_settings({n: worst.settings[n] for n in self.forecast.varied})
            where = f" at {at}" if at else ""
            lost = describe_interval(worst.rounds)
            if not np.isfinite(worst.rounds.value):
                return f"Most is lost to {worst.source}{where}: with it the target is not reached."
            return f"Most is lost to {worst.source}{where}: {lost} rounds."
        if any(cost.separate for _, costs in self.costs for cost in costs):
            return "No source of error has a cost that this log tells apart from 0."
        constants, settings = len(self.forecast.shape.terms) + 1, len(self.forecast.logged)
        has = "1 setting" if settings == 1 else f"{settings} settings"
        return (
            f"This log does not tell the sources of error apart: there are {constants} constants, and it has "
            f"{has}; log runs at other values of m, C, tau and eta, and give all logs together, as in "
            "A.csv B.csv."
        )
