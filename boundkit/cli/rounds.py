"""``boundkit rounds``: how many rounds until the bound is small enough."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json, warn
from boundkit.cli.parameter_values import HELP


def run(
    theorem: Annotated[str, typer.Argument(help="a name from boundkit list")],
    values: Annotated[list[str] | None, typer.Argument(metavar="name=value...", help=HELP)] = None,
    eps: Annotated[float, typer.Option(help="the target")] = ...,  # type: ignore[assignment]
    tuned: Annotated[
        bool, typer.Option("--tuned", help="choose the best eta for each number of rounds")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Find the smallest number of rounds after which the bound is at most EPS."""
    from boundkit.analysis.rounds import rounds_to
    from boundkit.cli.parameter_values import read_values
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    answer = rounds_to(statement, eps, tuned=tuned, **read_values(values or [], statement))
    if answer.holds is False:
        warn(f"the step size is outside the condition of {theorem}, so the bound is not proved.")
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(repr(answer))
