"""The record that a figure draws: read where it is there, made where it is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.arguments import FigureRequest

if TYPE_CHECKING:
    from boundkit.analysis.progress import Progress
    from boundkit.verification.tabular_result import TabularResult

RECORDS = Path("out/records")
"""Where records are kept where nobody says."""


def recorded(
    request: FigureRequest, demonstration: str, make: Callable[[Progress], TabularResult] | None = None
) -> tuple[TabularResult, Path]:
    """The demonstration that a figure shows, and its record: ``--record FILE``, else in ``--records DIR``.

    A record in the folder that another version of boundkit wrote is made anew; a file that was named is
    drawn as it is. ``make`` stands for the demonstration of that name where there is none. Raises
    BoundkitError where the file is a record of something else.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.studies.demonstration_records import is_current, read_demonstration, write_demonstration

    named: Path | None = request.options.get("record")
    file = named or folder_of(request) / f"{demonstration}.json"
    if named.is_file() if named else is_current(file):
        result = read_demonstration(file)
        if result.name != demonstration:
            raise BoundkitError(f"{file} is a record of {result.name}, not of {demonstration}.")
        return result, file
    from boundkit.cli.progress import progress

    refuse_unwritable(file)
    with progress(demonstration) as report_progress:
        made = _demonstrated(demonstration, report_progress) if make is None else make(report_progress)
    return write_demonstration(made, file), file


@contextmanager
def drawing(figure: str, file: Path | None) -> Iterator[None]:
    """Say of a record that is written well, but is of another shape, that it cannot be drawn.

    Raises BoundkitError in place of what a figure trips over, where there is a file.
    """
    from boundkit.algebra import BoundkitError

    try:
        yield
    except BoundkitError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if file is None:
            raise
        raise BoundkitError(f"{file} is not a record that {figure} can draw.") from error


def folder_of(request: FigureRequest) -> Path:
    """Where records are kept."""
    return Path(request.options.get("records") or RECORDS)


def refuse_unwritable_records(folder: Path) -> None:
    """Refuse a folder of records that is not there and cannot be made, before anything is drawn.

    One that is there may hold all records that are needed, so it is tested where one is missing.
    """
    from boundkit.simulation.atomic_files import refuse_unwritable

    if not folder.is_dir():
        refuse_unwritable(folder / "record.json")


def _demonstrated(name: str, report_progress: Progress) -> TabularResult:
    from boundkit.studies.demonstrations import demonstrate

    return demonstrate(name, progress=report_progress)
