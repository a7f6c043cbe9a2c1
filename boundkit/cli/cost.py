"""``boundkit cost``: what a round costs in communication, state, computation, and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import AsJson
from boundkit.cli.output import emit, print_answer, print_json

if TYPE_CHECKING:
    from boundkit.algebra import Theorem


def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ALGORITHM...] [name=value]...",
            help="algorithms, or theorems for theirs; all without a name. With values, numbers in place of "
            "symbols; with T=..., totals over T rounds",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="SCHEME",
            help="seconds of a round instead: synchronous, local, overlap, asynchronous or federated; "
            "n_i=600,300 are the data of each client",
        ),
    ] = None,
    law: Annotated[
        str | None,
        typer.Option(
            help="law of a step's time: exponential, constant (usual for federated), uniform, shifted"
        ),
    ] = None,
    spread: Annotated[
        float | None, typer.Option(help="of --law uniform: mean (1 - spread) to mean (1 + spread)")
    ] = None,
    shift: Annotated[
        float | None, typer.Option(help="of --law shifted: the deterministic share of the mean")
    ] = None,
    delay_added: Annotated[
        bool, typer.Option("--delay-added", help="with --time asynchronous: clients wait while they exchange")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a round costs: numbers sent, gradients, state.

    With --time: how many seconds a round takes, and an iteration.
    """
    from boundkit.algebra import BoundkitError

    names = [word for word in words or [] if "=" not in word]
    values = [word for word in words or [] if "=" in word]
    if time is None:
        for option, value in {
            "law": law,
            "spread": spread,
            "shift": shift,
            "delay-added": delay_added,
        }.items():
            if value not in (None, False):
                raise BoundkitError(f"--{option} goes with --time.")
        _print_costs(names, values, as_json)
        return
    for name in names:
        raise BoundkitError(f"--time is about {time}, so every word must be name=value, but {name!r} is not.")
    if delay_added and time != "asynchronous":
        raise BoundkitError(f"--delay-added is about asynchronous; {time} always waits for its exchange.")
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.runtime import SCHEMES, round_time
    from boundkit.cli.parameter_values import read_words

    if time not in SCHEMES:
        raise unknown("scheme", time, SCHEMES)
    whole = {q.name for q in SCHEMES[time].quantities if q.domain.whole}
    given = read_words(values, whole, {"n_i"})
    print_answer(
        round_time(time, law=law, spread=spread, shift=shift, delay_hidden=not delay_added, **given), as_json
    )


def _print_costs(names: list[str], words: list[str], as_json: bool) -> None:
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.costs import cost_table
    from boundkit.analysis.costs.cost import quantities
    from boundkit.cli.parameter_values import read_words

    methods = [_named(name) for name in names] or None
    known = {q.name: q for q in quantities(row.cost for row in cost_table(methods).rows)}
    values = read_words(words, [name for name, quantity in known.items() if quantity.domain.whole])
    for name in values:
        if name not in known:
            raise unknown("quantity of these costs", name, known)
    table = cost_table(methods, values or None)
    if as_json:
        print_json(table.to_dict())
        return
    emit("\n".join([table.to_text(), *(["", *table.notes()] if names else [])]))


def _named(name: str) -> str | Theorem:
    """The costs of a theorem's method, or of an algorithm."""
    from boundkit.theorems import names, theorem

    return theorem(name) if name in names() else name
