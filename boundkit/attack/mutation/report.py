"""Report on the mutants of one theorem or of many, and counts of their outcomes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.attack.mutation.mutant import KILLERS, KINDS, OPEN, OUTCOMES, MutantResult, Outcome
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.simulation.sweeps.result_store import refuse_changed_item
from boundkit.verification.tabular_result import TabularResult, tabulate_result

_NOT_KILLED: tuple[Outcome, ...] = (
    "survived", "inside slack", "not testable", "not proved", "proved", "weaker",
)  # fmt: skip
"""Outcomes other than killed, in the order of reports."""


@dataclass(frozen=True, repr=False)
class Mutation(Reported):
    """Outcomes of a theorem's mutants, tested on ``values`` measurements. True where no mutant survives.

    ``above``: where the theorem itself is violated, the reason, ratio and instance. Such measurements do
    not test mutants, and the theorem is for ``boundkit attack search``.
    """

    theorem: str
    kind: str
    results: tuple[MutantResult, ...]
    values: int
    seconds: float
    above: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        return not self.survivors and self.above is None

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """The mutants that are false as far as is known, and that no test detects."""
        return tuple(one for one in self.results if one.open)

    def outcome(self, *names: Outcome) -> tuple[MutantResult, ...]:
        """Return the results with these outcomes."""
        return tuple(one for one in self.results if one.outcome in names)

    def headline(self) -> str:
        """Return the number of mutants with each outcome."""
        count = Counter(one.outcome for one in self.results)
        parts = ", ".join(f"{count[name]} {name}" for name in OUTCOMES if count[name])
        counted = f"{self.theorem}: {len(self.results)} mutants, {parts}"
        return f"{counted}; {self.finding()}" if self.above is not None else counted

    def finding(self) -> str:
        """Return a sentence where the theorem itself is violated; else empty."""
        return "" if self.above is None else f"the theorem itself is violated: {self.above['reason']}"

    def report(self) -> Report:
        """The headline, kinds against outcomes, killers, and every mutant that is not killed."""
        undetected = (
            Table(["", ""], [[one.what, _explanation(one)] for one in result], left=2, caption=_titled(name))
            for name, result in self._undetected()
        )
        killed = Sentences([_decided(self.results), _killed(self.results)])
        return Report((Heading(self.headline()), Table(*_counted(self.results)), killed, *undetected))

    def _undetected(self) -> list[tuple[Outcome, tuple[MutantResult, ...]]]:
        return [(name, self.outcome(name)) for name in _NOT_KILLED if self.outcome(name)]

    def to_dict(self) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "theorem": self.theorem,
            "kind": self.kind,
            "values": self.values,
            "seconds": self.seconds,
            "above": self.above,
            "mutants": [one.to_dict() for one in self.results],
        }


def from_dict(spec: dict[str, Any]) -> Mutation:
    """Restore a report from its dict."""
    results = tuple(MutantResult(**one) for one in spec["mutants"])
    return Mutation(
        spec["theorem"], spec["kind"], results, spec["values"], spec["seconds"], spec.get("above")
    )


@dataclass(frozen=True, repr=False)
class Mutations(Reported):
    """The reports on many theorems. True where no mutant survives."""

    every: tuple[Mutation, ...]

    def __bool__(self) -> bool:
        return all(self.every)

    @property
    def results(self) -> tuple[MutantResult, ...]:
        """The results of all theorems."""
        return tuple(one for result in self.every for one in result.results)

    def report(self) -> Report:
        """A row for each theorem, kinds against outcomes, and the survivors."""
        tables = (Table(*self.by_theorem()), Table(*_counted(self.results)))
        constants = [one for each in self.every if each.kind != "order" for one in each.results]
        decided = [f"with constants, {_decided(constants)}", _killed(self.results)]
        return Report((*tables, Sentences(decided), Sentences(self._survived())))

    def _survived(self) -> list[str]:
        stand = [f"  {f.theorem}: {one.what}: {one.reason}" for f in self.every for one in f.survivors]
        return [*self._violated(), *(["survived:", *stand] if stand else ["none survived"])]

    def _violated(self) -> list[str]:
        return [f"{f.theorem}: {f.finding()}" for f in self.every if f.above is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of the reports."""
        return {"theorems": [result.to_dict() for result in self.every]}

    def by_theorem(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and a row a theorem."""
        rows = []
        for result in self.every:
            count = Counter(one.outcome for one in result.results)
            counts = (str(count[name] or "") for name in OUTCOMES)
            mutants, seconds = str(len(result.results)), f"{result.seconds:.1f}"
            rows.append([result.theorem, mutants, *counts, seconds])
        return ["theorem", "mutants", *OUTCOMES, "seconds"], rows


def _counted(results: Sequence[MutantResult]) -> tuple[list[str], list[list[str]]]:
    """Count kinds of mistakes against outcomes."""
    count = Counter((one.kind, one.outcome) for one in results)
    rows = []
    for kind, text in KINDS.items():
        numbers = [count[kind, name] for name in OUTCOMES]
        if any(numbers):
            rows.append([text, str(sum(numbers)), *(str(n or "") for n in numbers)])
    return ["mistake", "mutants", *OUTCOMES], rows


def _decided(results: Sequence[MutantResult]) -> str:
    """Count the mutants that are refuted, proved and open."""
    refuted = sum(one.outcome == "killed" for one in results)
    left = sum(one.outcome in OPEN for one in results)
    share = f" ({100 * left / len(results):.1f} %)" if left else ""
    return f"refuted: {refuted}; proved: {len(results) - refuted - left}; open: {left}{share}"


def _killed(results: Sequence[MutantResult]) -> str:
    """Count killed mutants by test."""
    by = Counter(one.by for one in results if one.outcome == "killed")
    return "killed: " + (", ".join(f"{by[name]} by {name}" for name in KILLERS if by[name]) or "none")


def _titled(name: Outcome) -> str:
    return f"{name} ({OUTCOMES[name]}):"


def _explanation(one: MutantResult) -> str:
    if one.outcome == "weaker":
        return one.reason if one.slack is None else f"{one.slack:.3g} times as large at typical values"
    return "; ".join([one.reason, *_nearest(one)])


def _nearest(one: MutantResult) -> list[str]:
    """Return how near an open mutant is to being refuted, and to being proved."""
    if one.outcome not in OPEN:
        return []
    near = [] if one.ratio is None else [f"measured/bound of the nearest instance is {one.ratio:.3g}"]
    return near + ([f"not proved by the steps of {one.failed}"] if one.failed else [])


NAME = "mutants"
SHOWS = "Which mistakes in a theorem are detected: every mutant of every theorem, with its outcome."


@dataclass(frozen=True)
class OutcomeCount:
    """A theorem's mutants with one outcome. kind is that of the theorem, seconds those of all its mutants."""

    theorem: str
    kind: str
    outcome: str
    mutants: int
    seconds: float


@dataclass(frozen=True)
class MistakeCount:
    """Mutants of one kind of mistake with one outcome, of constants that are explicit or open; by: killer."""

    mistake: str
    explicit: bool
    outcome: str
    by: str
    mutants: int


@dataclass(frozen=True)
class UndetectedMutants:
    """Mutants of one term (of a condition, where it is empty) with one outcome, and the reason of one.

    nearest: of open ones, the instance nearest to refuting one, and the step that fails to prove it.
    """

    theorem: str
    term: str
    outcome: str
    mutants: int
    reason: str
    nearest: str


@dataclass(frozen=True)
class SurvivingMutant:
    """A mutant that is false for all that is known, and that nothing shows to be false."""

    theorem: str
    mistake: str
    what: str
    reason: str
    nearest: str


@dataclass(frozen=True)
class MutantCounts:
    """Counts by theorem and by mistake; undetected mutants, by term; and every survivor."""

    theorems: list[OutcomeCount]
    mistakes: list[MistakeCount]
    standing: list[UndetectedMutants]
    survivors: list[SurvivingMutant]


def count_outcomes(reports: Iterable[Mutation]) -> TabularResult:
    """Return the record of these reports, sorted by theorem."""
    every = sorted(reports, key=lambda report: report.theorem)
    result = MutantCounts(
        [count for report in every for count in _counts(report)],
        list(_mistakes(every)),
        [one for report in every for one in _undetected(report)],
        [
            SurvivingMutant(report.theorem, one.kind, one.what, one.reason, "; ".join(_nearest(one)))
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


def _counts(report: Mutation) -> Iterator[OutcomeCount]:
    for outcome, mutants in Counter(one.outcome for one in report.results).items():
        yield OutcomeCount(report.theorem, report.kind, outcome, mutants, round(report.seconds, 1))


def _mistakes(every: Sequence[Mutation]) -> Iterator[MistakeCount]:
    result = Counter(
        (one.kind, report.kind != "order", one.outcome, one.by) for report in every for one in report.results
    )
    for key, mutants in result.items():
        yield MistakeCount(*key, mutants)


def _undetected(report: Mutation) -> Iterator[UndetectedMutants]:
    """Yield groups of mutants that are neither killed nor weaker, and that are not listed as survivors."""
    groups: dict[tuple[str, str], list[MutantResult]] = {}
    for one in report.results:
        if one.outcome not in ("killed", "weaker", "survived"):
            groups.setdefault((one.label, one.outcome), []).append(one)
    for (label, outcome), same in groups.items():
        reason = Counter(one.reason for one in same).most_common(1)[0][0]
        nearest = max(same, key=lambda one: -1.0 if one.ratio is None else one.ratio)
        yield UndetectedMutants(
            report.theorem, label, outcome, len(same), reason, "; ".join(_nearest(nearest))
        )
