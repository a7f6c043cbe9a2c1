"""The quiz, answered: what the notes say beside what is derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boundkit.analysis.quiz.finding import Finding
from boundkit.analysis.quiz.lines import Asked
from boundkit.analysis.rendering import html_table, table


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
        parts = ["The quiz of the lecture notes, by derivation: the effect of raising ...", ""]
        for line in self.lines:
            parts.append(f"{line.asked.raised}")
            for kind, said, findings in (
                ("error", line.asked.notes[0], line.error),
                ("time a round", line.asked.notes[1], line.time),
            ):
                parts.append(f"  {kind}; the notes: {said}")
                rows = [f.row for f in findings]
                parts += [f"    {text}" for text in table([""] * 4, rows, left=4).split("\n")[1:]]
                for finding in findings:
                    if finding.brief:
                        parts.append(f"    {finding.letter}, {finding.by}, {finding.reading}:")
                        parts += [f"    {text}" for text in finding.brief]
            parts += [f"  {line.asked.remark}", ""]
        notes = [
            f"the notes' rule: eta = {self.rule}, with the 1/L that they leave out",
            "what holds where a condition on the step binds: --json",
            "*: numerically, not by an argument for all values.",
        ]
        return "\n".join([*parts, *notes])

    def _repr_html_(self) -> str:
        rows = [
            [line.asked.raised, kind, *f.row]
            for line in self.lines
            for kind, findings in (("error", line.error), ("time a round", line.time))
            for f in findings
        ]
        return html_table(["raised", "", "", "", "effect", "the notes"], rows, "the quiz, by derivation")

    def __repr__(self) -> str:
        return self.to_text()
