"""``boundkit demonstrate``: a run that shows one effect, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson
from boundkit.cli.output import emit, print_json, print_table

if TYPE_CHECKING:
    from boundkit.verification.tabular_result import TabularResult

_LONG = 40
"""Of a longer column some rows are printed."""


def run(
    name: Annotated[
        str | None,
        typer.Argument(
            help="a demonstration; without a name, all are listed",
            show_default=False,
            autocompletion=completion.demonstrations,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="write its columns to this file, in full digits")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="fewer rounds and replicas, where it would take a minute or more")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="processes that share its runs, where there are many; 1 by default")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a demonstration: its statement and its numbers."""
    if name is None:
        _list(out, as_json)
        return
    from boundkit.cli.progress import progress
    from boundkit.studies.demonstrations import options, sentence

    sentence(name)  # an unknown name is refused before numpy and torch are loaded
    if out is not None:
        _refuse(out)
    with progress(name) as report_progress:
        from boundkit.studies.demonstrations import demonstrate

        counts = "progress" in options(name)
        result = demonstrate(name, quick=quick, jobs=jobs, progress=report_progress if counts else None)
    if out is not None:
        result.write_csv(out)
    if as_json:
        print_json(result.to_dict() | {"written": None if out is None else str(out)})
        return
    _print(result)
    if out is not None:
        emit(f"\ncolumns in {out}")


def _list(out: Path | None, as_json: bool) -> None:
    from boundkit.algebra import BoundkitError
    from boundkit.studies.demonstrations import names, sentence

    if out is not None:
        raise BoundkitError("--out writes the columns of one demonstration: give its name.")
    if as_json:
        print_json([{"demonstration": name, "shows": sentence(name)} for name in names()])
    else:
        print_table(["demonstration", "what it shows"], [[name, sentence(name)] for name in names()], left=2)


def _refuse(out: Path) -> None:
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable

    if out.suffix.lower() != ".csv":
        raise BoundkitError(f"--out writes a .csv, but {str(out)!r} was given.")
    refuse_unwritable(out)


def _print(result: TabularResult) -> None:
    """The sentence, its tables, the values, and what the names mean."""
    emit(fill(result.shows, 110))
    for title, table in result.tables:
        columns = {name.removeprefix(f"{title} "): result.columns[name] for name in table}
        emit(f"\n{title}:" if title else "")
        _print_columns(columns, len(result.columns[table[0]]))
    if result.values:
        emit("")
        for name, value in result.values.items():
            emit(f"{name} = {_format(value)}")
    if result.means:
        emit("\n" + fill(result.means, 110, break_on_hyphens=False))


def _print_columns(columns: dict[str, Sequence[Any]], length: int) -> None:
    rows = range(length) if length <= _LONG else _some(length)
    header = [*columns] if length <= _LONG else ["row", *columns]
    body = [[_format(column[i]) for column in columns.values()] for i in rows]
    if length > _LONG:
        body = [[str(i), *line] for i, line in zip(rows, body, strict=True)]
    words = [all(isinstance(v, str) for v in column) for column in columns.values()]
    print_table(header, body, left=max(1, [*words, False].index(False)))
    if length > _LONG:
        emit(f"{len(rows)} of {length} rows, counted from 0; --out and --json give all")


def _some(length: int) -> list[int]:
    """0, 1, 2, 5, 10, 20, 50, ... and the last.

    >>> _some(61)
    [0, 1, 2, 5, 10, 20, 50, 60]
    """
    marks = (step * 10**k for k in range(len(str(length))) for step in (1, 2, 5))
    return [0, *(mark for mark in marks if mark < length - 1), length - 1]


def _format(value: Any) -> str:
    from boundkit.report.formatting import format_number

    if value is None:
        return "none"
    if isinstance(value, float) and value != value:
        return "-"
    return str(value) if isinstance(value, (str, bool)) else format_number(value)
