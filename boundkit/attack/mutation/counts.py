"""Counts of the outcomes of all mutants, as a small record for the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.attack.mutation.mutant import Judgement
from boundkit.attack.mutation.report import Mutation, from_dict
from boundkit.simulation.sweeps.result_store import refuse_changed_item
from boundkit.verification.tabular_result import TabularResult, tabulate_result

NAME = "mutants"
SHOWS = "Which mistakes in a theorem would be seen: every mutant of every theorem, and what became of it."


@dataclass(frozen=True)
class Count:
    """A theorem's mutants with one outcome. kind is that of the theorem, seconds those of all its mutants."""

    theorem: str
    kind: str
    outcome: str
    mutants: int
    seconds: float


@dataclass(frozen=True)
class Mistake:
    """Mutants of one kind of mistake with one outcome, of constants that are explicit or open; by: killer."""

    mistake: str
    explicit: bool
    outcome: str
    by: str
    mutants: int


@dataclass(frozen=True)
class Standing:
    """Mutants of one term (of a condition, where it is empty) that stand alike, and the reason of one."""

    theorem: str
    term: str
    outcome: str
    mutants: int
    reason: str


@dataclass(frozen=True)
class Survivor:
    """A mutant that is false for all that is known, and that nothing shows to be false."""

    theorem: str
    mistake: str
    what: str
    reason: str


@dataclass(frozen=True)
class Tally:
    """Counts by theorem and by mistake; what stands, by term; and every survivor."""

    theorems: list[Count]
    mistakes: list[Mistake]
    standing: list[Standing]
    survivors: list[Survivor]


def count_outcomes(reports: Iterable[Mutation]) -> TabularResult:
    """Return the record of these reports, sorted by theorem."""
    every = sorted(reports, key=lambda report: report.theorem)
    result = Tally(
        [count for report in every for count in _counts(report)],
        list(_mistakes(every)),
        [one for report in every for one in _standing(report)],
        [
            Survivor(report.theorem, one.kind, one.what, one.reason)
            for report in every
            for one in report.survivors
        ],
    )
    return tabulate_result(NAME, SHOWS, result)


def read_counts(folder: Path) -> TabularResult:
    """Return the record of the reports that ``boundkit attack mutants --all --out FOLDER`` wrote.

    Raises BoundkitError where there is none, or where one cannot be read.
    """
    files = sorted(folder.glob("[!.]*.json"))  # the others are temporary
    if not files:
        raise BoundkitError(
            f"{folder} holds no report on mutants; boundkit attack mutants --all --out writes them."
        )
    return count_outcomes(_report(file) for file in files)


def _report(file: Path) -> Mutation:
    refuse_changed_item(file)
    try:
        return from_dict(json.loads(read_json_text(file, MOST_RECORD)))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise BoundkitError(f"{file} is not a report on mutants.") from error


def _counts(report: Mutation) -> Iterator[Count]:
    for outcome, mutants in Counter(one.outcome for one in report.judgements).items():
        yield Count(report.theorem, report.kind, outcome, mutants, round(report.seconds, 1))


def _mistakes(every: Sequence[Mutation]) -> Iterator[Mistake]:
    result = Counter(
        (one.kind, report.kind != "order", one.outcome, one.by)
        for report in every
        for one in report.judgements
    )
    for key, mutants in result.items():
        yield Mistake(*key, mutants)


def _standing(report: Mutation) -> Iterator[Standing]:
    """Yield groups of mutants that are neither killed nor weaker, and that are not listed as survivors."""
    groups: dict[tuple[str, str], list[Judgement]] = {}
    for one in report.judgements:
        if one.outcome not in ("killed", "weaker", "survived"):
            groups.setdefault((one.label, one.outcome), []).append(one)
    for (label, outcome), same in groups.items():
        reason = Counter(one.reason for one in same).most_common(1)[0][0]
        yield Standing(report.theorem, label, outcome, len(same), reason)
