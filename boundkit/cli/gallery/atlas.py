"""``boundkit figure atlas [THEOREM...]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult

if TYPE_CHECKING:
    from pathlib import Path

    from boundkit.analysis.progress import Progress
    from boundkit.verification.tabular_result import TabularResult

EVERY = 10
"""Where no terminal shows a bar, a line is said every so many theorems."""


def make(request: FigureRequest) -> FigureResult:
    """The tightness atlas, of some theorems or of all: the package's own record, unless one was named."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.figures.atlas import figure
    from boundkit.theorems import theorem

    for word in request.values:
        raise BoundkitError(f"{request.name} takes names of theorems, so {word!r} must not be given.")
    names = [theorem(name).name for name in request.names]  # an unknown one is refused before anything runs
    result, file = _read_or_compute(request)
    with drawing(request.name, file):
        return FigureResult(
            figure(result, request.preset, names), names or None, record=file, columns=result.columns
        )


def _read_or_compute(request: FigureRequest) -> tuple[TabularResult, Path]:
    from boundkit.attack.atlas import FILE, NAME
    from boundkit.cli.gallery.recorded import folder_of, recorded
    from boundkit.studies.demonstration_records import is_current, read_demonstration

    named = request.options.get("record") or is_current(folder_of(request) / FILE.name)
    if FILE.is_file() and not named:
        return read_demonstration(FILE), FILE
    return recorded(request, NAME, made)


def made(report_progress: Progress) -> TabularResult:
    """The record made anew, in minutes: a bar, or a line now and then where no terminal shows one."""
    from boundkit.attack.atlas import compute_record
    from boundkit.cli.progress import logged

    def report_run(done: int, total: int) -> None:
        report_progress(done, total)
        if done % EVERY == 0:
            logged(f"atlas: {done} of {total} theorems")

    return compute_record(report_run)
