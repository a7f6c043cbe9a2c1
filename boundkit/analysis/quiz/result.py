"""Result of the quiz: the derived answers, and their agreement with the notes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from boundkit.analysis.quiz.questions import Question
from boundkit.analysis.sensitivity.effect import Effect, Word
from boundkit.analysis.sensitivity.envelope import INSIDE
from boundkit.analysis.sensitivity.result import describe_regions
from boundkit.report import Block, Heading, Report, Reported, Sentences, Table

ROUND = "a federated round"
"""The reading of an answer about time."""

_OF_TIME = {"better": "shorter", "worse": "longer"}
_AGREEMENT = {
    "always": "the notes are right",
    "never": "the notes are not",
    "where": "the notes are right where",
}


@dataclass(frozen=True)
class DerivedAnswer:
    """The effect of one quantity by one theorem under one reading, with the answer of the notes."""

    quantity: str
    by: str
    reading: str
    effect: Effect
    expected: Word

    @property
    def agrees(self) -> str:
        """ "always", "never", or "where": in some regions, which the effect lists."""
        return agreement(self.effect, self.expected)

    @property
    def where(self) -> list[str]:
        """The regions in which the notes are right; all regions where the notes answer "depends"."""
        return describe_regions(self._agreeing(), self.words)

    def _agreeing(self) -> Effect:
        regions = self.effect.regions
        if self.expected != "depends":
            regions = tuple(r for r in regions if r.effect == self.expected)
        return replace(self.effect, regions=regions)

    @property
    def words(self) -> dict[str, str]:
        """Names of the effects on time; empty for the error, whose effects keep theirs."""
        return _OF_TIME if self.reading == ROUND else {}

    @property
    def brief(self) -> list[str]:
        """The same without the regions at the limits of the step, which are long."""
        agreeing = self._agreeing()
        inside = tuple(r for r in agreeing.regions if r.case in ("", INSIDE))
        return describe_regions(replace(agreeing, regions=inside), self.words)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values."""
        answer = {"letter": self.quantity, "by": self.by, "reading": self.reading, **self.effect.to_dict()}
        return {**answer, "notes_agree": self.agrees, "notes_right_where": self.where}

    @property
    def row(self) -> list[str]:
        """The quantity, the source, the effect, and the agreement of the notes."""
        word = self.words.get(self.effect.word, self.effect.word)
        star = "" if self.effect.exact else " *"
        return [self.quantity, f"{self.by}, {self.reading}", word + star, _AGREEMENT[self.agrees]]


def agreement(effect: Effect, expected: Word) -> str:
    """Whether an expected word agrees with an effect: always, never, or in some regions."""
    if effect.word == expected:
        return "always"
    return "where" if effect.word == "depends" else "never"


@dataclass(frozen=True)
class Line:
    """One question with its derived answers."""

    question: Question
    error: tuple[DerivedAnswer, ...]
    time: tuple[DerivedAnswer, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Quiz(Reported):
    """The questions of the quiz with their derived answers."""

    lines: tuple[Line, ...]
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "rule": self.rule,
            "lines": [
                {
                    "raised": line.question.raised,
                    "error": {"notes": line.question.notes[0], "answers": [f.to_dict() for f in line.error]},
                    "time": {"notes": line.question.notes[1], "answers": [f.to_dict() for f in line.time]},
                    "remark": line.question.remark,
                }
                for line in self.lines
            ],
        }

    def report(self, verbose: bool = False) -> Report:
        """A row for each question; with ``verbose`` each derived answer, and where the notes are right."""
        if not verbose:
            rows = [
                [line.question.raised, *_summary(line.error), *_summary(line.time)] for line in self.lines
            ]
            header = ["raising", "error", "notes right", "time a round", "notes right"]
            exact = all(f.effect.exact for line in self.lines for f in (*line.error, *line.time))
            return Report((Heading(_TITLE), Table(header, rows, left=5), Sentences([] if exact else [_STAR])))
        blocks: list[Block] = [Heading(_TITLE)]
        for line in self.lines:
            blocks.append(Heading(line.question.raised))
            for kind, notes, answers in _kinds(line):
                rows = [answer.row for answer in answers]
                blocks.append(Table([""] * 4, rows, left=4, caption=f"{kind}; the notes: {notes}"))
                blocks.append(Sentences([text for answer in answers for text in _where(answer)]))
            blocks.append(Sentences([line.question.remark], wrapped=True))
        rule = f"the notes' rule: eta = {self.rule}, with the 1/L that they leave out"
        limits = "what holds where a condition on the step binds: --json"
        return Report((*blocks, Sentences([rule, limits, _STAR])))


_STAR = "*: numerically, not by a proof for all values."
_TITLE = "The quiz of the lecture notes, by derivation: the effect of raising ..."


def _summary(answers: tuple[DerivedAnswer, ...]) -> list[str]:
    """The derived effects, and the number of them with which the notes agree."""
    count = Counter(answer.agrees for answer in answers)
    parts = [f"{count['always']} of {len(answers)}"]
    parts += [f"{count['where']} in part"] if count["where"] else []
    words = dict.fromkeys(answer.row[2].removesuffix(" *") for answer in answers)
    star = "" if all(answer.effect.exact for answer in answers) else " *"
    return [" or ".join(words) + star, ", ".join(parts)]


def _kinds(line: Line) -> tuple[tuple[str, str, tuple[DerivedAnswer, ...]], ...]:
    """The topic of the answers of a line, the answer of the notes, and the derived answers."""
    error, time = line.question.notes
    return ("error", error, line.error), ("time a round", time, line.time)


def _where(answer: DerivedAnswer) -> list[str]:
    """The regions in which the notes are right, where that depends."""
    title = f"{answer.quantity}, {answer.by}, {answer.reading}:"
    return [title, *answer.brief] if answer.brief else []
