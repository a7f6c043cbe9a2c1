"""``boundkit gallery``: every figure in one folder, and a page that shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.simulation_options import AsJson
from boundkit.cli.worker_options import Jobs


def run(
    folder: Annotated[Path, typer.Argument(metavar="OUTDIR", help="the page is OUTDIR/index.html")],
    preset: Annotated[str, typer.Option(help="hall, paper (one column, 8 pt) or dark")] = "hall",
    records: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="where records are kept, and made; out/records by default"),
    ] = None,
    every_theorem: Annotated[
        bool, typer.Option("--every-theorem", help="bound against run for each verified theorem, too")
    ] = False,
    jobs: Jobs = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="draw again what OUTDIR holds already")] = False,
    as_json: AsJson = False,
) -> int:
    """Draw every figure as PDF, SVG, PNG and CSV: exit code 1 where a check for one fell short.

    A second call goes on where the first was stopped.
    """
    from boundkit.cli.gallery.all_figures import draw_all
    from boundkit.cli.interruption import describe
    from boundkit.cli.worker_options import workers_of

    workers = workers_of(jobs, None, None)["jobs"]
    assert workers is None or isinstance(workers, int)
    describe(lambda: f"figures that are finished are kept in {folder}, and the same command resumes")
    drawn = draw_all(folder, preset, records, every_theorem=every_theorem, jobs=workers, fresh=fresh)
    if as_json:
        rows = [{"figure": d.name, "command": d.command, "files": [str(p) for p in d.paths]} for d in drawn]
        print_json({"page": str(folder / "index.html"), "figures": rows})
    else:
        emit(f"{len(drawn)} figures: {folder / 'index.html'}")
    return int(any(one.fell_short for one in drawn))
