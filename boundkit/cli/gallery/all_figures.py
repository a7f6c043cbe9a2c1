"""The whole gallery: every figure as PDF, SVG, PNG and CSV in one folder, with a page that shows them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.cli.gallery.recorded import RECORDS, refuse_unwritable_records
from boundkit.figures.gallery import GALLERY
from boundkit.figures.gallery_page import SUFFIXES, Drawn

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureRequest

LIST = "gallery.json"
"""The list of the figures in a folder."""


@dataclass(frozen=True)
class Panel:
    """A figure to draw: the name of its files, what it shows, and the words after ``boundkit figure``.

    ``options``: further words, the place of its records, which the command on the page does not need.
    """

    name: str
    shows: str
    line: tuple[str, ...]
    options: tuple[str, ...] = ()

    def command(self, preset: str) -> str:
        """What a user types for it."""
        chosen = () if preset == "presentation" else ("--preset", preset)
        return shlex.join(["boundkit", "figure", *self.line, *chosen])


class GalleryFolder:
    """The figures in a folder: their files, and the words, preset and record of each."""

    def __init__(self, folder: Path, preset: str, fresh: bool) -> None:
        """Take the folder, which is new, empty, or a gallery's.

        Raises BoundkitError where it holds something else, or cannot be written.
        """
        self.folder, self.preset, self.fresh = folder, preset, fresh
        self.file = folder / LIST
        self._refuse_foreign()
        try:
            figures = json.loads(read_text(self.file, MOST_RECORD))
        except (OSError, ValueError, RecursionError):
            figures = None
        self.figures: dict[str, Any] = figures if isinstance(figures, dict) else {}
        self._write()  # from now on the folder is a gallery's, wherever drawing is stopped

    def stored(self, one: Panel) -> Drawn | None:
        """The figure where it is there, whole, and as it would be drawn now."""
        match self.figures.get(one.name):
            case {"of": of, "record": None | str() as stored, "fell_short": bool() as fell_short}:
                paths = tuple(self.folder / f"{one.name}{suffix}" for suffix in SUFFIXES)
                record = None if stored is None else Path(stored)
                if self.fresh or of != self._inputs(one) or not _is_newer(paths, record):
                    return None
                return Drawn(one.name, one.shows, one.command(self.preset), paths, fell_short)
        return None

    def put(self, one: Panel, paths: Sequence[Path], record: Path | None, fell_short: bool) -> Drawn:
        """Say that the figure is finished."""
        self.figures[one.name] = {
            "of": self._inputs(one), "files": [path.name for path in paths],
            "record": None if record is None else str(record), "fell_short": fell_short,
        }  # fmt: skip
        self._write()
        return Drawn(one.name, one.shows, one.command(self.preset), tuple(paths), fell_short)

    def _refuse_foreign(self) -> None:
        from boundkit.algebra import BoundkitError
        from boundkit.simulation.atomic_files import remove_abandoned

        remove_abandoned(self.folder)
        if self.folder.is_dir() and not self.file.is_file():
            for present in sorted(path.name for path in self.folder.iterdir()):
                raise BoundkitError(
                    f"{self.folder} holds other things than a gallery, such as {present}; name a new folder."
                )

    def _write(self) -> None:
        from boundkit.simulation.atomic_files import write_text

        write_text(self.file, json.dumps(self.figures, indent=1) + "\n")

    def _inputs(self, one: Panel) -> list[str]:
        from boundkit.verification.record import versions

        return [*one.line, *one.options, self.preset, versions().get("boundkit", "")]


def _is_newer(paths: Sequence[Path], record: Path | None) -> bool:
    """Whether all files are there, and at least as young as the record, which must be there, too."""
    if not all(path.is_file() for path in (*paths, *([] if record is None else [record]))):
        return False
    return record is None or min(path.stat().st_mtime for path in paths) >= record.stat().st_mtime


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
    from boundkit.cli.gallery.recorded import summarise
    from boundkit.cli.progress import progress
    from boundkit.figures.style import check_preset

    folder, stored = Path(folder), Path(records or RECORDS)
    check_preset(preset)
    refuse_unwritable_records(stored)
    gallery = GalleryFolder(folder, preset, fresh)
    panels = _figures(stored)
    theorems = _theorems(stored, jobs) if every_theorem else []
    result = {one.name: there for one in (*panels, *theorems) if (there := gallery.stored(one)) is not None}
    todo = [one for one in (*panels, *theorems) if one.name not in result]
    summarise([one.name for one in todo], stored, jobs)
    with progress("draw") as report_progress:
        report_progress(0, len(todo))
        for count, (one, drawn) in enumerate(_drawn(todo, folder, preset, jobs), start=1):
            result[one.name] = gallery.put(one, *drawn)
            _write_page(folder, preset, *(_there(result, part) for part in (panels, theorems)))
            report_progress(count, len(todo))
    _write_page(folder, preset, *(_there(result, part) for part in (panels, theorems)))
    return [result[one.name] for one in (*panels, *theorems)]


def _figures(records: Path) -> list[Panel]:
    places = {
        name: ("--records", str(records)) if "records" in e.options else () for name, e in GALLERY.items()
    }
    return [
        Panel(file, e.shows, (name, *words), places[name])
        for name, e in GALLERY.items()
        for file, words in e.examples(name).items()
    ]


def _theorems(records: Path, jobs: int | None) -> list[Panel]:
    """Bound against run of every theorem whose record has curves; missing records are made first."""
    from boundkit.cli.gallery.recorded import every_record
    from boundkit.cli.progress import progress

    folder = records / "verified"
    with progress("verify") as report_progress:
        every = every_record(folder, jobs, report_progress)
    shown = [record.theorem for record in every if record.curves is not None]
    return [
        Panel(
            f"bound_against_run_{name}", f"the bound of {name}, by cause, and its run",
            ("bound_against_run", name, "--record", str(folder / f"{name}.nc")),
        )
        for name in shown
    ]  # fmt: skip


def _drawn(
    todo: Sequence[Panel], folder: Path, preset: str, jobs: int | None
) -> Iterator[tuple[Panel, tuple[list[Path], Path | None, bool]]]:
    """Each figure as it is finished; those that may have to make a record begin first."""
    from boundkit.simulation.sweeps.parallel_map import map_parallel

    order = sorted(todo, key=lambda one: not one.options)
    for place, drawn in map_parallel(draw_one, [(one, folder, preset) for one in order], jobs):
        yield order[place], drawn


def draw_one(one: Panel, folder: Path, preset: str) -> tuple[list[Path], Path | None, bool]:
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


def _there(result: Mapping[str, Drawn], panels: Sequence[Panel]) -> list[Drawn]:
    return [result[one.name] for one in panels if one.name in result]


def _write_page(folder: Path, preset: str, figures: Sequence[Drawn], theorems: Sequence[Drawn]) -> None:
    from boundkit.figures.gallery_page import page
    from boundkit.simulation.atomic_files import write_text

    more = shlex.join(["boundkit", "figure", "--all", "--out", str(folder), "--every-theorem"])
    write_text(folder / "index.html", page(figures, theorems, more, preset))
