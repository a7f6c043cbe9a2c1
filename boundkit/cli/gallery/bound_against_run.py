"""``boundkit figure bound_against_run THEOREM [--run RUN.json] [--record FILE]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.gallery.asked import Asked, Made

if TYPE_CHECKING:
    from boundkit.verify.record import Record


def make(asked: Asked) -> Made:
    """The picture of a record; exit code 1 where a verification ran for it and fell short."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures import bound_against_run
    from boundkit.figures.data import of_record

    theorem, *others = asked.names or (None,)
    for word in (*others, *asked.values):
        raise BoundkitError(f"{asked.name} draws a run: {word!r} belongs into RUN.json, given as --run.")
    settings = dict(asked.options)
    run_file, record, kind = (settings.pop(name) for name in ("run", "record", "kind"))
    bound_against_run.known_kind(kind)
    found, ran = _record(theorem, run_file, record, settings.pop("seed"), settings)
    page = bound_against_run.figure(found, asked.preset, kind)
    code = int(ran and found.verdict["verdict"] in ("violated", "undecided"))
    return Made(page, found.theorem, code, record, of_record(found))


def _record(
    theorem: str | None, run_file: Path | None, file: Path | None, seed: int | None, options: dict[str, Any]
) -> tuple[Record, bool]:
    """The record to draw, and whether its verification had to run first."""
    from boundkit.algebra import BoundkitError
    from boundkit.theorems import theorem as named
    from boundkit.verify.record import as_record, write_record
    from boundkit.verify.runfile import read_run

    if theorem is None and file is None:
        raise BoundkitError("bound_against_run needs a theorem, or --record FILE.")
    statement = None if theorem is None else named(theorem)
    if file is not None and (file.exists() or statement is None):
        return _kept(file, None if statement is None else statement.name, run_file, seed), False
    assert statement is not None
    if file is not None and file.name != f"{statement.name}.nc":
        raise BoundkitError(f"{file} is missing, and a new record is called {statement.name}.nc.")
    from boundkit.cli.progress import progress
    from boundkit.verify.verifying import verify

    run = None if run_file is None else read_run(statement.algorithm, run_file, seed)
    seeded: dict[str, Any] = {"seed": seed} if run is None and seed is not None else {}
    with progress(f"verify {statement.name}") as tell:
        verdict = verify(statement, run, progress=tell, slopes=False, **options, **seeded)
    if file is not None:
        verdict = write_record(verdict, file.parent)
    return as_record(verdict), True


def _kept(file: Path, theorem: str | None, run_file: Path | None, seed: int | None) -> Record:
    """A record that is there, if it is the one that was asked for."""
    import json

    from boundkit.algebra import BoundkitError
    from boundkit.theorems import theorem as named
    from boundkit.verify.record import read_record
    from boundkit.verify.runfile import read_run

    kept = read_record(file)
    if theorem is not None and kept.theorem != theorem:
        raise BoundkitError(f"{file} is a record of {kept.theorem}, not of {theorem}.")
    if run_file is not None:
        asked = read_run(named(kept.theorem).algorithm, run_file, seed)
        if json.dumps(asked.to_json()) != json.dumps(kept.run):
            raise BoundkitError(f"{file} is a record of another run than {run_file}; name another.")
    return kept
