"""``boundkit lecture OUTDIR``: the lecture as a site that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import AsJson, Jobs
from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.lecture.parts import Chapter


def run(
    outdir: Annotated[
        Path, typer.Argument(metavar="OUTDIR", help="a new folder, or one with a lecture in it")
    ],
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="where records are kept; out/records by default")
    ] = None,
    chapter: Annotated[
        list[str] | None, typer.Option(help="only this chapter, by its slug; may be repeated")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="draws the numbers of the exercises")] = 0,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> None:
    """Write the lecture: theorems, live figures, simulations, quiz and exercises, without a network.

    Open OUTDIR/index.html. Pictures are drawn from records; one that is missing is made first.
    """
    from boundkit.cli.gallery.pictures import draw_pictures
    from boundkit.cli.gallery.recorded import RECORDS, refuse_unwritable_records
    from boundkit.cli.interruption import describe
    from boundkit.cli.options import workers_of
    from boundkit.cli.progress import progress

    _require_packages()
    from boundkit.lecture.chapters import chapters
    from boundkit.lecture.output_folder import LIST, refuse_foreign, replace_site
    from boundkit.lecture.parts import Figure
    from boundkit.lecture.site import Site
    from boundkit.theorems import catalogue

    refuse_foreign(outdir)
    refuse_unwritable_records(records or RECORDS)
    workers = workers_of(jobs, None, None)["jobs"]
    assert workers is None or isinstance(workers, int)
    selected = _chosen(chapters(), chapter or [])
    wanted = list(dict.fromkeys(p for c in selected for p in c.parts if isinstance(p, Figure)))
    describe(lambda: f"{outdir} is as it was; records that were made are kept for the same command")
    with progress("pictures") as report_progress:
        drawings, pictures = draw_pictures(wanted, records, workers, report_progress)
    files: dict[str, str | bytes] = {**pictures}
    files |= Site(selected, catalogue(), drawings, seed).files()
    replace_site(outdir, files)
    describe(lambda: f"{outdir} is written, and whole")
    if as_json:
        print_json(
            {"lecture": str(outdir), "open": str(outdir / "index.html"), "files": sorted([*files, LIST])}
        )
    else:
        emit(f"{len(selected)} chapter{'s'[: len(selected) > 1]}; open {outdir / 'index.html'}")


def _require_packages() -> None:
    """Raise BoundkitError where a package of the extra ``lecture`` is not installed."""
    from importlib.util import find_spec

    from boundkit.algebra import BoundkitError

    for name in ("jinja2", "markdown_it", "mdit_py_plugins", "latex2mathml"):
        if find_spec(name) is None:
            raise BoundkitError(f"the lecture needs {name}, which is not there; install boundkit[lecture].")


def _chosen(every: tuple[Chapter, ...], slugs: list[str]) -> tuple[Chapter, ...]:
    from boundkit.algebra.errors import unknown

    known = {c.slug: c for c in every}
    for slug in slugs:
        if slug not in known:
            raise unknown("chapter", slug, known)
    return tuple(c for c in every if not slugs or c.slug in slugs)
