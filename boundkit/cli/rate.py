"""``boundkit rate``: the rate of a bound under rules for its step sizes."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson, Eta, ServerEta, TheoremName
from boundkit.cli.output import print_answer


def run(
    theorem: TheoremName,
    eta: Eta = None,
    eta_s: ServerEta = None,
    target: Annotated[
        str | None,
        typer.Option("--reach", help="search for rules with this rate, such as '1/sqrt(m*tau*T) + 1/T'"),
    ] = None,
    one_step: Annotated[bool, typer.Option("--one-step", help="with --reach: keep eta_s = 1")] = False,
    as_json: AsJson = False,
) -> None:
    """Give the rate of a bound under rules for its step sizes.

    The powers of each term, and from which T the rules are inside the conditions.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.attainable_rate import reach
    from boundkit.analysis.rate import rate
    from boundkit.theorems import theorem as named

    if target is not None and (eta is not None or eta_s is not None):
        raise BoundkitError("--reach searches for the rules, so --eta and --eta_s must not be given.")
    if one_step and target is None:
        raise BoundkitError("--one-step goes with --reach.")
    if target is None:
        print_answer(rate(named(theorem), eta=eta, eta_s=eta_s), as_json)
    else:
        print_answer(reach(named(theorem), target, one_step=one_step), as_json)
