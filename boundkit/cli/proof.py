"""``boundkit proof``: a proof step by step on a run, and what each step gives away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Picture
from boundkit.cli.output import emit, print_json


def run(
    theorem: Annotated[
        str,
        typer.Argument(help="a theorem whose proof is here step by step", autocompletion=completion.proofs),
    ],
    run_file: Annotated[
        Path | None, typer.Argument(metavar="[RUN.json]", help="the run; a default instance without it")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="print each step's inequality and its reason too")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="keep it as a record that boundkit figure waterfall draws (json)")
    ] = None,
    plot: Picture = None,
    save_run: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write the run, as the default instance is no file (json)"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Evaluate a proof on a run, step by step.

    The slack of each step, and exit code 1 where a step is violated.
    """
    from boundkit.proofs import as_record, ledger, proof_of
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text
    from boundkit.simulation.run_file import read_run
    from boundkit.studies.demonstration_records import write_demonstration
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    proof_of(statement)  # a theorem without one is refused before anything is read or run
    if plot is not None:
        from boundkit.figures.save import refuse_unwritable_figure

        refuse_unwritable_figure(plot)
    for file in (record, save_run):
        if file is not None:
            refuse_unwritable(file)
    result = ledger(statement, None if run_file is None else read_run(statement.algorithm, run_file))
    stored = as_record(result)
    if record is not None:
        write_demonstration(stored, record)
    if save_run is not None:
        write_text(save_run, json.dumps(result.run, indent=2) + "\n")
    if plot is not None:
        from boundkit.figures.save import save
        from boundkit.figures.waterfall import figure

        save(figure(stored), plot)
    if as_json:
        print_json(result.to_dict())
    else:
        parts = [result.to_text(), *([result.statements()] if verbose else [])]
        written = {"run": run_file or save_run, "record": record, "picture": plot}
        lines = [f"  {name:<8}  {path}" for name, path in written.items() if path is not None]
        parts += ["\n".join(lines)] if lines else []
        emit("\n\n".join(parts))
    return int(not result.holds)
