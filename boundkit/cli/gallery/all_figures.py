"""The whole gallery: every figure as PDF, SVG, PNG and CSV in one folder, with a page that shows them.

The page is one HTML file without scripts; it follows the light or dark of the reader's screen.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from struct import unpack
from typing import TYPE_CHECKING, Any

from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.cli.gallery.records import RECORDS, refuse_unwritable_records
from boundkit.figures.gallery import GALLERY
from boundkit.figures.style import ALGORITHM_LOOKS

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureRequest


LIST = "gallery.json"
"""The list of the figures in a folder."""

SUFFIXES = (".pdf", ".svg", ".png", ".csv")
"""The files of a figure, in the order in which a reader sees them."""


@dataclass(frozen=True)
class GalleryFigure:
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


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of the gallery: its name, what it shows, the command that draws it, and its files.

    ``fell_short``: whether a check that ran for it did.
    """

    name: str
    shows: str
    command: str
    paths: tuple[Path, ...]
    fell_short: bool = False

    def path(self, suffix: str) -> Path:
        """The file of one format, such as ".png"."""
        return next(path for path in self.paths if path.suffix == suffix)

    @property
    def title(self) -> str:
        """The name in words, those of algorithms as papers write them."""
        name, _, along = self.name.rpartition("_against_")
        if along not in ALPHABET:  # a part of the name, as in bound_against_run
            name, along = self.name, ""
        words = [ALGORITHM_LOOKS[word].title if word in ALGORITHM_LOOKS else word for word in name.split("_")]
        title = " ".join([*words, *(["against", along] if along else [])])
        return title[0].upper() + title[1:]


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

    def stored(self, one: GalleryFigure) -> DrawnFigure | None:
        """The figure where it is there, whole, and as it would be drawn now."""
        match self.figures.get(one.name):
            case {"of": of, "record": None | str() as stored, "fell_short": bool() as fell_short}:
                paths = tuple(self.folder / f"{one.name}{suffix}" for suffix in SUFFIXES)
                record = None if stored is None else Path(stored)
                if self.fresh or of != self._inputs(one) or not _is_newer(paths, record):
                    return None
                return DrawnFigure(one.name, one.shows, one.command(self.preset), paths, fell_short)
        return None

    def put(
        self, one: GalleryFigure, paths: Sequence[Path], record: Path | None, fell_short: bool
    ) -> DrawnFigure:
        """Report that the figure is finished."""
        self.figures[one.name] = {
            "of": self._inputs(one), "files": [path.name for path in paths],
            "record": None if record is None else str(record), "fell_short": fell_short,
        }  # fmt: skip
        self._write()
        return DrawnFigure(one.name, one.shows, one.command(self.preset), tuple(paths), fell_short)

    def _refuse_foreign(self) -> None:
        from boundkit.algebra import BoundkitError
        from boundkit.simulation.atomic_files import remove_abandoned

        remove_abandoned(self.folder)
        if self.folder.is_dir() and not self.file.is_file():
            for present in sorted(path.name for path in self.folder.iterdir()):
                raise BoundkitError(
                    f"{self.folder} holds other files than a gallery, such as {present}; name a new folder."
                )

    def _write(self) -> None:
        from boundkit.simulation.atomic_files import write_text

        write_text(self.file, json.dumps(self.figures, indent=1) + "\n")

    def _inputs(self, one: GalleryFigure) -> list[str]:
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
) -> list[DrawnFigure]:
    """Draw the gallery into a folder, with ``index.html``; in the order of the gallery.

    ``records``: the folder of records; missing ones are made. ``every_theorem`` adds bound
    against run for each theorem that was tested on a run. ``jobs``: workers, None for all processors.
    What the folder has already, in this preset and not older than its record, is kept, unless ``fresh``;
    stopping in the middle loses nothing that is finished.

    Raises BoundkitError for an unknown preset, where the folder holds something else than a gallery, or
    where it cannot be written.
    """
    from boundkit.cli.gallery.records import summarise
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
            _write_page(folder, preset, *(_drawn_panels(result, part) for part in (panels, theorems)))
            report_progress(count, len(todo))
    _write_page(folder, preset, *(_drawn_panels(result, part) for part in (panels, theorems)))
    return [result[one.name] for one in (*panels, *theorems)]


def _figures(records: Path) -> list[GalleryFigure]:
    places = {
        name: ("--records", str(records)) if "records" in e.options else () for name, e in GALLERY.items()
    }
    return [
        GalleryFigure(file, e.shows, (name, *words), places[name])
        for name, e in GALLERY.items()
        for file, words in e.examples(name).items()
    ]


def _theorems(records: Path, jobs: int | None) -> list[GalleryFigure]:
    """Bound against run of every theorem whose record has curves; missing records are made first."""
    from boundkit.cli.gallery.records import every_record
    from boundkit.cli.progress import progress

    folder = records / "verified"
    with progress("verify") as report_progress:
        every = every_record(folder, jobs, report_progress)
    shown = [record.theorem for record in every if record.curves is not None]
    return [
        GalleryFigure(
            f"bound_against_run_{name}", f"the bound of {name}, by cause, and its run",
            ("bound_against_run", name, "--record", str(folder / f"{name}.nc")),
        )
        for name in shown
    ]  # fmt: skip


def _drawn(
    todo: Sequence[GalleryFigure], folder: Path, preset: str, jobs: int | None
) -> Iterator[tuple[GalleryFigure, tuple[list[Path], Path | None, bool]]]:
    """Each figure as it is finished; those that may have to make a record begin first."""
    from boundkit.simulation.sweeps.parallel_map import map_parallel

    order = sorted(todo, key=lambda one: not one.options)
    for place, drawn in map_parallel(draw_one, [(one, folder, preset) for one in order], jobs):
        yield order[place], drawn


def draw_one(one: GalleryFigure, folder: Path, preset: str) -> tuple[list[Path], Path | None, bool]:
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


def _drawn_panels(result: Mapping[str, DrawnFigure], panels: Sequence[GalleryFigure]) -> list[DrawnFigure]:
    return [result[one.name] for one in panels if one.name in result]


def _write_page(
    folder: Path, preset: str, figures: Sequence[DrawnFigure], theorems: Sequence[DrawnFigure]
) -> None:
    from boundkit.simulation.atomic_files import write_text

    more = shlex.join(["boundkit", "figure", "--all", "--out", str(folder), "--every-theorem"])
    write_text(folder / "index.html", page(figures, theorems, more, preset))


def page(figures: Sequence[DrawnFigure], theorems: Sequence[DrawnFigure], more: str, preset: str) -> str:
    """The whole page; ``theorems`` are bound against run of each, ``more`` is the command that adds them."""
    shown = "\n".join(_card(one) for one in figures)
    body = [f"<main class='figures'>\n{shown}\n</main>"]
    if theorems:
        cards = "\n".join(_card(one) for one in theorems)
        body.append(f"<h2 id='theorems'>Bound against run, theorem by theorem</h2>\n{_LEAD}")
        body.append(f"<div class='figures small'>\n{cards}\n</div>")
    else:
        body.append(
            "<h2>Bound against run, theorem by theorem</h2>\n"
            f"<p>One picture for each theorem that was tested on a run: <code>{escape(more)}</code></p>"
        )
    names = "".join(f"<a href='#{one.name}'>{escape(one.title)}</a>" for one in figures)
    return (
        f"<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>boundkit: gallery</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f"<header><h1>Gallery</h1><p>{len(figures)} figures, colour by cause of error, the same in each. "
        "Every number that is drawn is in the CSV beside the picture. A picture opens as SVG.</p>"
        f"<nav>{names}</nav></header>\n" + "\n".join(body) + "\n"
        f"<footer>Preset {escape(preset)}; <code>--preset paper</code> is one column at 8 pt, "
        "<code>--preset dark</code> is for dark rooms.</footer>\n</body>\n</html>\n"
    )


_LEAD = "<p>The worst of the instances on which each theorem was tested: its bound by cause, and the run.</p>"


def _card(one: DrawnFigure) -> str:
    picture, wide, high = one.path(".png"), *_size(one.path(".png"))
    links = " ".join(
        f"<a href='{path.name}'>{path.suffix[1:].upper()}</a>" for path in sorted(one.paths, key=_order)
    )
    shows = escape(one.shows[0].upper() + one.shows[1:])
    return (
        f"<article id='{one.name}'><h3>{escape(one.title)}</h3>\n"
        f"<a class='picture' href='{one.path('.svg').name}'><img src='{picture.name}' width='{wide}' "
        f"height='{high}' loading='lazy' alt='{escape(one.shows, quote=True)}'></a>\n"
        f"<p>{shows}.</p>\n<pre><code>{escape(one.command)}</code></pre>\n"
        f"<p class='files'>{links}</p></article>"
    )


def _order(path: Path) -> int:
    return SUFFIXES.index(path.suffix)


def _size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    with path.open("rb") as file:
        wide, high = unpack(">II", file.read(24)[16:])
    return wide, high


CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #5b6470; --line: #dfe3e8; --ground: #f5f6f8;
  --card: #fff; --blue: #0a58cc; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #f3f4f6; --faint: #a3abb8; --line: #2c323b;
  --ground: #0e1116; --card: #171b21; --blue: #6cb8f0; --code: #222831; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 100rem; color: var(--ink);
  background: var(--ground); font: 17px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Verdana, sans-serif; }
h1 { font-size: 2.4rem; line-height: 1.15; margin: 0 0 .5rem; letter-spacing: -.01em; }
h2 { font-size: 1.6rem; margin: 3.5rem 0 .6rem; } h3 { font-size: 1.2rem; margin: 0 0 .8rem; }
header p { max-width: 44rem; color: var(--faint); margin: 0 0 1rem; }
nav { display: flex; flex-wrap: wrap; gap: .4rem .5rem; margin-bottom: 2rem; }
nav a { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .8rem; font-size: .9rem;
  background: var(--card); }
a { color: var(--blue); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
.figures { display: grid; gap: 1.5rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 38rem), 1fr)); }
.figures.small { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
article { background: var(--card); border: 1px solid var(--line); border-radius: .8rem;
  padding: 1.2rem 1.3rem .9rem; min-width: 0; scroll-margin-top: 1rem; }
.picture { display: block; border-radius: .4rem; overflow: hidden; border: 1px solid var(--line); }
img { display: block; width: 100%; height: auto; max-height: 30rem; object-fit: contain; background: #fff; }
article p { margin: .8rem 0 .6rem; }
pre { margin: 0; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--code); border-radius: .4rem; font-size: .85rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
.small h3 { font-size: 1rem; overflow-wrap: anywhere; }
.files { display: flex; gap: 1rem; font-size: .9rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint);
  font-size: .9rem; }
@media print { body { background: #fff; } article { break-inside: avoid; } nav { display: none; } }
"""
