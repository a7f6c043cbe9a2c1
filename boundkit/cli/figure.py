"""``boundkit figure``: one figure, or all of them. Each has a maker in ``boundkit.cli.gallery.makers``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import (
    VALUES,
    Arrays,
    AsJson,
    Device,
    Dtype,
    Engine,
    Eta,
    Jobs,
    Preset,
    Records,
    Replicas,
    Seed,
    ServerEta,
)  # fmt: skip
from boundkit.cli.output import emit, print_json
from boundkit.figures.gallery import GALLERY

ALL = ("every", "out", "preset", "records", "every_theorem", "jobs", "fresh", "as_json")
"""The options that go with --all."""
ALL_ONLY = ("every_theorem", "jobs", "fresh")
"""Those of them that go with --all only."""


def run(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help=f"{', '.join([*GALLERY][:-1])}, or {[*GALLERY][-1]}; or --all",
            autocompletion=completion.choices(*GALLERY),
        ),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THEOREM...] [name=value]...",
            help=f"what the figure shows, as {', '.join(n for n, e in GALLERY.items() if e.example)} need; "
            f"{VALUES}",
            autocompletion=completion.theorems_and_assignments,
        ),
    ] = None,
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="the run; default instances without it")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="draw this record; where it is missing, make it first")
    ] = None,
    records: Records = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="your own measurement over the bound, in place of a run: columns round, measured, and low, "
            "high for a band",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="a .pdf, .svg, .png or .csv, all four without a suffix, in out/figures by default; with "
            "--all, the folder of all figures and their page, out/gallery by default"
        ),
    ] = None,
    preset: Preset = "presentation",
    width: Annotated[
        str | None, typer.Option(metavar="INCHES", help="of the page: inches, or column (3.35) or text (7)")
    ] = None,
    title: Annotated[bool, typer.Option("--title/--no-title", help="the sentence above the picture")] = True,
    caption: Annotated[bool, typer.Option("--caption/--no-caption", help="the small print below it")] = True,
    kind: Annotated[str, typer.Option(help="lines, or stacked: the share of each cause below")] = "lines",
    tuned: Annotated[bool, typer.Option("--tuned", help="each theorem with its own best eta")] = False,
    eta: Eta = None,
    eta_s: ServerEta = None,
    engine: Engine = "auto",
    replicas: Replicas = 100,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    arrays: Arrays = "auto",
    every: Annotated[
        bool, typer.Option("--all", help="every figure as PDF, SVG, PNG and CSV, with a page; resumable")
    ] = False,
    every_theorem: Annotated[
        bool, typer.Option("--every-theorem", help="with --all: bound against run of each theorem, too")
    ] = False,
    jobs: Jobs = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="with --all: draw again what --out holds")] = False,
    as_json: AsJson = False,
) -> int:
    """Draw a figure, or all, with numbers as CSV.

    Exit code 1 where a verification ran for it and fell short.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.arguments import make_request, typed_options
    from boundkit.cli.gallery.makers import make
    from boundkit.figures.save import refuse_unwritable_figure, save

    typed = typed_options(context)
    if every:
        for given in [*filter(None, [name]), *(f"--{option}" for option in typed if option not in ALL)]:
            raise BoundkitError(f"--all draws every figure with its usual options, so it takes no {given}.")
        return _draw_all(out or Path("out/gallery"), preset, records, every_theorem, jobs, fresh, as_json)
    if name is None:
        raise BoundkitError(
            f"name a figure, {', '.join([*GALLERY][:-1])} or {[*GALLERY][-1]}, or ask for --all."
        )
    for option in typed:
        if option in ALL_ONLY:
            raise BoundkitError(f"--{option.replace('_', '-')} goes with --all.")
    options = {
        "run": run_file, "record": record, "kind": kind, "engine": engine, "replicas": replicas, "seed": seed,
        "device": device, "dtype": dtype, "arrays": arrays, "tuned": tuned, "eta": eta, "eta_s": eta_s,
        "records": records, "measured": measured,
    }  # fmt: skip
    page = {"width": width, "title": title, "caption": caption}
    request = make_request(name, words, preset, options | page, typed)
    usual = Path("out/figures")
    path = out if out is not None else usual / "_".join((request.name, *request.names))
    # Words of a figure are checked with it; until then they are no part of a file's name.
    refuse_unwritable_figure(usual / request.name if out is None else out, data=True)
    made = make(request)
    written = [str(one) for one in save(made.page, path, made.columns)]
    for file, what in request.computed.items():
        print(f"note: {what} was computed, and its record written to {file}", file=sys.stderr)
    if as_json:
        stored = None if made.record is None else str(made.record)
        about = {"figure": request.name, "theorem": made.theorem, "preset": preset}
        print_json(about | {"written": written, "record": stored})
    else:
        emit("\n".join(written))
    return made.code


def _draw_all(
    folder: Path, preset: str, records: Path | None, every_theorem: bool, jobs: int | None, fresh: bool,
    as_json: bool,
) -> int:  # fmt: skip
    from boundkit.cli.gallery.all_figures import draw_all
    from boundkit.cli.interruption import describe
    from boundkit.cli.options import workers_of

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
