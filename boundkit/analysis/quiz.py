"""The quiz of the lecture notes, answered by derivation.

The quiz asks for the effect of five changes on the error after a fixed number of rounds, and on the time
of a round. Each derived answer is the sensitivity of a theorem or of the duration. The answer of the notes
agrees with it always, never, or in some regions. Batches enter as sigma^2/b and tau = E n/b.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from boundkit.algebra import Theorem
from boundkit.analysis.runtime.distributions import AT_LEAST_ONE_STEP, IN_BATCHES
from boundkit.analysis.runtime.round_time import effect_of_unequal_data, time_effect
from boundkit.analysis.sensitivity import FIXED, RULED, TUNED, sensitivity
from boundkit.analysis.sensitivity.envelope import INSIDE
from boundkit.analysis.sensitivity.result import Effect, Word, describe_regions
from boundkit.report import Block, Heading, Report, Reported, Sentences, Table

__all__ = ["FULL", "PARTIAL", "Quiz", "quiz"]


@dataclass(frozen=True)
class Question:
    """One question of the quiz: the increased quantity, its symbols, and the answers of the notes."""

    raised: str
    quantities: tuple[str, ...]
    error: Word
    time: Word
    notes: tuple[str, str]
    remark: str


QUIZ: tuple[Question, ...] = (
    Question(
        "fraction of participating clients (C)",
        ("C",),
        "better",
        "worse",
        ("Better", "Increase"),
        "The bound that the notes print has no term for participation: it is that of full participation of "
        "m clients, and its drift grows with m under their rule. A round waits for the slowest, so it is "
        "longer with more clients as soon as times vary.",
    ),
    Question(
        "size of a mini-batch (B)",
        ("batch",),
        "worse",
        "depends",
        ("Worse", "Increase/Decrease depending on the model parameters"),
        "A larger batch makes fewer local steps a round, so that the initial gap decreases more slowly "
        "unless the step grows with it. The time depends on the overhead of a step.",
    ),
    Question(
        "local epochs (E)",
        ("epochs",),
        "better",
        "worse",
        ("Better, but if E increases too much, then there can be overfitting", "Increase"),
        "Too many local steps cost drift, not overfitting: the bound is on the training loss.",
    ),
    Question(
        "heterogeneity of the data",
        ("sigma_g",),
        "worse",
        "no effect",
        ("Worse", "Doesn't matter"),
        "Clients may also differ in how much data they have, and then a round waits for the largest.",
    ),
    Question(
        "dissimilarity parameters beta and kappa",
        ("beta", "kappa"),
        "worse",
        "no effect",
        ("Worse", "Doesn't matter"),
        "beta enters no term but the condition on the step: it has an effect at the largest step only.",
    ),
)
"""The lecture notes' last table, and its answers as effects."""


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
class QuizRow:
    """One question with its derived answers."""

    question: Question
    error: tuple[DerivedAnswer, ...]
    time: tuple[DerivedAnswer, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Quiz(Reported):
    """The questions of the quiz with their derived answers."""

    lines: tuple[QuizRow, ...]
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
                blocks.append(
                    Sentences([text for answer in answers for text in _regions_of_agreement(answer)])
                )
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


def _kinds(line: QuizRow) -> tuple[tuple[str, str, tuple[DerivedAnswer, ...]], ...]:
    """The topic of the answers of a line, the answer of the notes, and the derived answers."""
    error, time = line.question.notes
    return ("error", error, line.error), ("time a round", time, line.time)


def _regions_of_agreement(answer: DerivedAnswer) -> list[str]:
    """The regions in which the notes are right, where that depends."""
    title = f"{answer.quantity}, {answer.by}, {answer.reading}:"
    return [title, *answer.brief] if answer.brief else []


FULL, PARTIAL = "fedavg_nonconvex_beta_kappa", "fedavg_nonconvex_partial"
"""The names of the notes' bound, and of the one with a term for participation."""

RULE = "sqrt(m/(tau*T))/L"
"""The step size of the notes, with the factor 1/L that its dimension requires."""


def quiz(full: Theorem, partial: Theorem, questions: Iterable[Question] = QUIZ) -> Quiz:
    """The quiz, answered by a theorem with full participation in beta and kappa, and one with sampling.

    ``full`` is the notes' bound, with full participation of m clients, where the notes have m = C K;
    ``partial`` has C and sigma_g. The duration is that of a federated round.
    """
    return Quiz(tuple(_line(question, full, partial) for question in questions), RULE)


def _line(question: Question, full: Theorem, partial: Theorem) -> QuizRow:
    error: list[DerivedAnswer] = []
    for name in question.quantities:
        for theorem, symbol, rule in _sources(name, full, partial):
            in_batches = name in ("batch", "epochs")
            effects = sensitivity(
                theorem,
                symbol,
                eta=rule,
                under=IN_BATCHES if in_batches else None,
                requires=AT_LEAST_ONE_STEP if in_batches else (),
            )
            readings = (RULED,) if rule is not None else (FIXED, TUNED)
            error += [
                DerivedAnswer(symbol, theorem.name, reading, effects.effect(symbol, reading), question.error)
                for reading in readings
            ]
    time: list[DerivedAnswer] = []
    for name in question.quantities:
        for distribution in ("constant", "exponential"):
            source = f"{distribution} times"
            time.append(DerivedAnswer(name, source, ROUND, time_effect(name, distribution), question.time))
    if "sigma_g" in question.quantities:
        for distribution in ("constant", "exponential"):
            effect = effect_of_unequal_data(distribution)
            time.append(DerivedAnswer("n_i apart", f"{distribution} times", ROUND, effect, question.time))
    return QuizRow(question, tuple(error), tuple(time))


def _sources(name: str, full: Theorem, partial: Theorem) -> Iterable[tuple[Theorem, str, str | None]]:
    """The theorems that answer for a quantity, its name there, and the rule of the step."""
    if name == "C":
        return ((partial, "C", None), (full, "m", RULE))  # the notes' m counts participating clients
    if name == "sigma_g":
        return ((partial, "sigma_g", None),)
    return ((full, name, None), (full, name, RULE))
