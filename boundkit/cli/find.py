"""``boundkit find``: which theorems hold under which assumptions."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson
from boundkit.cli.output import emit, print_json


def run(
    have: Annotated[
        str, typer.Option(help="assumptions that hold, joined by commas: smooth,partial-participation")
    ] = "",
    without: Annotated[str, typer.Option(help="assumptions that do not hold: bounded-dissimilarity")] = "",
    algorithm: Annotated[str | None, typer.Option(help="only theorems on this algorithm")] = None,
    claim: Annotated[str | None, typer.Option(help='only those on this claim: "mean loss gap"')] = None,
    constants: Annotated[
        str | None, typer.Option(help="only constants that are stated, appendix, derived or order")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="only upper, tight, order or lower bounds")] = None,
    quantity: Annotated[str | None, typer.Option(help="only bounds that depend on this quantity")] = None,
    why: Annotated[bool, typer.Option("--why", help="list what each of the other theorems lacks")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the theorems that hold under given assumptions.

    The others are counted, or listed with what each lacks.
    """
    from boundkit.analysis.find import find
    from boundkit.theorems import catalogue

    result = find(
        catalogue().values(),
        have=have,
        without=without,
        algorithm=algorithm,
        claim=claim,
        constants=constants,
        kind=kind,
        quantity=quantity,
    )
    print_json(result.to_dict()) if as_json else emit(result.report(why).to_text())
