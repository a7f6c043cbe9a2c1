"""The kept records of demonstrations, and their figures, each read and drawn once."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from boundkit.cli.gallery.makers import DEMONSTRATIONS
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.verification.tabular_result import TabularResult
from tests.figures.pictures import drawn

RECORDS = Path(__file__).resolve().parents[2] / "examples" / "records"


@cache
def record_of(figure: str) -> TabularResult:
    return read_demonstration(RECORDS / f"{DEMONSTRATIONS[figure]}.json")


@cache
def page_of(figure: str, preset: str = "hall") -> Figure:
    return drawn(import_module(f"boundkit.figures.{figure}").figure(record_of(figure), preset))
