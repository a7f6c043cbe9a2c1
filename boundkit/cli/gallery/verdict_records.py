"""The record of all verdicts, for figures over the whole catalogue."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.gallery.arguments import FigureRequest
from boundkit.cli.gallery.recorded import folder_of, recorded

if TYPE_CHECKING:
    from boundkit.analysis.progress import Progress
    from boundkit.verification.record import Record
    from boundkit.verification.tabular_result import TabularResult

SUMMARISED = ("rates", "tightness")
"""Figures that draw the record of all verdicts."""
OPTIONS: dict[str, Any] = {"engine": "auto", "replicas": 100, "device": "cpu", "dtype": "float64",
                           "slopes": True, "quick": True}  # fmt: skip
"""Those of ``boundkit verify --all --quick --slopes``, whose records are taken where they are there."""


def verified(request: FigureRequest, jobs: int | None = None) -> tuple[TabularResult, Path]:
    """The summary of all verdicts, and its file.

    Where it is missing, ``boundkit verify --all --quick --slopes`` runs, in ``jobs`` processes (by default
    on all processors), and leaves its records in the folder ``verified`` beside it; a second call goes on
    there.
    """
    from boundkit.studies.verdict_summary import NAME, summarize_verdicts

    request.no_words()

    def make(report_progress: Progress) -> TabularResult:
        records = every_record(folder_of(request) / NAME, jobs, report_progress)
        return summarize_verdicts(records, algorithms(), quick=True)

    return recorded(request, NAME, make)


def summarise(figures: Collection[str], records: Path, jobs: int | None) -> None:
    """Make the record of all verdicts, if a figure draws it, before the rest: it takes all workers itself."""
    if any(name in SUMMARISED for name in figures):
        verified(FigureRequest(SUMMARISED[0], (), "presentation", {"records": records}), jobs)


def every_record(folder: Path, jobs: int | None, report_progress: Progress) -> list[Record]:
    """The records of all theorems, in the order of the catalogue; those that are there are not made again."""
    from boundkit.cli.options import workers_of
    from boundkit.theorems import catalogue
    from boundkit.verification.verdict_sweep import verify_all

    options: dict[str, Any] = workers_of(jobs, None, None)
    theorems = list(catalogue().values())
    order = {theorem.name: place for place, theorem in enumerate(theorems)}
    records: list[Record] = []
    report_progress(0, len(theorems))
    for record in verify_all(theorems, out=folder, **options, **OPTIONS):
        records.append(record)
        report_progress(len(records), len(theorems))
    return sorted(records, key=lambda record: order[record.theorem])


def algorithms() -> dict[str, str]:
    """The algorithm of each theorem."""
    from boundkit.theorems import catalogue

    return {name: theorem.algorithm for name, theorem in catalogue().items()}
