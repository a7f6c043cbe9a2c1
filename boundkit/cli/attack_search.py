"""``boundkit attack search``: search for the instance on which a theorem is furthest from true."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.commands import INTERRUPTED
from boundkit.cli.options import (
    AllTheorems,
    AsJson,
    Backend,
    Budget,
    Evaluations,
    Fresh,
    Jobs,
    Picture,
    Scheduler,
    SearchSeed,
    TheoremOrAll,
    check_theorem_or_all,
    refuse_unwritable_results,
    refuse_without_all,
    search_limits,
    workers_of,
)  # fmt: skip
from boundkit.cli.output import emit, print_json, print_table

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.attack.falsification import Falsification


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
        Path | None,
        typer.Option(
            help="the answer and its runs in this folder, over older ones; with --all, a second call resumes"
        ),
    ] = None,
    fresh: Fresh = False,
    plot: Picture = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="store the worst instances in the package, as starts of later searches"),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Search for a counterexample to a theorem.

    Exit code 1: a bound is violated, or undecided.

    --jobs, --backend, --scheduler and --fresh go with --all. Ctrl-C ends the search of one theorem with the
    answer so far, and exit code 130.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.cli.interruption import describe
    from boundkit.theorem_targets import theorems_of
    from boundkit.theorems import catalogue

    check_theorem_or_all(theorem, every)
    options = search_limits(budget, evaluations, seed)
    if every and plot is not None:
        raise BoundkitError("--plot draws one theorem's worst run; leave it out with --all.")
    from boundkit.attack.stored_instances import FILE

    answer = None if out is None else out / "answer.json"
    refuse_unwritable_results(plot, answer, FILE if keep else None)
    if theorem is None:
        workers = workers_of(jobs, backend, scheduler)
        return _search_all(list(catalogue().values()), out, workers, fresh, keep, options, as_json)
    refuse_without_all(every, jobs=jobs, backend=backend, scheduler=scheduler, fresh=fresh)
    theorems = theorems_of(theorem)
    if plot is not None and len(theorems) > 1:
        raise BoundkitError(f"--plot draws one theorem's worst run, and {theorem} defines {len(theorems)}.")
    result: list[Falsification] = []
    for each in theorems:
        result.append(_search_one(each, out, keep, options))
        if result[-1].interrupted:
            break
    if as_json:
        answers = [each.to_dict() for each in result]
        print_json(answers if len(result) > 1 else answers[0])
    else:
        emit("\n\n".join(each.to_text() for each in result))
    if plot is not None:
        _draw(result[0], plot)
    if result[-1].interrupted:
        describe(lambda: f"the answer so far is printed{'' if out is None else f' and written to {out}'}")
        return INTERRUPTED
    return int(any(each.answer in ("violated", "undecided") for each in result))


def _search_all(
    theorems: list[Theorem],
    out: Path | None,
    workers: dict[str, Any],
    fresh: bool,
    keep: bool,
    options: dict[str, Any],
    as_json: bool,
) -> int:
    """Search on every theorem, log each answer, and print a table or JSON of all answers.

    An interruption ends it with those that are finished.
    """
    from boundkit.attack.falsify import falsify_all
    from boundkit.cli.interruption import raising, resumable
    from boundkit.cli.progress import logged, progress

    order = {theorem.name: place for place, theorem in enumerate(theorems)}
    answers: list[dict[str, Any]] = []
    resumable(answers, len(theorems), "theorems", out, fresh)
    interrupted = False
    try:
        with raising(), progress("search") as report_progress:
            report_progress(0, len(theorems))
            for answer in falsify_all(theorems, out, **workers, fresh=fresh, remember=keep, **options):
                answers.append(answer)
                report_progress(len(answers), len(theorems))
                logged(f"{len(answers)}/{len(theorems)} {answer['theorem']}: {answer['answer']}")
    except KeyboardInterrupt:
        interrupted = True
    answers.sort(key=lambda answer: order[answer["theorem"]])
    if as_json:
        print_json(answers)
    else:
        header = ["theorem", "answer", "kind", "ratio", "tried", "most needed"]
        print_table(header, [_row(answer) for answer in answers], left=3)
    if interrupted:
        return INTERRUPTED
    return int(any(answer["answer"] in ("violated", "undecided") for answer in answers))


def _row(answer: dict[str, Any]) -> list[str]:
    ratio = answer["largest"] if answer["kind"] != "order" else answer["constants"]
    needs = {label: v for label, v in answer["needs"].items() if v is not None and v > 0}
    most = max(needs, key=lambda label: needs[label], default=None)
    return [answer["theorem"], answer["answer"], answer["kind"], "" if ratio is None else f"{ratio:.4g}",
            "" if answer["tried"] is None else str(answer["tried"]),
            "" if most is None else f"{most}, {needs[most]:.3g}"]  # fmt: skip


def _search_one(theorem: Theorem, out: Path | None, keep: bool, options: dict[str, Any]) -> Falsification:
    from boundkit.attack.falsify import falsify, worst_instances
    from boundkit.attack.stored_instances import store_instances
    from boundkit.cli.interruption import raising
    from boundkit.cli.progress import progress

    with raising(), progress(f"search {theorem.name}") as report_progress:
        result = falsify(theorem, progress=report_progress, interruptible=True, **options)
    if keep:
        store_instances(theorem, worst_instances(result))
    if out is not None:
        result = result.written(out)
    return result


def _draw(result: Falsification, path: Path) -> None:
    from dataclasses import replace

    from boundkit.attack.falsification import as_record
    from boundkit.figures.bound_against_run import figure
    from boundkit.figures.save import save

    record = as_record(result)
    stood = "holds" if result else result.answer  # what the picture says is of this run alone
    save(figure(replace(record, verdict=record.verdict | {"verdict": stood})), path)
