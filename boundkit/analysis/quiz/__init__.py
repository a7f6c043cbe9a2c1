"""The quiz of the lecture notes, answered by derivation.

The quiz asks for the effect of five changes on the error after a fixed number of rounds, and on the time
of a round. Each derived answer is the sensitivity of a theorem or of the duration. The answer of the notes
agrees with it always, never, or in some regions. Batches enter as sigma^2/b and tau = E n/b.
"""

from __future__ import annotations

from collections.abc import Iterable

from boundkit.algebra import Theorem
from boundkit.analysis.quiz.questions import QUIZ, Question
from boundkit.analysis.quiz.result import ROUND, DerivedAnswer, Line, Quiz
from boundkit.analysis.runtime.effects import effect_of_unequal_data, time_effect
from boundkit.analysis.runtime.notation import AT_LEAST_ONE_STEP, IN_BATCHES
from boundkit.analysis.sensitivity.query import FIXED, RULED, TUNED, sensitivity

__all__ = ["FULL", "PARTIAL", "Quiz", "quiz"]

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


def _line(question: Question, full: Theorem, partial: Theorem) -> Line:
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
    return Line(question, tuple(error), tuple(time))


def _sources(name: str, full: Theorem, partial: Theorem) -> Iterable[tuple[Theorem, str, str | None]]:
    """The theorems that answer for a quantity, its name there, and the rule of the step."""
    if name == "C":
        return ((partial, "C", None), (full, "m", RULE))  # the notes' m counts participating clients
    if name == "sigma_g":
        return ((partial, "sigma_g", None),)
    return ((full, name, None), (full, name, RULE))
