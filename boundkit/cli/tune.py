"""``boundkit tune``: the best step sizes inside their conditions."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson, TheoremName, Values
from boundkit.cli.output import print_answer, print_sharper


def run(
    theorem: TheoremName,
    values: Values = None,
    over: Annotated[str, typer.Option(help="what to tune: eta, eta_s, both as eta,eta_s, or tau")] = "eta",
    excess: Annotated[
        float, typer.Option(help="with eta,eta_s: the share that the drift may add to the infimum")
    ] = 0.01,
    as_json: AsJson = False,
) -> None:
    """Find the step size that minimises the bound.

    By formula where there is one, and inside the conditions of the theorem.
    """
    from boundkit.analysis.tune import tune
    from boundkit.cli.parameter_values import read_values, warn_of_merged_points
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    parameters = read_values(values or [], statement)
    answer = tune(statement, over, excess=excess, **parameters)
    warn_of_merged_points(values or [], parameters)
    print_answer(answer, as_json)
    if not as_json:
        print_sharper(statement)
