"""``boundkit figure bound_against_run THEOREM [--run RUN.json] [--record FILE | --records DIR]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boundkit.cli.gallery.arguments import Asked, Made

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.verification.record import Record

BOUNDS = "bounds"
"""The folder, beside other records, of the runs that nobody described: default instances and settings."""


class Found(NamedTuple):
    """A record, its file, where it has one, and whether its verification had to run first."""

    record: Record
    file: Path | None
    ran: bool


def make(asked: Asked) -> Made:
    """The picture of a record; exit code 1 where a verification ran for it and fell short."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing
    from boundkit.figures import bound_against_run
    from boundkit.figures.csv_data import of_record

    theorem, *others = asked.names or (None,)
    for word in (*others, *asked.values):
        raise BoundkitError(f"{asked.name} draws a run: {word!r} belongs into RUN.json, given as --run.")
    bound_against_run.known_kind(asked.options["kind"])
    found = _found(theorem, asked)
    with drawing(asked.name, found.file):
        page = bound_against_run.figure(found.record, asked.preset, asked.options["kind"])
        columns = of_record(found.record)
        code = int(found.ran and found.record.verdict["verdict"] in ("violated", "undecided"))
    return Made(page, found.record.theorem, code, found.file, columns)


def _found(theorem: str | None, asked: Asked) -> Found:
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import folder_of
    from boundkit.theorems import theorem as named

    file: Path | None = asked.options["record"]
    if theorem is None and file is None:
        raise BoundkitError("bound_against_run needs a theorem, or --record FILE.")
    statement = None if theorem is None else named(theorem)
    if file is not None and (file.exists() or statement is None):
        name = None if statement is None else statement.name
        return Found(_kept(file, name, asked.options["run"], asked.options["seed"]), file, False)
    assert statement is not None
    if file is not None and file.name != f"{statement.name}.nc":
        raise BoundkitError(f"{file} is missing, and a new record is called {statement.name}.nc.")
    if file is None and _is_usual(asked):
        file = folder_of(asked) / BOUNDS / f"{statement.name}.nc"
        if file.is_file() and _is_of_today(kept := _kept(file, statement.name, None, None)):
            return Found(kept, file, False)
    elif file is None and asked.options["records"] is not None:
        raise BoundkitError(
            "--records keeps runs on default instances with default settings; keep another as --record FILE."
        )
    return Found(_verified(statement, asked, file), file, True)


def _is_usual(asked: Asked) -> bool:
    """Whether the run and all settings are what they are where nobody says."""
    from inspect import signature

    from boundkit.cli.figure import run
    from boundkit.figures.gallery import RUN

    usual = signature(run).parameters
    same = all(asked.options[name] == usual[name].default for name in RUN)
    return same and asked.options["run"] is None


def _is_of_today(kept: Record) -> bool:
    from boundkit.verification.record import versions

    here = versions().get("boundkit")
    return here is None or (isinstance(kept.versions, dict) and kept.versions.get("boundkit") == here)


def _verified(statement: Theorem, asked: Asked, file: Path | None) -> Record:
    """The record of a new run, which takes the place of what the file held."""
    from boundkit.cli.progress import progress
    from boundkit.figures.gallery import RUN
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.record import as_record, write_record
    from boundkit.verification.verifier import verify

    settings: dict[str, Any] = {name: asked.options[name] for name in RUN}
    seed, run_file = settings.pop("seed"), asked.options["run"]
    run = None if run_file is None else read_run(statement.algorithm, run_file, seed)
    if run is None and seed is not None:
        settings["seed"] = seed
    if file is not None:
        refuse_unwritable(file)
    with progress(f"verify {statement.name}") as tell:
        verdict = verify(statement, run, progress=tell, slopes=False, **settings)
    return as_record(verdict if file is None else write_record(verdict, file.parent))


def _kept(file: Path, theorem: str | None, run_file: Path | None, seed: int | None) -> Record:
    """A record that is there, if it is the one that was asked for."""
    import json

    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run
    from boundkit.theorems import theorem as named
    from boundkit.verification.record import read_record

    kept = read_record(file)
    if theorem is not None and kept.theorem != theorem:
        raise BoundkitError(f"{file} is a record of {kept.theorem}, not of {theorem}.")
    if run_file is not None:
        asked = read_run(named(kept.theorem).algorithm, run_file, seed)
        if json.dumps(asked.to_json()) != json.dumps(kept.run):
            raise BoundkitError(f"{file} is a record of another run than {run_file}; name another.")
    return kept
