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
    wanted: Annotated[
        str | None,
        typer.Option("--reach", help="look for rules that give this rate, such as '1/sqrt(m*tau*T) + 1/T'"),
    ] = None,
    one_step: Annotated[bool, typer.Option("--one-step", help="with --reach: keep eta_s = 1")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Put step-size rules into a bound: the powers of each term, and from which T the rules are allowed."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.attainable_rate import reach
    from boundkit.analysis.rate import rate
    from boundkit.theorems import theorem as named

    if wanted is not None and (eta is not None or eta_s is not None):
        raise BoundkitError("--reach looks for the rules, so --eta and --eta_s must not be given.")
    if one_step and wanted is None:
        raise BoundkitError("--one-step belongs to --reach.")
    answer = (
        rate(named(theorem), eta=eta, eta_s=eta_s)
        if wanted is None
        else reach(named(theorem), wanted, one_step=one_step)
    )
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(repr(answer))
