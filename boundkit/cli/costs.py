"""``boundkit costs``: what algorithms send, keep and compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.output import emit, print_json, print_table

if TYPE_CHECKING:
    from boundkit.algebra import Theorem


def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ALGORITHM...] [name=value...]",
            help="algorithms, or theorems with what they assume put in; all without a name. With values, "
            "numbers instead of symbols; with T=..., totals over T rounds",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Show what a round costs: numbers sent and received, gradients, samples, and what must be kept."""
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.costs import cost_table
    from boundkit.analysis.costs.parameters import quantities
    from boundkit.cli.parameter_values import read_words

    names = [word for word in words or [] if "=" not in word]
    request = [_named(name) for name in names] or None
    known = {q.name: q for q in quantities(row.cost for row in cost_table(request).rows)}
    whole = [name for name, quantity in known.items() if quantity.domain.whole]
    given = read_words([word for word in words or [] if "=" in word], whole)
    for name in given:
        if name not in known:
            raise unknown("quantity of these costs", name, known)
    table = cost_table(request, given if given else None)
    if as_json:
        print_json(table.to_dict())
        return
    print_table(table.header, [[str(cell) for cell in row.cells()] for row in table.rows])
    emit("\n".join(["", table.legend(), *(["", *table.notes()] if names else [])]))


def _named(name: str) -> str | Theorem:
    """A theorem stands for its method, any other name for an algorithm."""
    from boundkit.theorems import names, theorem

    return theorem(name) if name in names() else name
