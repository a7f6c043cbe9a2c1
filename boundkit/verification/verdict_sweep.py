"""Verdicts on many theorems, each recorded as soon as it is available."""

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
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
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
    """Yield a record of the verdict on each theorem, on the run or on its default instances, when finished.

    With ``out`` every record is written there at once, and an existing one of the same theorem, run, options
    and version of boundkit is read instead, unless ``fresh``; an interrupted sweep resumes. A theorem whose
    function class does not contain the problem gets the verdict "not applicable", with the reason. ``jobs``,
    ``backend`` and ``scheduler`` are those of ``map_parallel``; ``options`` those of ``verify``. A worker
    needs boundkit, but none of the files.

    Raises BoundkitError where the file is a run of none of the algorithms, or where a verification does.
    """
    store = None if out is None else ResultStore(out, fresh)
    runs = [_run_or_reason(theorem, run, seed) for theorem in theorems]
    if run is not None:
        _refuse_no_run(runs)
    records = resumable_map(
        verify_one, [(theorem, each, seed, options) for theorem, each in zip(theorems, runs, strict=True)],
        store, name=lambda index: f"{theorems[index].name}.nc",
        key=lambda index: _key(theorems[index], runs[index], seed, options), load=_load, save=_save,
        jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for _, record in records:
        yield record


def verify_one(theorem: Theorem, run: Run | str | None, seed: int | None, options: dict[str, Any]) -> Verdict:
    """The verdict on one theorem: on the run, or on its default instances.

    ``run`` may be the reason why the theorem does not apply. Raises BoundkitError with the theorem's name
    where a verification does.
    """
    if isinstance(run, str):
        return Verdict(theorem, "not applicable", run)
    if run is not None:
        try:
            check_function_class(theorem, run)
        except BoundkitError as error:
            return Verdict(theorem, "not applicable", str(error))
    elif seed is not None:
        options = {**options, "seed": seed}
    try:
        return verify(theorem, run, **options)
    except BoundkitError as error:
        raise BoundkitError(f"{theorem.name}: {error}") from None


def _run_or_reason(theorem: Theorem, file: Path | None, seed: int | None) -> Run | str | None:
    """The file as a run of the theorem's algorithm, or the reason why it is none."""
    if file is None or reasons_unsupported(theorem):
        return None
    try:
        return read_run(theorem.algorithm, file, seed)
    except BoundkitError as error:
        return str(error)


def _refuse_no_run(runs: Sequence[Run | str | None]) -> None:
    """Raise BoundkitError for a file that is a run of none of the algorithms."""
    reasons = [run for run in runs if isinstance(run, str)]
    if reasons and not any(isinstance(run, Run) for run in runs):
        raise BoundkitError(reasons[0])


def _key(theorem: Theorem, run: Run | str | None, seed: int | None, options: dict[str, Any]) -> str:
    spec = run.to_json() if isinstance(run, Run) else run
    defaults = {n: p.default for n, p in signature(verify).parameters.items() if p.kind is p.KEYWORD_ONLY}
    del defaults["progress"]
    return key_of(theorem=statement(theorem), run=spec, seed=seed, options=defaults | options)


def _load(path: Path) -> Record | None:
    try:
        record = read_record(path)
    except BoundkitError:  # of another format
        return None
    return replace(record, verdict={**record.verdict, "record": str(path)})


def _save(verdict: Verdict, path: Path | None) -> Record:
    return as_record(verdict if path is None else write_record(verdict, path.parent))
