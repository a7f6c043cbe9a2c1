"""The questions of the quiz of the lecture notes, with the notes' answers as effects."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.analysis.sensitivity.effect import Word


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
