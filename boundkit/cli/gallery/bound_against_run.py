"""``boundkit figure bound_against_run THEOREM [--run RUN.json] [--record FILE | --records DIR]``.

With ``--measured FILE.csv name=value ...``: the bound at these values, and a person's own measurement.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.verification.record import Record

BOUNDS = "bounds"
"""The folder, beside other records, of runs on default instances with default settings."""

USUAL = {"engine": "auto", "replicas": 100, "seed": None, "device": "cpu", "dtype": "float64",
         "arrays": "auto"}  # fmt: skip
"""The defaults of the options of a run."""


class StoredRecord(NamedTuple):
    """A record, its file, where it has one, and whether its verification had to run first."""

    record: Record
    file: Path | None
    ran: bool


def make(request: FigureRequest) -> FigureResult:
    """The picture of a record; exit code 1 where a verification ran for it and fell short."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.records import drawing
    from boundkit.figures import bound_against_run
    from boundkit.figures.csv_data import of_record

    if request.options["measured"] is not None:
        return _make_measured(request)
    theorem, *others = request.names or (None,)
    for word in (*others, *request.values):
        raise BoundkitError(f"{request.name} draws a run: {word!r} belongs into RUN.json, given as --run.")
    bound_against_run.check_kind(request.options["kind"])
    result = _read_or_compute(theorem, request)
    with drawing(request.name, result.file):
        page = bound_against_run.figure(result.record, request.preset, request.options["kind"])
        columns = of_record(result.record)
        code = int(result.ran and result.record.verdict["verdict"] in ("violated", "undecided"))
    return FigureResult(page, result.record.theorem, code, result.file, columns)


def _make_measured(request: FigureRequest) -> FigureResult:
    """The bound at the given values along T, and the measurement in a file; nothing runs."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.predict import predict
    from boundkit.cli.output import warn_outside
    from boundkit.cli.parameter_values import read_values
    from boundkit.figures import bound_against_run
    from boundkit.figures.csv_data import of_curves
    from boundkit.figures.measured_curve import read_measurement
    from boundkit.theorems import theorem as named

    for name, usual in {"run": None, "record": None, "records": None, **USUAL}.items():
        if request.options[name] != usual:
            raise BoundkitError(f"--{name} is about a run, and --measured takes its place; give one of them.")
    statement = named(request.theorem())
    prediction = predict(statement, **read_values(request.values, statement))
    measurement = read_measurement(request.options["measured"])
    page, bound, curves = bound_against_run.figure_of_measurement(
        prediction, measurement, request.preset, request.options["kind"]
    )
    warn_outside(bound)
    return FigureResult(page, bound.theorem.name, columns=of_curves(curves, band=measurement.banded))


def _read_or_compute(theorem: str | None, request: FigureRequest) -> StoredRecord:
    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.records import folder_of
    from boundkit.theorems import theorem as named

    file: Path | None = request.options["record"]
    if theorem is None and file is None:
        raise BoundkitError("bound_against_run needs a theorem, or --record FILE.")
    statement = None if theorem is None else named(theorem)
    if file is not None and (file.exists() or statement is None):
        name = None if statement is None else statement.name
        return StoredRecord(
            _read_checked(file, name, request.options["run"], request.options["seed"]), file, False
        )
    assert statement is not None
    if file is not None and file.name != f"{statement.name}.nc":
        raise BoundkitError(f"{file} is missing, and a new record is called {statement.name}.nc.")
    if file is None and _is_usual(request):
        file = folder_of(request) / BOUNDS / f"{statement.name}.nc"
        if file.is_file() and _is_of_today(stored := _read_checked(file, statement.name, None, None)):
            return StoredRecord(stored, file, False)
    elif file is None and request.options["records"] is not None:
        raise BoundkitError(
            "--records holds runs on default instances with default settings; use --record FILE for others."
        )
    return StoredRecord(_verified(statement, request, file), file, True)


def _is_usual(request: FigureRequest) -> bool:
    """Whether the run and all settings are the defaults."""
    same = all(request.options[name] == value for name, value in USUAL.items())
    return same and request.options["run"] is None


def _is_of_today(stored: Record) -> bool:
    from boundkit.verification.record import versions

    here = versions().get("boundkit")
    return here is None or (isinstance(stored.versions, dict) and stored.versions.get("boundkit") == here)


def _verified(statement: Theorem, request: FigureRequest, file: Path | None) -> Record:
    """The record of a new run, which replaces that of the file."""
    from boundkit.cli.gallery.records import refuse_new_folder_of_package
    from boundkit.cli.progress import progress
    from boundkit.figures.gallery import RUN
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.record import as_record, write_record
    from boundkit.verification.verifier import verify

    settings: dict[str, Any] = {name: request.options[name] for name in RUN}
    seed, run_file = settings.pop("seed"), request.options["run"]
    run = None if run_file is None else read_run(statement.algorithm, run_file, seed)
    if run is None and seed is not None:
        settings["seed"] = seed
    if file is not None:
        refuse_new_folder_of_package(file.parent)
        refuse_unwritable(file)
    with progress(f"verify {statement.name}") as report_progress:
        verdict = verify(statement, run, progress=report_progress, slopes=False, **settings)
    if file is None:
        return as_record(verdict)
    record = as_record(write_record(verdict, file.parent))
    request.computed[file] = f"a run for {statement.name}"
    return record


def _read_checked(file: Path, theorem: str | None, run_file: Path | None, seed: int | None) -> Record:
    """A record that is there, if it is the requested one."""
    import json

    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run
    from boundkit.theorems import theorem as named
    from boundkit.verification.record import read_record

    stored = read_record(file)
    if theorem is not None and stored.theorem != theorem:
        raise BoundkitError(f"{file} is a record of {stored.theorem}, not of {theorem}.")
    if run_file is not None:
        request = read_run(named(stored.theorem).algorithm, run_file, seed)
        if json.dumps(request.to_json()) != json.dumps(stored.run):
            raise BoundkitError(f"{file} is a record of another run than {run_file}; name another.")
    return stored
