"""Search the class of a theorem for a counterexample, of one theorem or of many."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.analysis.statement import statement
from boundkit.attack.confirmation import decide_answer
from boundkit.attack.evidence import BOUND
from boundkit.attack.falsification import Answer, Falsification, as_text
from boundkit.attack.search import Progress, SearchResult, search
from boundkit.attack.shrinking import ReductionBudget
from boundkit.attack.stored_instances import (
    StoredInstance,
    load_instances,
    replay_finds,
    store_instances,
    stored_runs,
)
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.run import Run
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.verifier import verify_order_level

SHARE, LEAST = 0.2, 1.0
"""Fraction of the budget for the reduction of the instance, and its least number of seconds."""
_EACH = 50.0
"""Cost of the reduction for each evaluation, in about milliseconds, where evaluations are counted."""


def falsify(
    theorem: Theorem,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] | None = None,
    engine_options: EngineOptions | None = None,
    smaller: bool = True,
    progress: Progress | None = None,
    interruptible: bool = False,
) -> Falsification:
    """Search for the worst instance of the theorem's class, and decide whether it violates the theorem.

    Parameters
    ----------
    budget : seconds.
    evaluations : number of instances instead of the budget.
    starts : runs with which the search begins; None for the stored worst instances.
    smaller : whether the worst instance is reduced to a readable one, in a fifth of the budget.
    interruptible : whether Ctrl-C ends the search with the answer so far, instead of raising.
    """
    unsupported = reasons_unsupported(theorem)
    if unsupported:
        text = f"No run can test the theorem: {'; '.join(unsupported)}."
        return Falsification(theorem, "not applicable", text)
    initial_runs = stored_runs(theorem) if starts is None else starts
    search_result = search(
        theorem, budget=(1 - SHARE) * budget if smaller else budget, evaluations=evaluations, seed=seed,
        starts=initial_runs, engine_options=engine_options, progress=progress, interruptible=interruptible,
    )  # fmt: skip
    try:
        return _conclude(
            search_result, engine_options, _reduction_budget(budget, evaluations) if smaller else None
        )
    except KeyboardInterrupt:
        if not interruptible:
            raise
        return _conclude(replace(search_result, interrupted=True), engine_options, None)


def _reduction_budget(budget: float, evaluations: int | None) -> ReductionBudget:
    if evaluations is None:
        return ReductionBudget(seconds=max(LEAST, SHARE * budget))
    return ReductionBudget(cost=_EACH * evaluations)


def _conclude(
    search_result: SearchResult,
    engine_options: EngineOptions | None,
    reduction_budget: ReductionBudget | None,
) -> Falsification:
    if search_result.theorem.kind == "order":
        return _conclude_order_level(search_result, engine_options)
    if BOUND not in search_result.best:
        text = f"The theorem applies to no instance of the search: {_commonest(search_result)}."
        return Falsification(search_result.theorem, "not applicable", text, search=search_result)
    return decide_answer(search_result, engine_options, reduction_budget)


def _conclude_order_level(search_result: SearchResult, engine_options: EngineOptions | None) -> Falsification:
    theorem, instance = search_result.theorem, search_result.best.get(BOUND)
    answer: Answer = "not broken" if instance is not None else "not applicable"
    reason = "It was interrupted before its rates were tested."
    if not search_result.interrupted:
        verdict = verify_order_level(
            theorem, engine_options or EngineOptions(), search_result.seed, quick=True
        )
        reason = verdict.reason
        if verdict.answer != "not applicable":
            answer = "violated" if verdict.answer == "violated" else "not broken"
    if instance is None:
        return Falsification(theorem, answer, reason, search=search_result)
    text = f"If its unspecified constants are all equal, they are at least {instance.score:.6g}. {reason}"
    return Falsification(
        theorem,
        answer,
        text,
        None,
        None,
        instance.evidence,
        instance.run,
        constants=instance.score,
        search=search_result,
    )


def _commonest(search_result: SearchResult) -> str:
    return max(
        search_result.refused, key=lambda r: search_result.refused[r], default="nothing was tried"
    ).rstrip(".")


def falsify_all(
    theorems: Sequence[Theorem],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    remember: bool = False,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """Yield the answer on each theorem, as ``Falsification.to_dict`` writes it, in the order of completion.

    With ``out`` each is written there at once as THEOREM.json, and an existing file made of the same theorem,
    options and stored instances by the same boundkit is read instead, unless ``fresh``. ``seconds`` of an
    answer that is read is None: records hold no time, so that equal searches have equal records. ``remember``
    stores the worst instances in the package. ``options`` are those of ``falsify``.
    """
    keys = [_key(t, options) for t in theorems]

    def save(computed: tuple[dict[str, Any], list[StoredInstance]], path: Path | None) -> dict[str, Any]:
        answer, instances = computed
        if instances:
            store_instances(by_name[answer["theorem"]], instances)
        if path is not None:
            write_text(path, as_text(answer))
        return answer

    by_name = {theorem.name: theorem for theorem in theorems}
    answers = resumable_map(
        falsify_one, [(theorem, options, remember) for theorem in theorems],
        None if out is None else ResultStore(out, fresh),
        name=lambda place: f"{theorems[place].name}.json",
        key=lambda place: _key(theorems[place], options) if remember else keys[place],
        load=_load, save=save, jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for _, answer in answers:
        yield answer


def falsify_one(
    theorem: Theorem, options: dict[str, Any], remember: bool
) -> tuple[dict[str, Any], list[StoredInstance]]:
    """Search for a counterexample to one theorem; with ``remember``, replay the best instances to be stored.

    Raises BoundkitError with the theorem's name where the search raises it.
    """
    try:
        result = falsify(theorem, **options)
        instances = worst_instances(result) if remember else []
    except BoundkitError as error:
        raise BoundkitError(f"{theorem.name}: {error}") from None
    return result.to_dict(), instances


def worst_instances(result: Falsification) -> list[StoredInstance]:
    """Replay the best instances of a search, to be stored; none for an order-level bound."""
    if result.search is None or result.theorem.kind == "order":
        return []
    return replay_finds(result.theorem, result.search.best.values())


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "progress"}


def _key(theorem: Theorem, options: dict[str, Any]) -> str:
    """Return the key of an answer; the stored instances with which the search begins are part of it."""
    begins = [] if options.get("starts") is not None else [asdict(entry) for entry in load_instances(theorem)]
    return key_of("attack", theorem=statement(theorem), attack=_plain(options), kept=begins)


def _load(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(read_json_text(path, MOST_RECORD))
    return {**answer, "seconds": None}
