"""The quiz of the lecture notes, answered by derivation.

The notes ask of five changes: does the error after as many rounds get better or worse, and does a round
take longer? Here each answer is the sensitivity of a theorem or of the clock, and what the notes say is
held against it: right always, never, or where. Batches enter as sigma^2/b and tau = E n/b.
"""

from __future__ import annotations

from collections.abc import Iterable

from boundkit.algebra import Theorem
from boundkit.analysis.quiz.derived_answer import ROUND, Finding
from boundkit.analysis.quiz.questions import QUIZ, Asked
from boundkit.analysis.quiz.result import Line, Quiz
from boundkit.analysis.runtime.effects import time_effect, unequal_data
from boundkit.analysis.runtime.notation import AT_LEAST_ONE_STEP, IN_BATCHES
from boundkit.analysis.sensitivity.query import FIXED, RULED, TUNED, sensitivity

__all__ = ["FULL", "PARTIAL", "Quiz", "quiz"]

FULL, PARTIAL = "fedavg_nonconvex_beta_kappa", "fedavg_nonconvex_partial"
"""The names of the notes' bound, and of the one with a term for participation."""

RULE = "sqrt(m/(tau*T))/L"
"""The step of the notes, with the 1/L that it needs to be a step at all."""


def quiz(full: Theorem, partial: Theorem, asked: Iterable[Asked] = QUIZ) -> Quiz:
    """The quiz, answered by a theorem with full participation in beta and kappa, and one with sampling.

    ``full`` is the notes' bound, of m clients that all take part, and the notes read m as C K; ``partial``
    has C and sigma_g. The clock is that of a federated round. ``asked`` may be some of the lines.
    """
    return Quiz(tuple(_line(one, full, partial) for one in asked), RULE)


def _line(asked: Asked, full: Theorem, partial: Theorem) -> Line:
    error: list[Finding] = []
    for letter in asked.letters:
        for theorem, name, rule in _sources(letter, full, partial):
            in_batches = letter in ("batch", "epochs")
            found = sensitivity(
                theorem,
                name,
                eta=rule,
                under=IN_BATCHES if in_batches else None,
                requires=AT_LEAST_ONE_STEP if in_batches else (),
            )
            readings = (RULED,) if rule is not None else (FIXED, TUNED)
            error += [
                Finding(name, theorem.name, reading, found.effect(name, reading), asked.error)
                for reading in readings
            ]
    time = [
        Finding(letter, f"{law} times", ROUND, time_effect(letter, law), asked.time)
        for letter in asked.letters
        for law in ("constant", "exponential")
    ]
    if "sigma_g" in asked.letters:  # unlike data may be unlike in number too
        time += [
            Finding("n_i apart", f"{law} times", ROUND, unequal_data(law), asked.time)
            for law in ("constant", "exponential")
        ]
    return Line(asked, tuple(error), tuple(time))


def _sources(letter: str, full: Theorem, partial: Theorem) -> Iterable[tuple[Theorem, str, str | None]]:
    """Which theorem answers for a letter, under which name, and under which rule."""
    if letter == "C":
        return ((partial, "C", None), (full, "m", RULE))  # the notes' m is the number who take part
    if letter == "sigma_g":
        return ((partial, "sigma_g", None),)
    return ((full, letter, None), (full, letter, RULE))
