"""The kept records of demonstrations, and their figures, each read and drawn once."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from boundkit.studies.demonstration_records import read_demonstration
from boundkit.verification.tabular_result import TabularResult
from tests.figures.pictures import drawn

RECORDS = Path(__file__).resolve().parents[2] / "examples" / "records"
FIGURES = {
    "availability": "who_is_away",
    "client_drift": "client_drift",
    "clipping": "clipping",
    "cyclic": "turns",
    "fedexp_step": "fedexp_step",
    "partial_participation": "memory_floors",
    "power_of_choice": "more_candidates",
    "surrogate_paths": "surrogate_paths",
}
"""Figures of demonstrations, each with the name of its record."""


@cache
def record_of(figure: str) -> TabularResult:
    return read_demonstration(RECORDS / f"{FIGURES[figure]}.json")


@cache
def page_of(figure: str, preset: str = "hall") -> Figure:
    return drawn(import_module(f"boundkit.figures.{figure}").figure(record_of(figure), preset))
