"""The texts of one verdict in a report: slopes in pairs, checks that were not tested, numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.printing import latex, plain
from boundkit.figures.number_format import number, ratio
from boundkit.report.formatting import format_count
from boundkit.verification.record import Record

ANSWERS = ("violated", "undecided", "holds", "not applicable")


@dataclass(frozen=True)
class SlopeEntry:
    """A fitted slope beside the predicted one."""

    term: str
    letter: str
    measured: float
    predicted: float
    outcome: str


@dataclass(frozen=True)
class TheoremEntry:
    """One theorem of a report: its record, and its statement where that is known."""

    record: Record
    theorem: Theorem | None

    @property
    def name(self) -> str:
        return self.record.theorem

    @property
    def verdict(self) -> dict[str, Any]:
        """``boundkit verify --json`` of it."""
        return self.record.verdict

    @property
    def answer(self) -> str:
        answer: str = self.verdict["verdict"]
        return answer

    @property
    def tested(self) -> bool:
        """Whether it was tested on a run."""
        return self.answer != "not applicable"

    @property
    def ratio(self) -> str:
        """The worst measured/bound, with its interval where it was sampled."""
        share, ends = self.verdict["ratio"], self.verdict["interval"]
        if share is None:
            return "up to constants" if self.verdict["kind"] == "order" else "bound and run are 0"
        spread = f" in [{ratio(ends[0])}, {ratio(ends[1])}]" if ends and ends[0] < ends[1] else ""
        return ratio(share) + spread

    @property
    def trust(self) -> str:
        """How far the constants of the run can be trusted; open where those of the bound itself are."""
        constants = "open" if self.verdict["kind"] == "order" else self.verdict["constants"]
        return constants or "no constants"

    @property
    def slopes(self) -> list[SlopeEntry]:
        """Those that were fitted, in the order of the terms."""
        return [
            SlopeEntry(c["term"], c["letter"], c["measured"], c["predicted"], c["outcome"])
            for c in self.verdict["checks"]
            if "term" in c and c["outcome"] != "not tested" and c.get("measured") is not None
        ]

    @property
    def matched(self) -> str:
        """How many slopes are as predicted, out of those fitted."""
        fitted = self.slopes
        return f"{sum(s.outcome == 'holds' for s in fitted)} of {len(fitted)}" if fitted else "not fitted"

    @property
    def by_term(self) -> dict[str, list[SlopeEntry]]:
        """The slopes by the label of their term."""
        slopes: dict[str, list[SlopeEntry]] = {}
        for slope in self.slopes:
            slopes.setdefault(slope.term, []).append(slope)
        return slopes

    @property
    def untested(self) -> list[tuple[str, str]]:
        """What could not be tested, each with the reason."""
        return [(c["name"], c["sentence"]) for c in self.verdict["checks"] if c["outcome"] == "not tested"]

    @property
    def source(self) -> str:
        """Where the theorem is published."""
        return "" if self.theorem is None else str(self.theorem.source)


def lines_of(records: Sequence[Record], theorems: Mapping[str, Theorem]) -> list[TheoremEntry]:
    """A line for each record, in their order."""
    return [TheoremEntry(record, theorems.get(record.theorem)) for record in records]


def pair(slope: SlopeEntry) -> str:
    """Measured and predicted slope, with as few digits as distinguish them.

    >>> pair(SlopeEntry("client drift", "eta", 1.9996, 2.0, "holds"))
    '2.00 (2)'
    """
    predicted = f"{slope.predicted:.3g}" if abs(slope.predicted) > 5e-4 else "0"
    if slope.letter == "T" and abs(slope.predicted) < 0.05:  # a rate of decay, not a power
        return f"{slope.measured:.2g} ({slope.predicted:.2g})"
    return f"{slope.measured + 0.0:.2f}".replace("-0.00", "0.00") + f" ({predicted})"


def counts(lines: Sequence[TheoremEntry]) -> list[tuple[str, int]]:
    """How many have each answer, violations first; answers without theorems are left out."""
    counted = [(answer, sum(line.answer == answer for line in lines)) for answer in ANSWERS]
    return [(answer, count) for answer, count in counted if count]


@dataclass(frozen=True)
class TermRow:
    """A term: its formula where the statement is known, its value at the worst instance and its share."""

    label: str
    cause: str
    latex: str
    plain: str
    value: str
    share: str


def term_rows(line: TheoremEntry) -> list[TermRow]:
    """A row for each term that the verdict has a value for."""
    values: dict[str, float] = line.verdict["terms"]
    total = sum(values.values())
    known = {} if line.theorem is None else line.theorem.bound.terms
    rows = []
    for label, value in values.items():
        expr = known[label].expr if label in known else None
        share = f"{100 * value / total:.3g} %" if total > 0 else ""
        rows.append(TermRow(
            label, line.record.causes[label], "" if expr is None else latex(expr),
            "" if expr is None else plain(expr), number(value, 3), share,
        ))  # fmt: skip
    return rows


def case_rows(line: TheoremEntry) -> list[list[str]]:
    """Instance, verdict, ratio, trust in its constants, engine."""
    return [
        [c["name"], c["verdict"], _ratio(c["ratio"]), c["constants"], c["engine"]]
        for c in line.verdict["cases"]
    ]


def _ratio(share: float | None) -> str:
    return "no number" if share is None else ratio(share)


def constant_rows(line: TheoremEntry) -> list[list[str]]:
    """Constant, value, trust, method."""
    values = line.verdict["constant_values"]
    return [[name, number(c["value"], 4), c["trust"], c["how"]] for name, c in values.items()]


def setting_words(line: TheoremEntry) -> str:
    """The settings of the worst instance, or of the only run, that are numbers, in a sentence."""
    run = line.record.run
    settings = [f"{name} = {run[name]:g}" for name in ("rounds", "eta", "eta_s", "local_steps", "noise")
            if isinstance(run.get(name), (int, float))]  # fmt: skip
    return f"{_worst_instance_name(line)} has {', '.join(settings)}." if settings else ""


def _worst_instance_name(line: TheoremEntry) -> str:
    cases, share = line.verdict["cases"], line.verdict["ratio"]
    if not cases:
        return "The run"
    names = [c["name"] for c in cases if share is not None and c["ratio"] == share]
    return f"The worst instance, {names[0]!r}," if names else "The worst instance"


def how(line: TheoremEntry) -> str:
    """How the number was measured."""
    engine, replicas = line.verdict["engine"], line.verdict["replicas"]
    if engine is None:
        return ""
    many = f", {format_count(replicas, 'replica')}" if replicas else ""
    return f"Measured by the {engine} engine{many}."


def record_link(line: TheoremEntry, page: Path) -> str | None:
    """From the page to the record, where there is one."""
    record = line.verdict["record"]
    return None if record is None else Path(os.path.relpath(record, page.parent)).as_posix()
