"""``boundkit complexity``: rounds for a target as formulas, and how much local work saves rounds."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json


def run(
    theorem: Annotated[
        str | None,
        typer.Argument(help="a name from boundkit list; without it, the table of those that bound rounds"),
    ] = None,
    eta: Annotated[
        str | None, typer.Option(help="rule for the client's step; without it, a free step fits the target")
    ] = None,
    eta_s: Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Give the rounds T until a bound is at its target, tau T, and the largest tau with linear speed-up."""
    from boundkit.analysis.complexity import complexity_or_table
    from boundkit.theorems import catalogue
    from boundkit.theorems import theorem as named

    request = None if theorem is None else named(theorem)
    answer = complexity_or_table(request, catalogue().values(), eta, eta_s)
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(repr(answer))
