"""All judgements of a theorem, or of many, counted and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boundkit.algebra.notebook import heading, html_table, notes
from boundkit.analysis.formatting import table
from boundkit.attack.mutation.judgement import KILLERS, OUTCOMES, Judgement, Outcome
from boundkit.attack.mutation.mutant import KINDS

_STANDING: tuple[Outcome, ...] = ("survived", "inside slack", "not testable", "not proved", "weaker")
"""What was not killed, in the order in which it is told."""


@dataclass(frozen=True, repr=False)
class Mutation:
    """What became of a theorem's mutants, held against ``values`` measured values. True where none stands.

    ``above``: where the theorem itself lies below what was measured, the reason, ratio and instance. Such
    values say nothing of mutants, and the theorem is for ``boundkit falsify``.
    """

    theorem: str
    kind: str
    judgements: tuple[Judgement, ...]
    values: int
    seconds: float
    above: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        return not self.survivors and self.above is None

    @property
    def survivors(self) -> tuple[Judgement, ...]:
        """Those that are false for all that is known, and stand."""
        return tuple(one for one in self.judgements if one.open)

    def outcome(self, *names: Outcome) -> tuple[Judgement, ...]:
        """The judgements of these outcomes."""
        return tuple(one for one in self.judgements if one.outcome in names)

    def headline(self) -> str:
        """How many of each outcome."""
        count = Counter(one.outcome for one in self.judgements)
        parts = ", ".join(f"{count[name]} {name}" for name in OUTCOMES if count[name])
        counted = f"{self.theorem}: {len(self.judgements)} mutants, {parts}"
        return f"{counted}; {self.finding()}" if self.above is not None else counted

    def finding(self) -> str:
        """Where the theorem itself lies below a measured value, this in words; else empty."""
        return "" if self.above is None else f"the theorem itself is violated: {self.above['reason']}"

    def to_text(self) -> str:
        """The headline, kinds against outcomes, who killed, and every mutant that is not killed."""
        lines = [self.headline(), "", table(*_counted(self.judgements)), "", _killed(self.judgements)]
        for name, found in self._standing():
            lines += ["", _titled(name), *(f"  {one.what}   {_told(one)}".rstrip() for one in found)]
        return "\n".join(lines)

    def _standing(self) -> list[tuple[Outcome, tuple[Judgement, ...]]]:
        return [(name, self.outcome(name)) for name in _STANDING if self.outcome(name)]

    def to_dict(self) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "theorem": self.theorem,
            "kind": self.kind,
            "values": self.values,
            "seconds": self.seconds,
            "above": self.above,
            "mutants": [one.to_dict() for one in self.judgements],
        }

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        parts = [heading(self.headline()), html_table(*_counted(self.judgements))]
        parts += [notes([_killed(self.judgements)])]
        for name, found in self._standing():
            parts += [notes([_titled(name)]), html_table(["", ""], [[one.what, _told(one)] for one in found])]
        return "".join(parts)


def from_dict(told: dict[str, Any]) -> Mutation:
    """The report that was written as a dict."""
    judged = tuple(Judgement(**one) for one in told["mutants"])
    return Mutation(told["theorem"], told["kind"], judged, told["values"], told["seconds"], told.get("above"))


@dataclass(frozen=True, repr=False)
class Mutations:
    """The reports on many theorems. True where no mutant of any stands."""

    every: tuple[Mutation, ...]

    def __bool__(self) -> bool:
        return all(self.every)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Those of all."""
        return tuple(one for found in self.every for one in found.judgements)

    def to_text(self) -> str:
        """A line a theorem, kinds against outcomes, and the survivors."""
        header, rows = self.by_theorem()
        lines = [table(header, rows), "", table(*_counted(self.judgements)), "", _killed(self.judgements), ""]
        return "\n".join([*lines, *self._survived()])

    def _survived(self) -> list[str]:
        stand = [f"  {f.theorem}: {one.what}: {one.reason}" for f in self.every for one in f.survivors]
        return [*self._violated(), *(["survived:", *stand] if stand else ["none survived"])]

    def _violated(self) -> list[str]:
        return [f"{f.theorem}: {f.finding()}" for f in self.every if f.above is not None]

    def to_markdown(self) -> str:
        """The same two tables, and the survivors, for a page."""
        parts = [_markdown(*_counted(self.judgements)), "", _markdown(*self.by_theorem())]
        stand = [f"- `{f.theorem}`: {one.what}: {one.reason}" for f in self.every for one in f.survivors]
        stand += [f"- {said}" for said in self._violated()]
        return "\n".join([*parts, *(["", *stand] if stand else [])]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The reports, clean for JSON."""
        return {"theorems": [found.to_dict() for found in self.every]}

    def by_theorem(self) -> tuple[list[str], list[list[str]]]:
        """Header and a row a theorem."""
        rows = []
        for found in self.every:
            count = Counter(one.outcome for one in found.judgements)
            rows.append([found.theorem, str(len(found.judgements)), *(str(count[n] or "") for n in OUTCOMES),
                         f"{found.seconds:.1f}"])  # fmt: skip
        return ["theorem", "mutants", *OUTCOMES, "seconds"], rows

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        tables = html_table(*self.by_theorem()) + html_table(*_counted(self.judgements))
        return tables + notes([_killed(self.judgements)]) + notes(self._survived())


def _counted(judged: Sequence[Judgement]) -> tuple[list[str], list[list[str]]]:
    """Kinds of mistakes against outcomes."""
    count = Counter((one.kind, one.outcome) for one in judged)
    rows = []
    for kind, said in KINDS.items():
        numbers = [count[kind, name] for name in OUTCOMES]
        if any(numbers):
            rows.append([said, str(sum(numbers)), *(str(n or "") for n in numbers)])
    return ["mistake", "mutants", *OUTCOMES], rows


def _killed(judged: Sequence[Judgement]) -> str:
    """Who killed how many."""
    by = Counter(one.by for one in judged if one.outcome == "killed")
    return "killed: " + (", ".join(f"{by[name]} by {name}" for name in KILLERS if by[name]) or "none")


def _titled(name: Outcome) -> str:
    return f"{name} ({OUTCOMES[name]}):"


def _told(one: Judgement) -> str:
    if one.outcome == "weaker":
        return "" if one.slack is None else f"{one.slack:.3g} times as large at typical values"
    return one.reason


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
