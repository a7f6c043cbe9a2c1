"""The pictures of a lecture: each for light, dark and narrow pages, with its numbers, from one record."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.recorded import RECORDS
from boundkit.figures.gallery import GALLERY, check_figure

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureResult
    from boundkit.lecture.parts import Figure
    from boundkit.lecture.site import Drawing

PRESETS = {"light": "presentation", "dark": "dark", "narrow": "paper"}
"""Of the figures' presets, the one for each ground of a page, and that of one column for a phone."""


def draw_pictures(
    pictures: Sequence[Figure],
    records: Path | None,
    jobs: int | None,
    report_progress: Callable[[int, int], None],
) -> tuple[dict[Figure, Drawing], dict[str, bytes]]:
    """Where each picture stands in the site, and the files of all of them.

    A missing record is made; ``jobs``: processes that share the pictures. Raises BoundkitError as the
    figures do.
    """
    from boundkit.cli.gallery.verdict_records import summarise
    from boundkit.simulation.atomic_files import remove_abandoned
    from boundkit.simulation.sweeps.parallel_map import map_parallel

    folder = records or RECORDS
    remove_abandoned(Path(tempfile.gettempdir()))  # where the workers draw
    summarise([picture.figure for picture in pictures], folder, jobs)
    drawings: dict[Figure, Drawing] = {}
    files: dict[str, bytes] = {}
    for done, (place, (drawing, written)) in enumerate(
        map_parallel(_draw, [(p, folder) for p in pictures], jobs)
    ):
        drawings[pictures[place]] = drawing
        files |= written
        report_progress(done + 1, len(pictures))
    return drawings, files


def _draw(picture: Figure, records: Path) -> tuple[Drawing, dict[str, bytes]]:
    from boundkit.cli.progress import silent
    from boundkit.figures.save import save
    from boundkit.lecture.site import Drawing
    from boundkit.simulation.atomic_files import temporary_folder

    name = "_".join([picture.figure, *(word for word in picture.arguments if word.isidentifier())])
    places: dict[str, str] = {}
    files: dict[str, bytes] = {}
    with temporary_folder(Path(tempfile.gettempdir())) as folder, silent():
        for side, preset in PRESETS.items():
            made = _made(picture, preset, records)
            for path in save(made.page, folder / f"{name}_{side}.svg"):
                places[side] = f"pictures/{path.name}"
                files[places[side]] = path.read_bytes()
        data = folder / f"{name}.csv"
        save(made.page, data, made.columns)
        files[f"pictures/{data.name}"] = data.read_bytes()
    return Drawing(**places, data=f"pictures/{data.name}"), files


def _made(picture: Figure, preset: str, records: Path) -> FigureResult:
    from boundkit.cli.gallery.arguments import parsed
    from boundkit.cli.gallery.makers import make

    entry = GALLERY[check_figure(picture.figure)]
    words = picture.arguments or entry.example
    arguments: list[str] = ["--records", str(records)] if "records" in entry.options else []
    return make(parsed([picture.figure, *words, *arguments, "--preset", preset]))
