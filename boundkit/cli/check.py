"""``boundkit check``: everything about a theorem that needs no run, for a file of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.cli.known import Known


def run(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE.py...", help="files that define theorems, or names of theorems"),
    ] = None,
    exhibits: Annotated[
        bool, typer.Option("--exhibits", help="show what is kept as printed because it fails, with a review")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> int:
    """Check theorems without a run: units, numbers, conditions, limits, reductions, source; 1: one fails."""
    from boundkit.algebra import BoundkitError

    if exhibits == bool(targets):
        raise BoundkitError("name a file that defines a theorem, or ask for --exhibits.")
    if exhibits:
        return _exhibits(as_json)
    reports = [report for target in targets or [] for report in _reports(target)]
    if as_json:
        print_json([report.to_dict() for report in reports])
    else:
        emit("\n\n".join(report.to_text() for report in reports))
    return int(not all(reports))


def _reports(target: str) -> list[Any]:
    """The reports on one file or name; a theorem that the file could not build fails its one check."""
    from boundkit.analysis.check import Finding, Report, check
    from boundkit.analysis.check.reading import StatementError
    from boundkit.cli.known import Known

    try:
        theorems = _theorems(target, Known())
    except StatementError as error:
        return [Report(target, (Finding("statement", "fail", str(error)),))]
    known = Known({theorem.name: theorem for theorem in theorems})
    return [check(theorem, known) for theorem in theorems]


def _theorems(target: str, known: Known) -> list[Theorem]:
    from boundkit.analysis.check.reading import theorems_in
    from boundkit.theorems import theorem as named

    if Path(target).suffix == ".py" or Path(target).exists():
        return theorems_in(target, known)
    return [named(target)]


def _exhibits(as_json: bool) -> int:
    from boundkit.analysis.exhibits import exhibit_dict, exhibit_text
    from boundkit.theorems.exhibits import exhibits

    shown = exhibits().values()  # an exhibit that is not refused cannot be built
    if as_json:
        print_json([exhibit_dict(exhibit) for exhibit in shown])
    else:
        emit("\n\n".join(exhibit_text(exhibit) for exhibit in shown))
    return 0
