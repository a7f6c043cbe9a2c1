"""Runs that can be fitted together, and the theorem whose terms are fitted to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.training_log import ROUND, RUN, SETTINGS, LoggedRun, check_settings

_LEAST_DESCENT = 0.1
_NO_LOSS = {
    *SETTINGS, ROUND, RUN, "clients", "cosine", "weight_sum", "largest_weight", "fewest_steps", "most_steps",
    "noise", "dissimilarity",
}  # fmt: skip
"""Columns of a log that do not fall to a minimum as a loss does."""
_LARGEST = 1e100
"""Largest value whose square is a number."""


def check_runs(runs: Sequence[LoggedRun], quantity: str) -> None:
    """Check that runs can be fitted together.

    Raises BoundkitError, one sentence, for runs of several algorithms, unlike known settings, runs whose
    rounds are those of another, and runs that do not fall.
    """
    if quantity in _NO_LOSS:
        raise BoundkitError(
            f"{quantity} is no loss, but a forecast is of a quantity that falls to a minimum, such as loss "
            "or gradient_norm_squared."
        )
    algorithms = sorted({run.algorithm for run in runs if run.algorithm})
    if len(algorithms) > 1:
        raise BoundkitError(
            f"the log has runs of {' and '.join(algorithms)}; forecast one algorithm at a time."
        )
    _refuse_repetition(runs)
    for run in runs:
        least, most = float(run.values.min()), float(run.values.max())
        if least < 0 or most > _LARGEST or (0 < most < 1 / _LARGEST):
            raise BoundkitError(
                f"{quantity} of {run.name} lies between {least:.3g} and {most:.3g}, but a forecast needs "
                "values of at least 0 and of usual size: shift or scale it, or leave the run out."
            )
        if run.settings.keys() != runs[0].settings.keys():
            (name, *_) = sorted(run.settings.keys() ^ runs[0].settings.keys())
            has, lacks = (run, runs[0]) if name in run.settings else (runs[0], run)
            raise BoundkitError(f"{has.name} has {name} and {lacks.name} has not; give it for all.")
        start, end = float(run.values[0]), float(np.median(run.values[-max(3, len(run.values) // 4) :]))
        wiggle = float(np.median(np.abs(np.diff(run.values))))
        if end > start + wiggle:
            why = (
                ": it does not converge, so no forecast is made; leave the run out, or log one with smaller "
                "steps."
                if "loss" in quantity.lower()
                else ", but a forecast is of a quantity that falls: take the loss, or log what is left, such "
                "as 1 - accuracy."
            )
            raise BoundkitError(f"{quantity} of {run.name} rises from {start:.3g} to {end:.3g}{why}")
    falls = [run.values[0] - np.median(run.values[-max(3, len(run.values) // 4) :]) for run in runs]
    if max(falls) < _LEAST_DESCENT * max(abs(float(run.values[0])) for run in runs):
        raise BoundkitError(
            f"{quantity} falls by less than {100 * _LEAST_DESCENT:.0f} % in every run: it is too early for a "
            "forecast."
        )


def _refuse_repetition(runs: Sequence[LoggedRun]) -> None:
    """Raise BoundkitError for a run all of whose rows another run of the same settings has, too."""
    rows = [set(zip(run.rounds.tolist(), run.values.tolist(), strict=True)) for run in runs]
    for k, run in reversed([*enumerate(runs)]):
        for j, other in enumerate(runs):
            alike = (run.settings, run.algorithm) == (other.settings, other.algorithm)
            if j != k and alike and rows[k] <= rows[j]:
                raise BoundkitError(
                    f"all rounds of {run.name} are rounds of {other.name} with the same values, and would "
                    "count twice; leave one of the two out."
                )


def check_logs(paths: Sequence[str | Path]) -> None:
    """Raise BoundkitError for a file that is named twice, whose rows would count twice."""
    places = [Path(path).resolve() for path in paths]
    for k, path in enumerate(places):
        if path in places[:k]:
            raise BoundkitError(f"{paths[k]} is given twice, and its rounds would count twice; give it once.")


def check_requested_settings(settings: Mapping[str, Any], runs: Sequence[LoggedRun]) -> dict[str, float]:
    """Settings to forecast at; numbers of clients and of local steps are whole, or those of a logged run."""
    checked = check_settings(settings)
    for name in ("m", "tau"):
        value = checked.get(name, 1.0)
        if value != int(value) and value not in [run.settings.get(name) for run in runs]:
            raise BoundkitError(f"{name} must be a whole number, but {value:g} was given.")
    return checked


def default_theorem(runs: Sequence[LoggedRun]) -> str:
    """The theorem whose terms are fitted where none is named."""
    if any(run.algorithm == "scaffold" for run in runs):
        return "scaffold_nonconvex_partial_explicit"
    return "fedavg_nonconvex_partial"
