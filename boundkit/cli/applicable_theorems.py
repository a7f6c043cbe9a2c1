"""The theorems of the catalogue that do speak of a run, where the one that was asked does not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundkit.algebra import Theorem

_MOST = 4
"""So many names are said; ``boundkit list`` has the others."""


def nearest(run_file: Path, seed: int | None, asked: Theorem) -> list[tuple[str, bool]]:
    """Names of theorems whose algorithm and assumptions fit the run, and whether its steps are inside.

    Those about the algorithm that was asked for; where there is none, those about every algorithm that can
    read the file. Those inside their conditions come first.
    """
    from boundkit.theorems import about, catalogue

    found = _fitting(about(asked.algorithm).values(), run_file, seed)
    if not found:
        others = [t for t in catalogue().values() if t.algorithm != asked.algorithm]
        found = _fitting(others, run_file, seed)
    return sorted((one for one in found if one[0] != asked.name), key=lambda one: not one[1])


def sentence(found: list[tuple[str, bool]], algorithm: str) -> str:
    """What to ask instead."""
    listed = f"boundkit list --algorithm {algorithm} has all that is known of {algorithm}."
    if not found:
        return f"No theorem of the catalogue speaks of this run; {listed}"
    inside = [name for name, within in found if within]
    names = inside or [name for name, _ in found]
    rest = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    said = f"{', '.join(names[:_MOST])}{rest}"
    if inside:
        return f"Nearest theorems, which do speak of this run: {said}; {listed}"
    return f"Nearest theorems, which would speak of this run if its steps were smaller: {said}; {listed}"


def _fitting(theorems: Iterable[Theorem], run_file: Path, seed: int | None) -> list[tuple[str, bool]]:
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run
    from boundkit.verification.applicability import (
        check_function_class,
        reasons_not_applicable,
        reasons_unsupported,
    )
    from boundkit.verification.verifier import step_condition

    found = []
    for theorem in theorems:
        if theorem.kind == "order" or reasons_unsupported(theorem):
            continue
        try:
            run = read_run(theorem.algorithm, run_file, seed)
            check_function_class(theorem, run)
            if not reasons_not_applicable(theorem, run):
                found.append((theorem.name, not step_condition(theorem, run)))
        except BoundkitError:
            continue
    return found
