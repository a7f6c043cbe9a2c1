"""``boundkit skew``: how much does choosing clients by their losses skew the problem?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.simulation_options import AsJson, RunFile, Seed

if TYPE_CHECKING:
    from boundkit.simulation.selection.skew import Within


Interval = Annotated[
    str | None,
    typer.Option("--within", metavar="hull|LOW,HIGH", help="on a line: models in this interval alone"),
]
Along = Annotated[bool, typer.Option("--along", help="simulate the run once, and look at its models too")]


def run(
    run_file: RunFile,
    within: Interval = None,
    along: Along = False,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Give rho_bar, rho_tilde and Gamma of a selection, the bias they allow, and where it ends."""
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.selection_skew import measure_selection_skew

    answer = measure_selection_skew(read_run("fedavg", run_file, seed), _within(within), along)
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.to_text())


def _within(text: str | None) -> Within:
    from boundkit.algebra import BoundkitError

    if text is None:
        return None
    if text == "hull":
        return "hull"
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise BoundkitError(
            f"--within is hull, or two numbers such as -1,2.5, but {text!r} was given."
        ) from None
    return low, high
