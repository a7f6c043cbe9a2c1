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
from boundkit.simulation.sweeps.result_store import Store, key_of
from boundkit.simulation.sweeps.resumable_map import resumable_map
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
    ``map_parallel``; ``options`` those of ``verify``. A worker needs boundkit, but none of the files.

    Raises BoundkitError where the file is a run of none of the algorithms, or where a verification does.
    """
    store = None if out is None else Store(out, fresh)
    asked = [_asked(t, run, seed) for t in theorems]
    if run is not None:
        _refuse_no_run(theorems, asked)
    records = resumable_map(
        verify_one, [(theorem, each, seed, options) for theorem, each in zip(theorems, asked, strict=True)],
        store, name=lambda place: f"{theorems[place].name}.nc",
        key=lambda place: _key(theorems[place], asked[place], seed, options), load=_load, save=_save,
        jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for _, record in records:
        yield record


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


def _load(path: Path) -> Record | None:
    try:
        record = read_record(path)
    except BoundkitError:  # whole, but of another format
        return None
    return replace(record, verdict={**record.verdict, "record": str(path)})


def _save(verdict: Verdict, path: Path | None) -> Record:
    return as_record(verdict if path is None else write_record(verdict, path.parent))
