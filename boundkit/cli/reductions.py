"""``boundkit reductions``: which theorem becomes which, under which condition, and what is left over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.regimes import check_picture


def run(
    theorem: Annotated[str | None, typer.Argument(help="only what is joined to this theorem")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the graph into this file (pdf, svg, png)")] = None,
    preset: Annotated[str, typer.Option(help="hall, paper (one column, 8 pt) or dark")] = "hall",
    every_chain: Annotated[
        bool,
        typer.Option("--chains", help="without a theorem: reductions one after the other"),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> int:
    """Show which theorem becomes which, each checked by sympy: exit code 1 where one is not so."""
    from boundkit.analysis.reductions import reductions
    from boundkit.theorems import catalogue

    check_picture(plot, preset)
    result = reductions(catalogue(), theorem, all_chains=every_chain)
    if plot is not None:
        from boundkit.figures import reductions as drawing
        from boundkit.figures.save import save

        save(drawing.figure(result.graph, preset, theorem), plot)
    if as_json:
        print_json(result.to_dict())
    else:
        emit(result.to_text())
    return int(not result)
