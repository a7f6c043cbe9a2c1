"""``boundkit attack worst-case``: the largest value of a claim over its whole class, beside the bound."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson, TheoremOrFile, Values
from boundkit.cli.output import print_answer, warn


def run(
    theorem: TheoremOrFile,
    values: Values = None,
    at_rest: Annotated[
        bool, typer.Option("--at-rest", help="T to infinity: a round ends where it started")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Compute the exact worst case of a bound's class.

    Without noise, for a few clients, steps and rounds; needs boundkit[pep].

    Exit code 1: the exact worst case lies above the bound, inside the theorem's conditions.
    """
    from boundkit.attack.pep import worst_case
    from boundkit.cli.parameter_values import read_values
    from boundkit.theorem_targets import theorem_of

    statement = theorem_of(theorem)
    answer = worst_case(statement, at_rest=at_rest, **read_values(values or [], statement))
    if not answer.inside:
        warn(f"the step size is outside the condition of {theorem} here, so the bound is not proved.")
    print_answer(answer, as_json)
    return 1 if answer.refutes else 0
