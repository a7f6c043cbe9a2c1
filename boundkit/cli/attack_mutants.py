"""``boundkit attack mutants``: wrong versions of a theorem, and which checks detect each of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.options import Backend, Fresh, Jobs, Scheduler, refuse_without_all, workers_of
from boundkit.cli.output import emit, print_json
from boundkit.cli.theorem_argument import TARGET

if TYPE_CHECKING:
    from boundkit.attack.mutation.report import Mutation

SECONDS = 20.0
"""Of a search, where neither --budget nor --evaluations is given."""
TABLE = "mutants.md"
"""The file of all reports together, in the folder of them."""


def run(
    theorem: Annotated[
        str | None, typer.Argument(metavar="[THEOREM|FILE.py]", help=f"{TARGET}; or --all")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="every theorem of the catalogue")] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            help="seconds of search a theorem, for versions that no other check detects  [default: 20]",
            show_default=False,
        ),
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option(help="so many evaluations instead of seconds: the same on every machine")
    ] = None,
    seed: Annotated[int, typer.Option(help="seed of what is drawn")] = 0,
    jobs: Jobs = None,
    backend: Backend = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None, typer.Option(help="a report a theorem in this folder; a second call resumes")
    ] = None,
    fresh: Fresh = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> int:
    """Test which checks detect wrong versions of a theorem.

    Every exponent, constant, term and condition is changed. Exit code 1: a version is not detected.

    --jobs, --backend, --scheduler go with --all.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.attack.mutation import Mutations
    from boundkit.attack.mutation.evaluation import mutate_all
    from boundkit.attack.search_state import refuse_limits
    from boundkit.cli.interruption import resumable
    from boundkit.cli.progress import logged, progress
    from boundkit.cli.theorem_argument import Known, theorems_of
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.theorems import catalogue

    if every == (theorem is not None):
        both = f"{theorem} was named and --all was asked for, too: leave one of them out."
        raise BoundkitError("name one theorem or a file, or ask for --all." if theorem is None else both)
    if budget is not None and evaluations is not None:
        raise BoundkitError("a search ends by --budget or by --evaluations: give one of them, not both.")
    refuse_without_all(every, jobs=jobs, backend=backend, scheduler=scheduler)
    budget = SECONDS if budget is None else budget
    refuse_limits(budget, evaluations, seed)
    if out is not None:
        refuse_unwritable(out / TABLE)
    theorems = list(catalogue().values()) if theorem is None else theorems_of(theorem)
    known = Known({each.name: each for each in theorems})
    workers: dict[str, Any] = workers_of(jobs, backend, scheduler) if every else {"jobs": 1}
    order = {each.name: place for place, each in enumerate(theorems)}
    options: dict[str, Any] = {"budget": budget, "evaluations": evaluations, "seed": seed}
    result: list[Mutation] = []
    resumable(result, len(theorems), "theorems", out, fresh)
    with progress("mutants") as report_progress:
        report_progress(0, len(theorems))
        for one in mutate_all(theorems, known, out, fresh, **workers, **options):
            result.append(one)
            report_progress(len(result), len(theorems))
            if every:
                logged(f"{len(result)}/{len(theorems)} {one.headline()}")
    result.sort(key=lambda one: order[one.theorem])
    whole = Mutations(tuple(result))
    if out is not None:
        _write(out / TABLE, whole.report().to_markdown())
    if as_json:
        print_json(whole.to_dict())
    else:
        emit(whole.to_text() if every else "\n\n".join(one.to_text() for one in result))
    return int(not whole)


def _write(path: Path, text: str) -> None:
    from boundkit.simulation.atomic_files import replacing

    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
