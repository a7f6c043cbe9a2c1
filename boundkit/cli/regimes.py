"""``boundkit regimes``: which term dominates where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.parameter_values import HELP

if TYPE_CHECKING:
    from boundkit.analysis.regimes import Regimes

Eta = Annotated[str | None, typer.Option(help="rule for the client's step, such as 'sqrt(m/(tau*T))/L'")]
ServerEta = Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step")]


def run(
    theorem: Annotated[str, typer.Argument(help="a name from boundkit list")],
    x: Annotated[str, typer.Argument(help="a quantity, such as tau")],
    y: Annotated[str, typer.Argument(help="another, such as C")],
    values: Annotated[list[str] | None, typer.Argument(metavar="name=value...", help=HELP)] = None,
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
    """Which term dominates over two quantities; the crossovers as formulas. A range: tau=1:1000:30:log."""
    check_picture(plot, preset)
    result = request(theorem, x, y, values or [], {"eta": eta, "eta_s": eta_s})
    if plot is not None:
        from boundkit.figures.regimes import figure
        from boundkit.figures.save import save

        save(figure(result, preset), plot)
    if as_json:
        print_json(result.to_dict())
    else:
        emit(result.to_text())


def request(name: str, x: str, y: str, words: list[str], rules: dict[str, str | None]) -> Regimes:
    """The answer to what was typed.

    Raises BoundkitError for a step that has both a rule and a value.
    """
    from boundkit.analysis.regimes import regimes
    from boundkit.cli.parameter_values import read_values
    from boundkit.theorems import theorem as named

    statement = named(name)
    return regimes(statement, x, y, **with_rules(read_values(words, statement), rules))


def with_rules(values: dict[str, Any], rules: dict[str, str | None]) -> dict[str, Any]:
    """Values and rules together.

    Raises BoundkitError for a step that has both.
    """
    from boundkit.algebra import BoundkitError

    given = {name: rule for name, rule in rules.items() if rule is not None}
    for name in given:
        if name in values:
            raise BoundkitError(f"{name} was given as a value and as a rule; give one of them.")
    return {**values, **given}


def check_picture(path: Path | None, preset: str) -> None:
    """Raise BoundkitError, before any work, for an unknown preset or a picture that cannot be written."""
    if path is None and preset == "hall":  # the default: no need of matplotlib
        return
    from boundkit.figures.save import refuse_unwritable_figure
    from boundkit.figures.style import check_preset

    check_preset(preset)
    if path is not None:
        refuse_unwritable_figure(path)
