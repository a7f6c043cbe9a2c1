"""``boundkit objective``: the objective that a sampling and aggregation minimises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import Algorithm, AsJson, RunFile, Seed
from boundkit.cli.output import print_answer

if TYPE_CHECKING:
    from boundkit.simulation.selection.skew import Within


def run(
    algorithm: Algorithm,
    run_file: RunFile,
    skew: Annotated[
        bool,
        typer.Option(
            "--skew", help="of a selection by losses: rho_bar, rho_tilde, Gamma, and the bias of FedAvg"
        ),
    ] = False,
    within: Annotated[
        str | None,
        typer.Option(metavar="hull|LOW,HIGH", help="with --skew, on a line: models in this interval alone"),
    ] = None,
    along: Annotated[
        bool,
        typer.Option("--along", help="with --skew: simulate the run once, and evaluate at its models too"),
    ] = False,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Give the objective that a run minimises, and its limit.

    The exact limit of a run, the surrogate objective of small steps, and the true optimum. With --skew: how
    far selection by losses is from sampling, the bias that it allows, and its limit.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run

    if skew and algorithm != "fedavg":
        raise BoundkitError(f"--skew is about fedavg, but {algorithm!r} was given.")
    for option, given in {"within": within is not None, "along": along}.items():
        if given and not skew:
            raise BoundkitError(f"--{option} goes with --skew.")
    if skew:
        from boundkit.verification.selection_skew import measure_selection_skew

        print_answer(
            measure_selection_skew(read_run(algorithm, run_file, seed), _interval(within), along), as_json
        )
    else:
        from boundkit.simulation.objective import objective

        print_answer(objective(read_run(algorithm, run_file, seed)), as_json)


def _interval(text: str | None) -> Within:
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
