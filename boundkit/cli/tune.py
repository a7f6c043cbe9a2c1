"""``boundkit tune``: the best steps inside their conditions."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.parameter_values import HELP


def run(
    theorem: Annotated[str, typer.Argument(help="a name from boundkit list")],
    values: Annotated[list[str] | None, typer.Argument(metavar="name=value...", help=HELP)] = None,
    over: Annotated[str, typer.Option(help="what to tune: eta, eta_s, both as eta,eta_s, or tau")] = "eta",
    excess: Annotated[
        float, typer.Option(help="with eta,eta_s: the share that the drift may add to the infimum")
    ] = 0.01,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Find the steps at which the bound is least, by formula where there is one."""
    from boundkit.analysis.tune import tune
    from boundkit.cli.parameter_values import read_values
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    tuned = tune(statement, over, excess=excess, **read_values(values or [], statement))
    if as_json:
        print_json(tuned.to_dict())
    else:
        emit(repr(tuned))
