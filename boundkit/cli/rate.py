"""``boundkit rate``: what a rule for the step makes of a bound."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json


def run(
    theorem: Annotated[str, typer.Argument(help="a name from boundkit list")],
    eta: Annotated[
        str | None, typer.Option(help="rule for the client's step, such as 'sqrt(m/(tau*T))/L'")
    ] = None,
    eta_s: Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Put step-size rules into a bound: the powers of each term, and from which T the rules are allowed."""
    from boundkit.analysis.rate import rate
    from boundkit.theorems import theorem as named

    answer = rate(named(theorem), eta=eta, eta_s=eta_s)
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(repr(answer))
