"""``boundkit sensitivity``: what a larger quantity does to a bound."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json


def run(
    theorem: Annotated[str, typer.Argument(help="a name from boundkit list")],
    of: Annotated[str | None, typer.Option(help="these quantities alone, such as tau,C")] = None,
    eta: Annotated[
        str | None, typer.Option(help="rule for the client's step, such as 'sqrt(m/(tau*T))/L'")
    ] = None,
    eta_s: Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step")] = None,
    tuned: Annotated[
        bool | None,
        typer.Option("--tuned/--no-tuned", help="at the best eta too; by default wherever eta is free"),
    ] = None,
    alike: Annotated[
        bool, typer.Option(help="for clients that are alike, where the bound is written for unlike ones")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Say what a larger quantity does to a bound: better, worse, no effect, or where it is which."""
    from boundkit.analysis.sensitivity import sensitivity
    from boundkit.theorems import theorem as named

    answer = sensitivity(named(theorem), of, eta=eta, eta_s=eta_s, tuned=tuned, alike=alike)
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.to_text())
