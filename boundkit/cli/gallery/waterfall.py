"""``boundkit figure waterfall THEOREM [--run RUN.json] [--record FILE]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.report.formatting import join_names

if TYPE_CHECKING:
    from boundkit.verification.tabular_result import TabularResult


def make(request: FigureRequest) -> FigureResult:
    """The picture of a ledger; exit code 1 where one was written for it and a step is wrong."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.waterfall import figure

    for word in (*request.names[1:], *request.values):
        raise BoundkitError(
            f"{request.name} draws a theorem's proof on a run: {word!r} belongs into RUN.json, given as "
            "--run."
        )
    result, file, written = _read_or_compute(request)
    with drawing(request.name, file):
        page = figure(result, request.preset)
        columns = of_table(result, "steps")
        code = int(written and not result.values["holds"])
    return FigureResult(page, result.values["theorem"], code, file, columns)


def _read_or_compute(request: FigureRequest) -> tuple[TabularResult, Path | None, bool]:
    """The record that was named, or a ledger that is written now; whether it was, and its file."""
    from boundkit.algebra import BoundkitError
    from boundkit.proofs import as_record, ledger, proved
    from boundkit.proofs.proof_ledger import NAME
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
    from boundkit.theorems import theorem as named

    file, run_file = request.options["record"], request.options["run"]
    if file is not None and file.is_file():
        record = read_demonstration(file)
        if record.name != NAME:
            raise BoundkitError(f"{file} is a record of {record.name}, not of a {NAME}.")
        if request.names and record.values.get("theorem") != request.names[0]:
            raise BoundkitError(
                f"{file} is a record of {record.values.get('theorem')}, not of {request.names[0]}."
            )
        if run_file is not None:
            raise BoundkitError(f"{file} is there, and is drawn as it is: leave out --run, or name another.")
        return record, file, False
    if not request.names:
        raise BoundkitError(
            f"{request.name} needs a theorem whose proof can be run: {join_names(proved())}; "
            f"as in boundkit figure {request.name} {proved()[0]}."
        )
    statement = named(request.theorem())
    run = None if run_file is None else read_run(statement.algorithm, run_file)
    if file is not None:
        refuse_unwritable(file)
    result = as_record(ledger(statement, run))
    return (result if file is None else write_demonstration(result, file)), file, True
