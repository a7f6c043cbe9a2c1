"""The whole gallery: every figure as PDF, SVG, PNG and CSV in one folder, with a page that shows them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.output_folder import Shelf, Wanted
from boundkit.cli.gallery.recorded import RECORDS, refuse_unwritable_records
from boundkit.figures.gallery import GALLERY
from boundkit.figures.gallery_page import Drawn

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureRequest


def draw_all(
    folder: str | Path,
    preset: str = "presentation",
    records: str | Path | None = None,
    *,
    every_theorem: bool = False,
    jobs: int | None = 1,
    fresh: bool = False,
) -> list[Drawn]:
    """Draw the gallery into a folder, with ``index.html``; in the order of the gallery.

    ``records``: where records are kept; those that are missing are made. ``every_theorem`` adds bound
    against run for each theorem that was tested on a run. ``jobs``: workers, None for all processors.
    What the folder has already, in this preset and not older than its record, is kept, unless ``fresh``;
    stopping in the middle loses nothing that is finished.

    Raises BoundkitError for an unknown preset, where the folder holds something else than a gallery, or
    where it cannot be written.
    """
    from boundkit.cli.gallery.verdict_records import summarise
    from boundkit.cli.progress import progress
    from boundkit.figures.style import check_preset

    folder, stored = Path(folder), Path(records or RECORDS)
    check_preset(preset)
    refuse_unwritable_records(stored)
    shelf = Shelf(folder, preset, fresh)
    wanted = _figures(stored)
    theorems = _theorems(stored, jobs) if every_theorem else []
    result = {one.name: there for one in (*wanted, *theorems) if (there := shelf.stored(one)) is not None}
    todo = [one for one in (*wanted, *theorems) if one.name not in result]
    summarise([one.name for one in todo], stored, jobs)
    with progress("draw") as report_progress:
        report_progress(0, len(todo))
        for count, (one, drawn) in enumerate(_drawn(todo, folder, preset, jobs), start=1):
            result[one.name] = shelf.put(one, *drawn)
            _write_page(folder, preset, *(_there(result, part) for part in (wanted, theorems)))
            report_progress(count, len(todo))
    _write_page(folder, preset, *(_there(result, part) for part in (wanted, theorems)))
    return [result[one.name] for one in (*wanted, *theorems)]


def _figures(records: Path) -> list[Wanted]:
    places = {
        name: ("--records", str(records)) if "records" in e.options else () for name, e in GALLERY.items()
    }
    return [
        Wanted(file, e.shows, (name, *words), places[name])
        for name, e in GALLERY.items()
        for file, words in e.examples(name).items()
    ]


def _theorems(records: Path, jobs: int | None) -> list[Wanted]:
    """Bound against run of every theorem whose record has curves; missing records are made first."""
    from boundkit.cli.gallery.verdict_records import every_record
    from boundkit.cli.progress import progress

    folder = records / "verified"
    with progress("verify") as report_progress:
        every = every_record(folder, jobs, report_progress)
    shown = [record.theorem for record in every if record.curves is not None]
    return [
        Wanted(
            f"bound_against_run_{name}", f"the bound of {name}, by cause, and its run",
            ("bound_against_run", name, "--record", str(folder / f"{name}.nc")),
        )
        for name in shown
    ]  # fmt: skip


def _drawn(
    todo: Sequence[Wanted], folder: Path, preset: str, jobs: int | None
) -> Iterator[tuple[Wanted, tuple[list[Path], Path | None, bool]]]:
    """Each figure as it is finished; those that may have to make a record begin first."""
    from boundkit.simulation.sweeps.parallel_map import map_parallel

    order = sorted(todo, key=lambda one: not one.options)
    for place, drawn in map_parallel(draw_one, [(one, folder, preset) for one in order], jobs):
        yield order[place], drawn


def draw_one(one: Wanted, folder: Path, preset: str) -> tuple[list[Path], Path | None, bool]:
    """Draw one figure into the folder: its files, its record, and whether a check fell short."""
    from boundkit.cli.gallery.arguments import parsed
    from boundkit.cli.gallery.makers import make
    from boundkit.cli.progress import silent
    from boundkit.figures.save import save

    request: FigureRequest = parsed([*one.line, *one.options, "--preset", preset])
    with silent():
        made = make(request)
    named = request.options.get("record") if made.record is None else made.record
    return save(made.page, folder / one.name, made.columns), named, bool(made.code)


def _there(result: Mapping[str, Drawn], wanted: Sequence[Wanted]) -> list[Drawn]:
    return [result[one.name] for one in wanted if one.name in result]


def _write_page(folder: Path, preset: str, figures: Sequence[Drawn], theorems: Sequence[Drawn]) -> None:
    from boundkit.figures.gallery_page import page
    from boundkit.simulation.atomic_files import replacing

    more = shlex.join(["boundkit", "figure", "--all", "--out", str(folder), "--every-theorem"])
    with replacing(folder / "index.html") as beside:
        beside.write_text(page(figures, theorems, more, preset), encoding="utf-8")
