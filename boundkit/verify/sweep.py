"""Many verifications, one after another or side by side, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.verify.applicability import refuse_other_classes
from boundkit.verify.beyond import beyond
from boundkit.verify.record import write_record
from boundkit.verify.runfile import read_run
from boundkit.verify.verdict import Verdict
from boundkit.verify.verifying import verify


def verify_all(
    theorems: Sequence[Theorem],
    run: Path | None = None,
    seed: int | None = None,
    out: Path | None = None,
    jobs: int = 1,
    **options: Any,
) -> Iterator[Verdict]:
    """A verdict on each theorem, in order, on the run or on its default instances; records under ``out``.

    A theorem whose function class the run is not in gets the verdict "not applicable", with the reason.
    Stopping in the middle loses nothing that was yielded. ``jobs`` processes share the work.

    Raises BoundkitError where the file is a run of none of the algorithms.
    """
    if run is not None:
        _readable(theorems, run, seed)
    if jobs == 1:
        yield from (verify_one(t, run, seed, out, **options) for t in theorems)
        return
    from joblib import Parallel, delayed

    work = (delayed(verify_one)(t, run, seed, out, **options) for t in theorems)
    yield from Parallel(n_jobs=jobs, return_as="generator")(work)


def verify_one(
    theorem: Theorem,
    run: Path | None = None,
    seed: int | None = None,
    out: Path | None = None,
    **options: Any,
) -> Verdict:
    """The verdict on one theorem of a sweep, recorded."""
    settings: dict[str, Any] = {} if seed is None else {"seed": seed}
    if run is None or beyond(theorem):
        verdict = verify(theorem, **options, **settings)
    else:
        try:
            asked = read_run(theorem.algorithm, run, seed)
            refuse_other_classes(theorem, asked)
        except BoundkitError as error:
            verdict = Verdict(theorem, "not applicable", str(error))
        else:
            verdict = verify(theorem, asked, **options)
    return verdict if out is None else write_record(verdict, out)


def _readable(theorems: Sequence[Theorem], run: Path, seed: int | None) -> None:
    """Refuse a file that is a run of none of the algorithms: that is a mistake in the file."""
    refusals = []
    for algorithm in dict.fromkeys(t.algorithm for t in theorems if not beyond(t)):
        try:
            read_run(algorithm, run, seed)
            return
        except BoundkitError as error:
            refusals.append(error)
    if refusals:
        raise refusals[0]
