"""Answers of a forecast: at a setting, of a term, of one more unit, and of a source of error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.report.formatting import json_values
from boundkit.simulation.confidence_interval import Estimate
from boundkit.studies.forecast.fit import Settings

LEVEL = 0.9
"""Of intervals."""
RANGE = 2.0
"""How far beyond the logged values of a setting a forecast goes, as a factor."""


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


@dataclass(frozen=True)
class FittedCost:
    """What a source of error costs: rounds to the target minus those without its terms, by the fits.

    ``separate``: whether the logged settings tell its terms apart from the others and the minimum.
    """

    source: str
    settings: Settings
    rounds: Estimate
    separate: bool

    @property
    def verdict(self) -> str:
        """What the data say of the cost."""
        if not self.separate:
            return "not told apart from the others by these settings"
        return "costs" if self.rounds.low > 0 else "not told apart from 0"


def describe_interval(estimate: Estimate | None) -> str:
    """An estimate with its interval, in three digits."""
    if estimate is None:
        return ""
    high = f"{estimate.high:.3g}]" if np.isfinite(estimate.high) else "no end)"
    return f"{estimate.value:.3g} [{estimate.low:.3g}, {high}"


def interval_to_dict(estimate: Estimate | None) -> dict[str, Any] | None:
    """An estimate with its interval, for JSON."""
    if estimate is None:
        return None
    return {name: json_values(getattr(estimate, name)) for name in ("value", "low", "high")}
