"""``boundkit verify``: a theorem against runs of its algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json, print_table
from boundkit.cli.simulation import AsJson, Device, Dtype, Engine, Replicas, Seed

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.verify.verdict import Verdict


def run(
    theorem: Annotated[str | None, typer.Argument(help="a name from boundkit list; or --all")] = None,
    run_file: Annotated[
        Path | None, typer.Argument(metavar="[RUN.json]", help="the run; default instances without it")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="every theorem of the catalogue")] = False,
    engine: Engine = "auto",
    replicas: Replicas = 100,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    slopes: Annotated[bool, typer.Option(help="also fit the scaling of each term")] = True,
    jobs: Annotated[int, typer.Option(help="with --all: processes that share the work")] = 1,
    out: Annotated[Path | None, typer.Option(help="write a record of each verdict into this folder")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="draw bound against run into this file (pdf, svg, png)")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Hold a theorem against a run: exit code 1 where a check falls short."""
    from boundkit.algebra import BoundkitError
    from boundkit.theorems import catalogue
    from boundkit.theorems import theorem as named

    if every and theorem is not None and run_file is None:  # verify --all RUN.json
        run_file = Path(theorem)
        theorem = None
    if every == (theorem is not None):
        raise BoundkitError("name one theorem, or ask for --all.")
    if every and plot is not None:
        raise BoundkitError("--plot draws one theorem; with --all, write records by --out and draw those.")
    options: dict[str, Any] = {
        "engine": engine, "replicas": replicas, "device": device, "dtype": dtype, "slopes": slopes
    }  # fmt: skip
    if theorem is None:
        _refuse_unwritable(out, None)
        return _all(list(catalogue().values()), run_file, seed, out, jobs, options, as_json)
    from boundkit.cli.progress import progress
    from boundkit.verify.beyond import beyond
    from boundkit.verify.record import write_record
    from boundkit.verify.runfile import read_run
    from boundkit.verify.verifying import verify

    statement = named(theorem)
    asked = None if run_file is None or beyond(statement) else read_run(statement.algorithm, run_file, seed)
    if asked is None and seed is not None:
        options["seed"] = seed
    _refuse_unwritable(out, plot)
    with progress(f"verify {theorem}") as tell:
        verdict = verify(statement, asked, progress=tell, **options)
    if out is not None:
        verdict = write_record(verdict, out)
    drawn = None if plot is None else _draw(verdict, plot)
    if as_json:
        print_json(verdict.to_dict())
    else:
        emit(verdict.to_text() + (f"\n  picture   {drawn}" if drawn else ""))
    return _code([verdict])


def _all(
    theorems: list[Theorem],
    run_file: Path | None,
    seed: int | None,
    out: Path | None,
    jobs: int,
    options: dict[str, Any],
    as_json: bool,
) -> int:
    from boundkit.cli.progress import progress
    from boundkit.verify.sweep import verify_all

    verdicts = []
    with progress("verify") as tell:
        for verdict in verify_all(theorems, run_file, seed, out, jobs, **options):
            verdicts.append(verdict)
            tell(len(verdicts), len(theorems))
    if as_json:
        print_json([v.to_dict() for v in verdicts])
    else:
        header = ["theorem", "verdict", "kind", "constants", "measured/bound", "slopes", "not tested"]
        spoken = [v for v in verdicts if v.answer != "not applicable"]
        if spoken:
            print_table(header, [_row(v) for v in spoken], left=4)
        others = [[v.theorem.name, _why(v.reason)] for v in verdicts if v not in spoken]
        if others:
            emit(f"\n{len(others)} are not applicable:\n")
            print_table(["theorem", "because"], others, left=2)
    return _code(verdicts)


def _row(verdict: Verdict) -> list[str]:
    fitted = [c for c in verdict.checks if c.name.startswith(("slope", "decay"))]
    slopes = [c for c in fitted if c.outcome != "not tested"]
    matched = sum(c.outcome == "holds" for c in slopes)
    ratio = "" if verdict.ratio is None else f"{verdict.ratio:.4g}"
    return [verdict.theorem.name, verdict.answer, verdict.theorem.kind, verdict.trust or "", ratio,
            f"{matched}/{len(slopes)}", str(len(verdict.untested))]  # fmt: skip


def _why(reason: str) -> str:
    """The first reason, without the words that all of them begin with."""
    return reason.split(": ", 1)[-1].split("; ")[0].rstrip(".")


def _refuse_unwritable(out: Path | None, plot: Path | None) -> None:
    """Say before a long run that its answer would have no place."""
    from boundkit.verify.files import refuse_unwritable

    if plot is not None:
        from boundkit.figures.save import paths_of

        for path in paths_of(plot):
            refuse_unwritable(path)
    if out is not None:
        refuse_unwritable(out / "record.nc")


def _draw(verdict: Verdict, path: Path) -> Path | None:
    """The picture of bound against run, where there was a run to draw."""
    if verdict.curves is None:
        return None
    from boundkit.figures.bound_against_run import figure
    from boundkit.figures.save import save
    from boundkit.verify.record import as_record

    save(figure(as_record(verdict)), path)
    return path


def _code(verdicts: list[Verdict]) -> int:
    return int(any(v.answer in ("violated", "undecided") for v in verdicts))
