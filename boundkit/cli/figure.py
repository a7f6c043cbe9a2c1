"""``boundkit figure``: a picture, from a record or a prediction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.simulation import AsJson, Device, Dtype, Engine, Replicas, Seed
from boundkit.cli.values import HELP

if TYPE_CHECKING:
    from boundkit.analysis.predict import Prediction
    from boundkit.verify.record import Record


def run(
    name: Annotated[str, typer.Argument(help="bound_against_run, or terms")],
    theorem: Annotated[str | None, typer.Argument(help="a name from boundkit list")] = None,
    values: Annotated[list[str] | None, typer.Argument(metavar="name=value...", help=HELP)] = None,
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="the run; default instances without it")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="draw this record; where it is missing, make it first")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="a .pdf, .svg or .png, all three without suffix; in out/figures by default"),
    ] = None,
    preset: Annotated[str, typer.Option(help="hall, paper (one column, 8 pt) or dark")] = "hall",
    kind: Annotated[str, typer.Option(help="lines, or stacked: the share of each cause below")] = "lines",
    engine: Engine = "auto",
    replicas: Replicas = 100,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    as_json: AsJson = False,
) -> int:
    """Draw a figure and say where it is: exit code 1 where a verification ran for it and fell short."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.gallery import known
    from boundkit.figures.save import paths_of, save
    from boundkit.figures.style import known_preset

    known(name)
    known_preset(preset)
    path = out if out is not None else Path("out/figures") / "_".join(filter(None, (name, theorem)))
    paths_of(path)  # a name that cannot be written is refused before anything runs
    code = 0
    if name == "terms":
        if run_file is not None or record is not None or kind != "lines":
            raise BoundkitError("terms is drawn from name=value words: no --run, no --record, no --kind.")
        from boundkit.figures import terms

        page = terms.figure(_prediction(theorem, values or []), preset)
    else:
        if values:
            raise BoundkitError(f"{name} draws a run: {values[0]!r} belongs into RUN.json, given as --run.")
        options: dict[str, Any] = {"engine": engine, "replicas": replicas, "device": device, "dtype": dtype}
        from boundkit.figures import bound_against_run

        bound_against_run.known_kind(kind)
        found, ran = _record(theorem, run_file, record, seed, options)
        page = bound_against_run.figure(found, preset, kind)
        theorem = found.theorem
        code = int(ran and found.verdict["verdict"] in ("violated", "undecided"))
    written = [str(one) for one in save(page, path)]
    if as_json:
        kept = None if record is None else str(record)
        print_json({"figure": name, "theorem": theorem, "preset": preset, "written": written, "record": kept})
    else:
        emit("\n".join(written))
    return code


def _prediction(theorem: str | None, words: list[str]) -> Prediction:
    """The prediction over the axes that the words span, or over the usual ones."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.predict import predict
    from boundkit.cli.values import read_values
    from boundkit.figures.terms import usual_axes
    from boundkit.theorems import theorem as named

    if theorem is None:
        raise BoundkitError("terms needs a theorem: boundkit figure terms THEOREM name=value ...")
    statement = named(theorem)
    given: dict[str, Any] = dict(read_values(words, statement))
    if not any(isinstance(value, list) for value in given.values()):
        given |= usual_axes(statement, given)
    return predict(statement, **given)


def _record(
    theorem: str | None, run_file: Path | None, file: Path | None, seed: int | None, options: dict[str, Any]
) -> tuple[Record, bool]:
    """The record to draw, and whether its verification had to run first."""
    import json

    from boundkit.algebra import BoundkitError
    from boundkit.theorems import theorem as named
    from boundkit.verify.record import as_record, read_record, write_record
    from boundkit.verify.runfile import read_run

    if theorem is None and file is None:
        raise BoundkitError("bound_against_run needs a theorem, or --record FILE.")
    statement = None if theorem is None else named(theorem)
    if file is not None and (file.exists() or statement is None):
        kept = read_record(file)
        if statement is not None and kept.theorem != statement.name:
            raise BoundkitError(f"{file} is a record of {kept.theorem}, not of {statement.name}.")
        if run_file is not None:
            asked = read_run(named(kept.theorem).algorithm, run_file, seed)
            if json.dumps(asked.to_json()) != json.dumps(kept.run):
                raise BoundkitError(f"{file} is a record of another run than {run_file}; name another.")
        return kept, False
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
