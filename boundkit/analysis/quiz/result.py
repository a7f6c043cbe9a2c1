"""The quiz, answered: what the notes say beside what is derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boundkit.analysis.quiz.derived_answer import Finding
from boundkit.analysis.quiz.questions import Asked
from boundkit.report.html import heading, html_table, notes
from boundkit.report.text import align_columns


@dataclass(frozen=True)
class Line:
    """One line of the quiz with its findings."""

    asked: Asked
    error: tuple[Finding, ...]
    time: tuple[Finding, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Quiz:
    """The quiz, answered."""

    lines: tuple[Line, ...]
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON."""
        return {
            "rule": self.rule,
            "lines": [
                {
                    "raised": line.asked.raised,
                    "error": {"notes": line.asked.notes[0], "answers": [f.to_dict() for f in line.error]},
                    "time": {"notes": line.asked.notes[1], "answers": [f.to_dict() for f in line.time]},
                    "remark": line.asked.remark,
                }
                for line in self.lines
            ],
        }

    def to_text(self) -> str:
        """Per line: what the notes say, what is derived, and where the notes are right."""
        parts = [_TITLE, ""]
        for line in self.lines:
            parts.append(f"{line.asked.raised}")
            for kind, said, findings in _kinds(line):
                parts.append(f"  {kind}; the notes: {said}")
                rows = [f.row for f in findings]
                parts += [f"    {text}" for text in align_columns([""] * 4, rows, left=4).split("\n")[1:]]
                parts += [f"    {text}" for finding in findings for text in _where(finding)]
            parts += [f"  {line.asked.remark}", ""]
        return "\n".join([*parts, *self._footer()])

    def _footer(self) -> list[str]:
        return [
            f"the notes' rule: eta = {self.rule}, with the 1/L that they leave out",
            "what holds where a condition on the step binds: --json",
            "*: numerically, not by an argument for all values.",
        ]

    def _repr_html_(self) -> str:
        parts = [heading(_TITLE)]
        for line in self.lines:
            header = ["", "", "", "effect", "the notes"]
            rows = [[f"{kind}; the notes: {said}", *f.row] for kind, said, fs in _kinds(line) for f in fs]
            where = "".join(notes(_where(f)) for _, _, findings in _kinds(line) for f in findings)
            parts += [html_table(header, rows, line.asked.raised), where, notes([line.asked.remark])]
        return "".join([*parts, notes(self._footer())])

    def __repr__(self) -> str:
        return self.to_text()


_TITLE = "The quiz of the lecture notes, by derivation: the effect of raising ..."


def _kinds(line: Line) -> tuple[tuple[str, str, tuple[Finding, ...]], ...]:
    """What the answers of a line are about, what the notes say, and the answers."""
    error, time = line.asked.notes
    return ("error", error, line.error), ("time a round", time, line.time)


def _where(finding: Finding) -> list[str]:
    """In which regions, where that depends."""
    title = f"{finding.letter}, {finding.by}, {finding.reading}:"
    return [title, *finding.brief] if finding.brief else []
