"""Theorems of the catalogue that apply to a run, where the one that was named does not."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.simulation.run import Run

_MOST = 4
"""Number of names that are printed; ``boundkit list`` has the others."""


def nearest(run_file: Path, seed: int | None, theorem: Theorem) -> list[tuple[str, bool]]:
    """Names of theorems that apply to the run, and whether its step sizes satisfy their conditions.

    Theorems about the same algorithm; where there is none, those about every algorithm that can read the
    file. Those whose conditions hold are first.
    """
    from boundkit.theorems import about, catalogue

    result = _fitting(about(theorem.algorithm).values(), run_file, seed)
    if not result:
        others = [t for t in catalogue().values() if t.algorithm != theorem.algorithm]
        result = _fitting(others, run_file, seed)
    return sorted((one for one in result if one[0] != theorem.name), key=lambda one: not one[1])


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
            if not reasons_not_applicable(theorem, run):
                applicable.append((theorem.name, not step_condition(theorem, run)))
        except (BoundkitError, MemoryError):
            continue
    return applicable
