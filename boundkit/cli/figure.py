"""``boundkit figure``: a picture from the gallery. Each is made by ``boundkit/cli/gallery/NAME.py``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.parameter_values import HELP
from boundkit.cli.regimes import Eta, ServerEta
from boundkit.cli.simulation_options import AsJson, Device, Dtype, Engine, Replicas, Seed
from boundkit.figures.gallery import GALLERY

if TYPE_CHECKING:
    from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help=", or ".join([", ".join([*GALLERY][:-1]), [*GALLERY][-1]]))],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THEOREM...] [name=value...]",
            help=f"what the figure is about, as {', '.join(n for n, e in GALLERY.items() if e.example)} "
            f"must be given; {HELP}",
        ),
    ] = None,
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="the run; default instances without it")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="draw this record; where it is missing, make it first")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="where records are kept; out/records by default")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="a .pdf, .svg, .png or .csv, all four without suffix; in out/figures by default"),
    ] = None,
    preset: Annotated[str, typer.Option(help="hall, paper (one column, 8 pt) or dark")] = "hall",
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
    as_json: AsJson = False,
) -> int:
    """Draw a figure and say where it is: exit code 1 where a verification ran for it and fell short."""
    from boundkit.figures.save import refuse_unwritable_figure, save

    options = {
        "run": run_file, "record": record, "kind": kind, "engine": engine, "replicas": replicas, "seed": seed,
        "device": device, "dtype": dtype, "tuned": tuned, "eta": eta, "eta_s": eta_s,
        "records": records,
    }  # fmt: skip
    page = {"width": width, "title": title, "caption": caption}
    request = _build_request(name, words, preset, options | page, _typed(context))
    usual = Path("out/figures")
    path = out if out is not None else usual / "_".join((name, *request.names))
    # Words of a figure are checked with it; until then they are no part of a file's name.
    refuse_unwritable_figure(usual / name if out is None else out, data=True)
    made = make(request)
    written = [str(one) for one in save(made.page, path, made.columns)]
    if as_json:
        stored = None if made.record is None else str(made.record)
        about = {"figure": name, "theorem": made.theorem, "preset": preset}
        print_json(about | {"written": written, "record": stored})
    else:
        emit("\n".join(written))
    return made.code


def parsed(line: Sequence[str]) -> FigureRequest:
    """What ``boundkit figure LINE`` asks for. Raises BoundkitError, or what click does, where it is wrong."""
    app = typer.Typer()
    app.command()(run)
    context = typer.main.get_command(app).make_context("boundkit figure", list(line))
    given = dict(context.params)
    given["run"] = given.pop("run_file")
    for name in ("run", "record", "records"):
        given[name] = None if given[name] is None else Path(given[name])
    return _build_request(given["name"], given["words"], given["preset"], given, _typed(context))


def make(request: FigureRequest) -> FigureResult:
    """Draw the figure of a request; what is missing for it is made first."""
    from importlib import import_module

    from boundkit.figures.style import USUAL, page_layout

    maker: Any = import_module(f"boundkit.cli.gallery.{request.name}")
    with page_layout(request.layout or USUAL):
        made: FigureResult = maker.make(request)
    return made


def _build_request(
    name: str, words: Sequence[str] | None, preset: str, options: dict[str, Any], typed: list[str]
) -> FigureRequest:
    from boundkit.cli.gallery.arguments import FigureRequest
    from boundkit.figures.gallery import check_figure, check_options
    from boundkit.figures.style import Layout, check_preset, read_width

    check_figure(name)
    check_preset(preset)
    check_options(name, typed)
    width = None if options["width"] is None else read_width(options["width"], preset)
    return FigureRequest(
        name, tuple(words or ()), preset, {one: options[one] for one in GALLERY[name].options},
        Layout(width, options["title"], options["caption"]),
    )  # fmt: skip


def _typed(context: Any) -> list[str]:
    """The options that the user typed, by name; ``context`` is click's, or typer's copy of it."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    typed = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    return [name.removesuffix("_file") for name in typed]
