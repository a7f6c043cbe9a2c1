"""``boundkit verify``: a theorem against runs of its algorithm."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.options import (
    AllTheorems,
    Arrays,
    AsJson,
    Backend,
    Device,
    Dtype,
    Engine,
    Fresh,
    Jobs,
    Picture,
    Replicas,
    Scheduler,
    Seed,
    TheoremOrAll,
    check_theorem_or_all,
    refuse_unwritable_results,
    refuse_without_all,
    workers_of,
)
from boundkit.cli.output import emit, print_json, print_table, warn_of_replicas

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.simulation.run import Run
    from boundkit.verification.record import Record
    from boundkit.verification.verdict import Verdict


def run(
    theorem: TheoremOrAll = None,
    run_file: Annotated[
        Path | None, typer.Argument(metavar="[RUN.json]", help="the run; default instances without it")
    ] = None,
    every: AllTheorems = False,
    engine: Engine = "auto",
    replicas: Replicas = 100,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    arrays: Arrays = "auto",
    slopes: Annotated[
        bool | None,
        typer.Option("--slopes/--no-slopes", help="fit the scaling of each term too; done unless --quick"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer instances, and no slopes")] = False,
    jobs: Jobs = None,
    backend: Backend = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option(help="records of verdicts in this folder; with --all, a second call resumes"),
    ] = None,
    fresh: Fresh = False,
    report: Annotated[
        Path | None,
        typer.Option(help="with --all: a page with pictures (html, md); report.html under --out by default"),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(help="with --all: ratios and slopes alone (json), as boundkit figure tightness draws"),
    ] = None,
    plot: Picture = None,
    as_json: AsJson = False,
) -> int:
    """Test a theorem on runs: exit code 1 where a check fails."""
    from boundkit.algebra import BoundkitError
    from boundkit.theorem_targets import theorem_of
    from boundkit.theorems import catalogue

    if every and theorem is not None and run_file is None:  # verify --all RUN.json
        run_file = Path(theorem)
        theorem = None
    check_theorem_or_all(theorem, every)
    if every and plot is not None:
        raise BoundkitError("--plot draws one theorem; with --all, ask for a --report with all pictures.")
    refuse_without_all(
        every, jobs=jobs, backend=backend, scheduler=scheduler, fresh=fresh, report=report, summary=summary
    )
    options: dict[str, Any] = {
        "engine": engine, "replicas": replicas, "device": device, "dtype": dtype,
        "slopes": not quick if slopes is None else slopes, **({"quick": True} if quick else {}),
        **({} if arrays == "auto" else {"arrays": arrays}),
    }  # fmt: skip
    if theorem is None:
        from boundkit.cli.verify import verify_every

        workers = workers_of(jobs, backend, scheduler)
        theorems = list(catalogue().values())
        pages = (report, summary)
        return verify_every(theorems, run_file, seed, out, pages, workers, fresh, options, as_json)
    from boundkit.cli.progress import progress
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.applicability import reasons_unsupported
    from boundkit.verification.record import write_record
    from boundkit.verification.verifier import verify

    refuse_unwritable_results(plot, None if out is None else out / "record.nc")
    statement = theorem_of(theorem)
    request = None
    if run_file is not None and not reasons_unsupported(statement):
        try:
            request = read_run(statement.algorithm, run_file, seed)
        except BoundkitError as error:
            others = nearest(run_file, seed, statement)  # it may be a run of another algorithm
            text = f" {sentence(others, statement.algorithm)}" if others else ""
            raise BoundkitError(f"{error}{text}") from None
    if request is None and seed is not None:
        options["seed"] = seed
    with progress(f"verify {statement.name}") as report_progress:
        verdict = verify(statement, request, progress=report_progress, **options)
    if out is not None:
        verdict = write_record(verdict, out)
    drawn = None if plot is None else _draw(verdict, plot)
    if not as_json:  # before the search, which takes long where there are many clients
        picture = f"picture: {drawn}" if drawn else "no picture: there is no run to draw." if plot else ""
        emit(verdict.to_text() + (f"\n\n{picture}" if picture else ""))
    near: list[tuple[str, bool]] | None = None
    if request is not None and run_file is not None and verdict.answer == "not applicable":
        near = nearest(run_file, seed, statement)
    if request is not None and replicas not in (1, 100) and verdict.replicas is None:
        warn_of_replicas()
    if as_json:
        print_json(verdict.to_dict() | ({} if near is None else {"nearest": [name for name, _ in near]}))
    elif near is not None:
        emit(f"\n{sentence(near, statement.algorithm)}")
    return int(verdict.answer in ("violated", "undecided"))


def _draw(verdict: Verdict, path: Path) -> Path | None:
    """The picture of bound against run, where there was a run to draw."""
    if verdict.curves is None:
        return None
    from boundkit.figures.bound_against_run import figure
    from boundkit.figures.save import save
    from boundkit.verification.record import as_record

    save(figure(as_record(verdict)), path)
    return path


_MOST = 4
"""Number of names that are printed; ``boundkit list`` has the others."""


def nearest(run_file: Path, seed: int | None, theorem: Theorem) -> list[tuple[str, bool]]:
    """Names of theorems that apply to the run, and whether its step sizes satisfy their conditions.

    Theorems about the same algorithm; where there is none, those about every algorithm that can read the
    file. Those whose conditions hold are first, then those with the same claim, then those with the most
    assumptions in common.
    """
    from boundkit.theorems import about, catalogue

    result = _fitting(about(theorem.algorithm).values(), run_file, seed)
    if not result:
        others = [t for t in catalogue().values() if t.algorithm != theorem.algorithm]
        result = _fitting(others, run_file, seed)

    def distance(one: tuple[str, bool]) -> tuple[bool, bool, int]:
        other = catalogue()[one[0]]
        different = {a.name for a in other.assumptions} ^ {a.name for a in theorem.assumptions}
        return not one[1], other.claim != theorem.claim, len(different)

    return sorted((one for one in result if one[0] != theorem.name), key=distance)


def sentence(result: list[tuple[str, bool]], algorithm: str) -> str:
    """The sentence that names them."""
    listed = f"boundkit list --algorithm {algorithm} lists the theorems about {algorithm}."
    if not result:
        return f"No theorem of the catalogue applies to this run; {listed}"
    inside = [name for name, within in result if within]
    names = inside or [name for name, _ in result]
    rest = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    text = f"{', '.join(names[:_MOST])}{rest}"
    if inside:
        return f"Nearest theorems that apply to this run: {text}; {listed}"
    return f"Nearest theorems, which would apply to this run if its steps were smaller: {text}; {listed}"


def _fitting(theorems: Iterable[Theorem], run_file: Path, seed: int | None) -> list[tuple[str, bool]]:
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.applicability import (
        check_function_class,
        meets_requirements,
        reasons_not_applicable,
        reasons_unsupported,
    )
    from boundkit.verification.verifier import step_condition

    @cache
    def run_of(algorithm: str) -> Run | None:
        try:
            return read_run(algorithm, run_file, seed)
        except (BoundkitError, MemoryError):
            return None

    applicable = []
    for theorem in theorems:
        if theorem.kind == "order" or reasons_unsupported(theorem):
            continue
        run = run_of(theorem.algorithm)
        if run is None:
            continue
        try:
            check_function_class(theorem, run)
            if not reasons_not_applicable(theorem, run) and meets_requirements(theorem, run):
                applicable.append((theorem.name, not step_condition(theorem, run)))
        except (BoundkitError, MemoryError):
            continue
    return applicable


def verify_every(
    theorems: list[Theorem],
    run_file: Path | None,
    seed: int | None,
    out: Path | None,
    pages: tuple[Path | None, Path | None],
    workers: dict[str, Any],
    fresh: bool,
    options: dict[str, Any],
    as_json: bool,
) -> int:
    """Verify them all, print the table or the JSON, and write report and summary: the exit code."""
    from boundkit.cli.interruption import resumable
    from boundkit.cli.progress import logged, progress
    from boundkit.verification.verdict_sweep import verify_all

    report, summary = pages
    if report is None and out is not None:
        report = out / "report.html"
    _refuse_report(report)
    _refuse_summary(summary)
    order = {theorem.name: place for place, theorem in enumerate(theorems)}
    records: list[Record] = []
    resumable(records, len(theorems), "theorems", out, fresh)
    with progress("verify") as report_progress:
        report_progress(0, len(theorems))
        for record in verify_all(theorems, run_file, seed, out, **workers, fresh=fresh, **options):
            records.append(record)
            report_progress(len(records), len(theorems))
            logged(f"{len(records)}/{len(theorems)} {record.theorem}: {record.verdict['verdict']}")
    records.sort(key=lambda record: order[record.theorem])
    if report is not None:
        _write_report(records, theorems, report, workers)
    if summary is not None:
        _write_summary(records, theorems, summary, quick=bool(options.get("quick")))
    if as_json:
        print_json([record.verdict for record in records])
    else:
        _print(records)
        if report is not None:
            emit(f"\nreport    {report}")
        if summary is not None:
            emit(f"\nsummary   {summary}")
    return int(any(record.verdict["verdict"] in ("violated", "undecided") for record in records))


def _print(records: list[Record]) -> None:
    header = ["theorem", "verdict", "kind", "constants", "measured/bound", "slopes", "not tested"]
    applicable = [r for r in records if r.verdict["verdict"] != "not applicable"]
    if applicable:
        print_table(header, [_row(r) for r in applicable], left=4)
    others = [[r.theorem, _first_reason(r.verdict["reason"])] for r in records if r not in applicable]
    if others:
        emit(f"\n{len(others)} are not applicable:\n")
        print_table(["theorem", "because"], others, left=2)


def _row(record: Record) -> list[str]:
    result = record.verdict
    fitted = [c for c in result["checks"] if "letter" in c and c["outcome"] != "not tested"]
    matched = sum(c["outcome"] == "holds" for c in fitted)
    ratio = "" if result["ratio"] is None else f"{result['ratio']:.4g}"
    return [record.theorem, result["verdict"], result["kind"], _constants(result), ratio,
            f"{matched}/{len(fitted)}{_furthest(fitted)}", _untested(result["untested"])]  # fmt: skip


def _furthest(fitted: list[dict[str, Any]]) -> str:
    """The slope that is furthest from its prediction, against it."""
    with_slopes = [c for c in fitted if "measured" in c]  # a term of 0 has none
    if not with_slopes:
        return ""
    worst = max(with_slopes, key=lambda c: abs(c["measured"] - c["predicted"]))
    return f", {worst['measured']:.2f} for {worst['predicted']:.2f} in {worst['letter']}"


def _untested(reasons: list[str], most: int = 2) -> str:
    """What could not be tested, by name; the reasons are in the record."""
    names = list(dict.fromkeys(s.split(": ")[0].removeprefix("slope of ") for s in reasons))
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _constants(result: dict[str, Any]) -> str:
    """How far the constants of the run can be trusted; those of the bound itself may be open."""
    return "open" if result["kind"] == "order" else result["constants"] or ""


def _first_reason(reason: str) -> str:
    """The first reason, without the words that all of them begin with."""
    return reason.split(": ", 1)[-1].split("; ")[0].rstrip(".")


def _refuse_report(report: Path | None) -> None:
    """Refuse a page that cannot be written before a long run."""
    if report is None:
        return
    from boundkit.figures.verification_report import check_format
    from boundkit.simulation.atomic_files import refuse_unwritable

    check_format(report)
    refuse_unwritable(report)


def _refuse_summary(path: Path | None) -> None:
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable

    if path is not None and path.suffix != ".json":
        raise BoundkitError(f"{path} ends in {path.suffix!r}, but a summary is written as .json.")
    if path is not None:
        refuse_unwritable(path)


def _write_summary(records: list[Record], theorems: list[Theorem], path: Path, quick: bool) -> None:
    from boundkit.studies.demonstration_records import write_demonstration
    from boundkit.studies.verdict_summary import summarize_verdicts

    write_demonstration(summarize_verdicts(records, {t.name: t.algorithm for t in theorems}, quick), path)


def _write_report(
    records: list[Record], theorems: list[Theorem], report: Path, workers: dict[str, Any]
) -> None:
    from boundkit.cli.progress import progress
    from boundkit.figures.verification_report import draw_svg, write_report
    from boundkit.simulation.sweeps.parallel_map import CLUSTERS, map_parallel

    pictures: dict[str, bytes] = {}
    with_curves = [record for record in records if record.curves is not None]
    cluster = workers["backend"] in CLUSTERS or workers["scheduler"] is not None
    local = {"jobs": None} if cluster else workers  # pictures are small work, and drawn beside their page
    with progress("draw") as report_progress:
        for place, picture in map_parallel(draw_svg, [(record,) for record in with_curves], **local):
            pictures[with_curves[place].theorem] = picture
            report_progress(len(pictures), len(with_curves))
    write_report(records, {t.name: t for t in theorems}, pictures, report)
