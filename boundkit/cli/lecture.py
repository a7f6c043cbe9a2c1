"""``boundkit lecture OUTDIR``: the lecture as a site that opens from disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import AsJson, Jobs, Records
from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureResult
    from boundkit.lecture.parts import Chapter, Figure
    from boundkit.lecture.site import Drawing

PRESETS = {"light": "presentation", "dark": "dark", "narrow": "paper"}
"""Of the figures' presets, the one for each ground of a page, and that of one column for a phone."""


def run(
    outdir: Annotated[
        Path, typer.Argument(metavar="OUTDIR", help="a new folder, or one with a lecture in it")
    ],
    records: Records = None,
    chapter: Annotated[
        list[str] | None, typer.Option(help="only this chapter, by its slug; may be repeated")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="seed of the numbers in the exercises")] = 0,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Write the lecture as a site that opens from disk.

    Theorems, live figures, simulations, quizzes and exercises. Open OUTDIR/index.html. Pictures are drawn
    from the records of boundkit, or of --records; one that is missing there is made first, in minutes.
    """
    from boundkit.algebra.extras import require
    from boundkit.cli.gallery.records import RECORDS, refuse_unwritable_records
    from boundkit.cli.interruption import describe
    from boundkit.cli.options import workers_of
    from boundkit.cli.progress import progress

    for package in ("jinja2", "markdown_it", "mdit_py_plugins", "latex2mathml", "matplotlib", "networkx"):
        require(package, "the lecture")
    from boundkit.lecture.chapters import chapters
    from boundkit.lecture.parts import Figure
    from boundkit.lecture.site import LIST, Site, refuse_foreign, replace_site
    from boundkit.theorems import catalogue

    refuse_foreign(outdir)
    refuse_unwritable_records(records or RECORDS)
    workers = workers_of(jobs, None, None)["jobs"]
    assert workers is None or isinstance(workers, int)
    selected = _chosen(chapters(), chapter or [])
    wanted = list(dict.fromkeys(p for c in selected for p in c.parts if isinstance(p, Figure)))
    describe(lambda: f"{outdir} is as it was; finished records are stored for the same command")
    with progress("pictures") as report_progress:
        drawings, pictures = draw_pictures(wanted, records, workers, report_progress)
    files: dict[str, str | bytes] = {**pictures}
    files |= Site(selected, catalogue(), drawings, seed, checked_proofs(selected)).files()
    replace_site(outdir, files)
    describe(lambda: f"{outdir} is written, and whole")
    if as_json:
        print_json(
            {"lecture": str(outdir), "open": str(outdir / "index.html"), "files": sorted([*files, LIST])}
        )
    else:
        emit(f"{len(selected)} chapter{'s'[: len(selected) > 1]}; open {outdir / 'index.html'}")


def _chosen(every: tuple[Chapter, ...], slugs: list[str]) -> tuple[Chapter, ...]:
    from boundkit.algebra.errors import unknown

    known = {c.slug: c for c in every}
    for slug in slugs:
        if slug not in known:
            raise unknown("chapter", slug, known)
    return tuple(c for c in every if not slugs or c.slug in slugs)


def checked_proofs(selected: Iterable[Chapter]) -> dict[str, str]:
    """The checked proofs of the main theorems of the chapters, as Markdown, by name."""
    from boundkit.lecture.parts import Statement
    from boundkit.proofs.printing import stored_proof
    from boundkit.theorems import theorem

    shown = (p for c in selected for p in c.parts if isinstance(p, Statement) and not p.variant)
    proofs = {p.theorem: stored_proof(theorem(p.theorem)) for p in shown}
    return {name: proof.to_markdown() for name, proof in proofs.items() if proof is not None}


def draw_pictures(
    pictures: Sequence[Figure],
    records: Path | None,
    jobs: int | None,
    report_progress: Callable[[int, int], None],
) -> tuple[dict[Figure, Drawing], dict[str, bytes]]:
    """The place of each picture in the site, and the files of all of them.

    A missing record is made; ``jobs``: processes that share the pictures. Raises BoundkitError as the
    figures do.
    """
    from boundkit.cli.gallery.records import RECORDS, summarise
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
    shapes: dict[str, float] = {}
    files: dict[str, bytes] = {}
    with temporary_folder(Path(tempfile.gettempdir())) as folder, silent():
        for side, preset in PRESETS.items():
            made = _made(picture, preset, records)
            width, height = made.page.get_size_inches()
            shapes[side] = round(float(height / width), 2)
            for path in save(made.page, folder / f"{name}_{side}.svg"):
                places[side] = f"pictures/{path.name}"
                files[places[side]] = path.read_bytes()
        data = folder / f"{name}.csv"
        save(made.page, data, made.columns)
        files[f"pictures/{data.name}"] = data.read_bytes()
    return Drawing(**places, data=f"pictures/{data.name}", shape=shapes["light"]), files


def _made(picture: Figure, preset: str, records: Path) -> FigureResult:
    from boundkit.cli.gallery.arguments import parsed
    from boundkit.cli.gallery.makers import make
    from boundkit.figures.gallery import GALLERY, check_figure

    entry = GALLERY[check_figure(picture.figure)]
    words = picture.arguments or entry.example
    arguments: list[str] = ["--records", str(records)] if "records" in entry.options else []
    return make(parsed([picture.figure, *words, *arguments, "--preset", preset]))
