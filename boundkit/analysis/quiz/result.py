"""The quiz, answered: what the notes say beside what is derived."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from boundkit.analysis.quiz.derived_answer import Finding
from boundkit.analysis.quiz.questions import Asked
from boundkit.report import Block, Heading, Report, Reported, Sentences, Table


@dataclass(frozen=True)
class Line:
    """One line of the quiz with its findings."""

    asked: Asked
    error: tuple[Finding, ...]
    time: tuple[Finding, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Quiz(Reported):
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

    def report(self, verbose: bool = False) -> Report:
        """A row for each question; with ``verbose`` each derived answer, and where the notes are right."""
        if not verbose:
            rows = [[line.asked.raised, *_summary(line.error), *_summary(line.time)] for line in self.lines]
            header = ["raising", "error", "notes right", "time a round", "notes right"]
            exact = all(f.effect.exact for line in self.lines for f in (*line.error, *line.time))
            return Report((Heading(_TITLE), Table(header, rows, left=5), Sentences([] if exact else [_STAR])))
        blocks: list[Block] = [Heading(_TITLE)]
        for line in self.lines:
            blocks.append(Heading(line.asked.raised))
            for kind, notes, findings in _kinds(line):
                rows = [finding.row for finding in findings]
                blocks.append(Table([""] * 4, rows, left=4, caption=f"{kind}; the notes: {notes}"))
                blocks.append(Sentences([text for finding in findings for text in _where(finding)]))
            blocks.append(Sentences([line.asked.remark], wrapped=True))
        rule = f"the notes' rule: eta = {self.rule}, with the 1/L that they leave out"
        limits = "what holds where a condition on the step binds: --json"
        return Report((*blocks, Sentences([rule, limits, _STAR])))


_STAR = "*: numerically, not by an argument for all values."
_TITLE = "The quiz of the lecture notes, by derivation: the effect of raising ..."


def _summary(findings: tuple[Finding, ...]) -> list[str]:
    """The effects that the answers give, and in how many of them the notes are right."""
    count = Counter(finding.agrees for finding in findings)
    parts = [f"{count['always']} of {len(findings)}"]
    parts += [f"{count['where']} in part"] if count["where"] else []
    words = dict.fromkeys(finding.row[2].removesuffix(" *") for finding in findings)
    star = "" if all(finding.effect.exact for finding in findings) else " *"
    return [" or ".join(words) + star, ", ".join(parts)]


def _kinds(line: Line) -> tuple[tuple[str, str, tuple[Finding, ...]], ...]:
    """What the answers of a line are about, what the notes say, and the answers."""
    error, time = line.asked.notes
    return ("error", error, line.error), ("time a round", time, line.time)


def _where(finding: Finding) -> list[str]:
    """In which regions, where that depends."""
    title = f"{finding.letter}, {finding.by}, {finding.reading}:"
    return [title, *finding.brief] if finding.brief else []
