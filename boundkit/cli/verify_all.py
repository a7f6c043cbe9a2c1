"""``boundkit verify --all``: a line a theorem, records, a report page, and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.output import emit, print_json, print_table

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.verification.record import Record


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
    others = [[r.theorem, _why(r.verdict["reason"])] for r in records if r not in applicable]
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


def _why(reason: str) -> str:
    """The first reason, without the words that all of them begin with."""
    return reason.split(": ", 1)[-1].split("; ")[0].rstrip(".")


def _refuse_report(report: Path | None) -> None:
    """Say before a long run that the page would have no place."""
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
