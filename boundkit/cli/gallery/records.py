"""The record that a figure draws: read where it exists, and made where it is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.gallery.arguments import FigureRequest

if TYPE_CHECKING:
    from boundkit.analysis.progress import Progress
    from boundkit.verification.record import Record
    from boundkit.verification.tabular_result import TabularResult

RECORDS = Path("out/records")
"""The default folder of records."""
PACKAGED = Path(__file__).parents[2] / "examples" / "records"
"""The records that come with boundkit, drawn where the default folder has none."""
SUMMARISED = ("rates", "tightness")
"""Figures that draw the record of all verdicts."""
OPTIONS: dict[str, Any] = {"engine": "auto", "replicas": 100, "device": "cpu", "dtype": "float64",
                           "slopes": True, "quick": True}  # fmt: skip
"""Those of ``boundkit verify --all --quick --slopes``, whose records are taken where they are there."""


def recorded(
    request: FigureRequest, demonstration: str, make: Callable[[Progress], TabularResult] | None = None
) -> tuple[TabularResult, Path]:
    """The demonstration that a figure shows, and its record: ``--record FILE``, else in ``--records DIR``.

    Where the default folder has none of this version of boundkit, that of the package is drawn. Else a
    missing one is made; a file that was named is drawn as it is. ``make`` computes the result where no
    demonstration has that name. Raises BoundkitError where the file is a record of something else.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.studies.demonstration_records import is_current, read_demonstration, write_demonstration

    named: Path | None = request.options.get("record")
    file = named or folder_of(request) / f"{demonstration}.json"
    packaged = PACKAGED / file.name
    if named is None and file.parent == RECORDS and not is_current(file) and is_current(packaged):
        file = packaged
    if named.is_file() if named else is_current(file):
        result = read_demonstration(file)
        if result.name != demonstration:
            raise BoundkitError(f"{file} is a record of {result.name}, not of {demonstration}.")
        return result, file
    from boundkit.cli.progress import progress

    refuse_new_folder_of_package(file.parent)
    refuse_unwritable(file)
    with progress(demonstration) as report_progress:
        made = _demonstrated(demonstration, report_progress) if make is None else make(report_progress)
    result = write_demonstration(made, file)
    request.computed[file] = demonstration
    return result, file


@contextmanager
def drawing(figure: str, file: Path | None) -> Iterator[None]:
    """Refuse a valid record of another shape.

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
    """The folder of records."""
    return Path(request.options.get("records") or RECORDS)


def refuse_unwritable_records(folder: Path) -> None:
    """Refuse a folder of records that is not there and cannot be made, before anything is drawn.

    One that is there may hold all records that are needed, so it is tested where one is missing.
    """
    from boundkit.simulation.atomic_files import refuse_unwritable

    refuse_new_folder_of_package(folder)
    if not folder.is_dir():
        refuse_unwritable(folder / "record.json")


def refuse_new_folder_of_package(folder: Path) -> None:
    """Raise BoundkitError for a missing folder inside the package, as a misspelt examples/records is.

    The examples of a checkout are a link into the package.
    """
    import boundkit
    from boundkit.algebra import BoundkitError

    package = Path(boundkit.__file__).resolve().parent
    if folder.is_dir() or not folder.resolve().is_relative_to(package):
        return
    missing = next(path for path in (*reversed(folder.parents), folder) if not path.is_dir())
    near = get_close_matches(missing.name, [p.name for p in missing.parent.glob("*") if p.is_dir()], 1)
    raise BoundkitError(
        f"{missing} is no folder, and none is created inside the package boundkit; "
        + (f"did you mean {missing.parent / near[0]}?" if near else "name another one.")
    )


def _demonstrated(name: str, report_progress: Progress) -> TabularResult:
    from boundkit.studies.demonstrations import demonstrate

    return demonstrate(name, progress=report_progress)


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
