"""``boundkit figure waterfall THEOREM [--run RUN.json] [--record FILE]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.arguments import Asked, Made
from boundkit.report.formatting import join_names

if TYPE_CHECKING:
    from boundkit.verification.tabular_result import TabularResult


def make(asked: Asked) -> Made:
    """The picture of a ledger; exit code 1 where one was written for it and a step is wrong."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.waterfall import figure

    for word in (*asked.names[1:], *asked.values):
        raise BoundkitError(
            f"{asked.name} draws a theorem's proof on a run: {word!r} belongs into RUN.json, given as --run."
        )
    found, file, written = _found(asked)
    with drawing(asked.name, file):
        page = figure(found, asked.preset)
        columns = of_table(found, "steps")
        code = int(written and not found.values["holds"])
    return Made(page, found.values["theorem"], code, file, columns)


def _found(asked: Asked) -> tuple[TabularResult, Path | None, bool]:
    """The record that was named, or a ledger that is written now; whether it was, and its file."""
    from boundkit.algebra import BoundkitError
    from boundkit.proofs import as_record, ledger, proved
    from boundkit.proofs.proof_ledger import NAME
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
    from boundkit.theorems import theorem as named

    file, run_file = asked.options["record"], asked.options["run"]
    if file is not None and file.is_file():
        kept = read_demonstration(file)
        if kept.name != NAME:
            raise BoundkitError(f"{file} is a record of {kept.name}, not of a {NAME}.")
        if asked.names and kept.values.get("theorem") != asked.names[0]:
            raise BoundkitError(
                f"{file} is a record of {kept.values.get('theorem')}, not of {asked.names[0]}."
            )
        if run_file is not None:
            raise BoundkitError(f"{file} is there, and is drawn as it is: leave out --run, or name another.")
        return kept, file, False
    if not asked.names:
        raise BoundkitError(
            f"{asked.name} needs a theorem whose proof can be run: {join_names(proved())}; "
            f"as in boundkit figure {asked.name} {proved()[0]}."
        )
    statement = named(asked.theorem())
    run = None if run_file is None else read_run(statement.algorithm, run_file)
    if file is not None:
        refuse_unwritable(file)
    found = as_record(ledger(statement, run))
    return (found if file is None else write_demonstration(found, file)), file, True
