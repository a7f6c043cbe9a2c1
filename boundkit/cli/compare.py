"""``boundkit compare``: whose bound is lower where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.output import emit, print_json, warn
from boundkit.cli.parameter_values import HELP, MOST_ROWS
from boundkit.cli.regimes import Eta, ServerEta, check_picture, with_rules

if TYPE_CHECKING:
    from boundkit.analysis.compare import Comparison


def run(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="THEOREM THEOREM... [name=value...]", help=f"names from boundkit list; {HELP}"
        ),
    ],
    tuned: Annotated[bool, typer.Option("--tuned", help="each theorem with its own best eta")] = False,
    eta: Eta = None,
    eta_s: ServerEta = None,
    plot: Annotated[
        Path | None, typer.Option(help="draw it: a .pdf, .svg or .png, all three without suffix")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="of the picture: hall, paper (one column, 8 pt) or dark")
    ] = "hall",
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Compare bounds on shared values: at a point, along one list or range, or over two."""
    check_picture(plot, preset)
    result = request(words, tuned, {"eta": eta, "eta_s": eta_s})
    if plot is not None:
        from boundkit.figures.compare import figure
        from boundkit.figures.save import save

        save(figure(result, preset), plot)
    for c in result.contenders:
        if as_json and not c.holds.all():
            warn(
                f"the steps are outside the condition of {c.name} somewhere here, so its bound is not proved."
            )
    if as_json:
        print_json(result.to_dict())
    else:
        emit(result.to_text(rows=MOST_ROWS))


def request(words: list[str] | tuple[str, ...], tuned: bool, rules: dict[str, str | None]) -> Comparison:
    """The answer to what was typed: names of theorems, then values."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.compare import compare
    from boundkit.cli.parameter_values import read_values
    from boundkit.cli.word_splitting import split_words
    from boundkit.theorems import theorem as named

    names, values = split_words(words)
    theorems = [named(name) for name in names]
    if not theorems:
        raise BoundkitError(
            "compare needs two theorems or more: boundkit compare THEOREM THEOREM name=value ..."
        )
    reader = next((t for t in theorems if t.solvers), theorems[0])  # who knows what a solver is
    return compare(*theorems, tuned=tuned, **with_rules(dict(read_values(values, reader)), rules))
