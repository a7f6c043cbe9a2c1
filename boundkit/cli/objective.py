"""``boundkit objective``: which objective does this sampling and aggregation minimise?"""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.simulation_options import AsJson, RunFile, Seed


def run(
    algorithm: Annotated[str, typer.Argument(help="such as fedavg; docs/algorithms.md has them all")],
    run_file: RunFile,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Give the exact limit of a run, the surrogate objective of small steps, and the true optimum."""
    from boundkit.simulation.objective import objective
    from boundkit.simulation.run_file import read_run

    answer = objective(read_run(algorithm, run_file, seed))
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.to_text())
