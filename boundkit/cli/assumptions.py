"""``boundkit assumptions``: which implies which, and which does not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.regimes import check_picture


def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME] [OTHER]", help="one assumption, or two to compare")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="draw them to this .pdf, .svg or .png: all, or those on the subject of NAME"),
    ] = None,
    preset: Annotated[str, typer.Option(help="hall, paper (one column, 8 pt) or dark")] = "hall",
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Say what an assumption implies, with which constants, and what it does not, with an example."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.lattice import LATTICE, relation
    from boundkit.analysis.lattice_text import overview, overview_text, page, page_text
    from boundkit.theorems import catalogue

    if names and len(names) > 2:
        raise BoundkitError(f"{len(names)} assumptions were given, but at most two can be compared.")
    check_picture(plot, preset)
    request = [LATTICE.named(name) for name in names or []]
    if plot is not None:
        _draw(plot, preset, [s.name for a in request if (s := LATTICE.subject(a)) is not None])
    if len(request) == 2:
        answer = {"one": request[0].name, "other": request[1].name, **relation(request[0], request[1])}
        text = f"{answer['one']} {answer['answer']} {answer['other']}"
        if answer["answer"] == "cannot hold together":
            text = f"{answer['one']} and {answer['other']} cannot hold together on all of space"
        elif answer["answer"] == "not known here":
            text = f"whether {answer['one']} implies {answer['other']} is not known here"
        text += f": {answer['because']}." if answer["because"] else "."
        print_json(answer) if as_json else emit(text)
    elif request:
        theorems = list(catalogue().values())
        print_json(page(request[0], theorems)) if as_json else emit(page_text(request[0], theorems))
    else:
        print_json(overview()) if as_json else emit(overview_text())


def _draw(plot: Path, preset: str, subjects: list[str]) -> None:
    from boundkit.figures.assumptions import figure
    from boundkit.figures.save import save

    save(figure(list(dict.fromkeys(subjects)), preset), plot)
