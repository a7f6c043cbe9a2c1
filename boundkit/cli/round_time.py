"""``boundkit time``: how long a round takes."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.parameter_values import HELP


def run(
    scheme: Annotated[str, typer.Argument(help="synchronous, local, overlap, asynchronous or federated")],
    values: Annotated[list[str] | None, typer.Argument(metavar="name=value...", help=HELP)] = None,
    law: Annotated[
        str | None,
        typer.Option(help="of a step's time: exponential, constant (usual for federated), uniform, shifted"),
    ] = None,
    spread: Annotated[
        float | None, typer.Option(help="of the uniform law: mean (1 - spread) to mean (1 + spread)")
    ] = None,
    shift: Annotated[
        float | None, typer.Option(help="of the shifted law: the share of the mean that is certain")
    ] = None,
    delay_added: Annotated[
        bool, typer.Option("--delay-added", help="asynchronous: clients wait while they exchange")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Say how many seconds a round takes, and an iteration. n_i=600,300 holds the data of each client."""
    from boundkit.algebra import BoundkitError
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.runtime import SCHEMES, round_time
    from boundkit.cli.parameter_values import read_words

    if scheme not in SCHEMES:
        raise unknown("scheme", scheme, SCHEMES)
    if delay_added and scheme != "asynchronous":
        raise BoundkitError(f"--delay-added is about asynchronous; {scheme} always waits for its exchange.")
    whole = {q.name for q in SCHEMES[scheme].quantities if q.domain.whole}
    given = read_words(values or [], whole, {"n_i"})
    answer = round_time(scheme, law=law, spread=spread, shift=shift, delay_hidden=not delay_added, **given)
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.to_text())
