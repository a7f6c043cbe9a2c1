"""A verdict on each of many theorems, recorded as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.statement import statement
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import read_run
from boundkit.simulation.sweeps.parallel_map import spread
from boundkit.simulation.sweeps.result_store import Store, key_of
from boundkit.verification.applicability import check_function_class, reasons_unsupported
from boundkit.verification.record import Record, as_record, read_record, write_record
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify


def verify_all(
    theorems: Sequence[Theorem],
    run: Path | None = None,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    **options: Any,
) -> Iterator[Record]:
    """A record of the verdict on each theorem, on the run or on its default instances, as they are finished.

    With ``out`` every record is written there at once, and what is there already, whole and made of the
    same theorem, run and options by the same boundkit, is read instead of computed, unless ``fresh``.
    Stopping in the middle loses nothing that was yielded. A theorem whose function class the run is not in
    gets the verdict "not applicable", with the reason. ``jobs``, ``backend`` and ``scheduler`` are those of
    ``spread``; ``options`` those of ``verify``. A worker needs boundkit, but none of the files.

    Raises BoundkitError where the file is a run of none of the algorithms, or where a verification does.
    """
    store = None if out is None else Store(out, fresh)
    asked = [_asked(t, run, seed) for t in theorems]
    if run is not None:
        _refuse_no_run(theorems, asked)
    keys = [""] * len(theorems)
    todo: list[int] = []
    for i, theorem in enumerate(theorems):
        if store is None:
            todo.append(i)
            continue
        keys[i] = _key(theorem, asked[i], seed, options)
        kept = _kept(store, theorem, keys[i])
        if kept is None:
            todo.append(i)
        else:
            yield kept
    work = [(theorems[i], asked[i], seed, options) for i in todo]
    for place, verdict in spread(verify_one, work, jobs, backend, scheduler):
        i = todo[place]
        # here, not in the worker: a worker may be on another machine, or be killed while it writes
        yield as_record(verdict) if store is None else _keep(store, verdict, keys[i])
    if store is not None:
        store.refuse_missing()


def verify_one(
    theorem: Theorem, asked: Run | str | None, seed: int | None, options: dict[str, Any]
) -> Verdict:
    """The verdict on one theorem: on the run, or on its default instances; a text says why it has no run.

    Raises BoundkitError that names the theorem where a verification does.
    """
    if isinstance(asked, str):
        return Verdict(theorem, "not applicable", asked)
    if asked is not None:
        try:
            check_function_class(theorem, asked)
        except BoundkitError as error:
            return Verdict(theorem, "not applicable", str(error))
    elif seed is not None:
        options = {**options, "seed": seed}
    try:
        return verify(theorem, asked, **options)
    except BoundkitError as error:
        raise BoundkitError(f"{theorem.name}: {error}") from None


def _asked(theorem: Theorem, run: Path | None, seed: int | None) -> Run | str | None:
    """The run as one of the theorem's algorithm, or why it is none."""
    if run is None or reasons_unsupported(theorem):
        return None
    try:
        return read_run(theorem.algorithm, run, seed)
    except BoundkitError as error:
        return str(error)


def _refuse_no_run(theorems: Sequence[Theorem], asked: list[Run | str | None]) -> None:
    """Refuse a file that is a run of none of the algorithms: that is a mistake in the file."""
    refusals = [a for a in asked if isinstance(a, str)]
    if refusals and not any(isinstance(a, Run) for a in asked):
        raise BoundkitError(refusals[0])


def _key(theorem: Theorem, asked: Run | str | None, seed: int | None, options: dict[str, Any]) -> str:
    run = asked.to_json() if isinstance(asked, Run) else asked
    usual = {n: p.default for n, p in signature(verify).parameters.items() if p.kind is p.KEYWORD_ONLY}
    del usual["progress"]
    return key_of(theorem=statement(theorem), run=run, seed=seed, options=usual | options)


def _kept(store: Store, theorem: Theorem, key: str) -> Record | None:
    """The record that is there, or None where it has to be made."""
    name = f"{theorem.name}.nc"
    if not store.has(name, key):
        return None
    try:
        record = read_record(store.path(name))
    except BoundkitError:  # whole, but of another format
        return None
    return replace(record, verdict={**record.verdict, "record": str(store.path(name))})


def _keep(store: Store, verdict: Verdict, key: str) -> Record:
    kept = write_record(verdict, store.folder)
    store.stamp(f"{verdict.theorem.name}.nc", key)
    return as_record(kept)
