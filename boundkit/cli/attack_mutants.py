"""``boundkit attack mutants``: wrong versions of a theorem, and which checks detect each of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.options import (
    AllTheorems,
    AsJson,
    Backend,
    Budget,
    Evaluations,
    Fresh,
    Jobs,
    Scheduler,
    SearchSeed,
    TheoremOrAll,
    check_theorem_or_all,
    refuse_without_all,
    search_limits,
    workers_of,
)  # fmt: skip
from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.attack.mutation.report import Mutation

TABLE = "mutants.md"
"""The file of all reports together, in the folder of them."""


def run(
    theorem: TheoremOrAll = None,
    every: AllTheorems = False,
    budget: Budget = None,
    evaluations: Evaluations = None,
    seed: SearchSeed = 0,
    jobs: Jobs = None,
    backend: Backend = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None, typer.Option(help="a report a theorem in this folder; a second call resumes")
    ] = None,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> int:
    """Test which checks detect wrong versions of a theorem.

    Every exponent, constant, term and condition is changed. Exit code 1: a version is not detected.

    --jobs, --backend, --scheduler go with --all.
    """
    from boundkit.attack.mutation import Mutations
    from boundkit.attack.mutation.evaluation import mutate_all
    from boundkit.cli.interruption import resumable
    from boundkit.cli.progress import logged, progress
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text
    from boundkit.theorem_targets import KnownTheorems, theorems_of
    from boundkit.theorems import catalogue

    check_theorem_or_all(theorem, every)
    refuse_without_all(every, jobs=jobs, backend=backend, scheduler=scheduler)
    options = search_limits(budget, evaluations, seed)
    if out is not None:
        refuse_unwritable(out / TABLE)
    theorems = list(catalogue().values()) if theorem is None else theorems_of(theorem)
    known = KnownTheorems({each.name: each for each in theorems})
    workers: dict[str, Any] = workers_of(jobs, backend, scheduler) if every else {"jobs": 1}
    order = {each.name: place for place, each in enumerate(theorems)}
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
        write_text(out / TABLE, whole.report().to_markdown())
    if as_json:
        print_json(whole.to_dict())
    else:
        emit(whole.to_text() if every else "\n\n".join(one.to_text() for one in result))
    return int(not whole)
