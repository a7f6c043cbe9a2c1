"""The quiz as the lecture notes print it, with their answers as effects."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.analysis.sensitivity.effect import Word


@dataclass(frozen=True)
class Asked:
    """One line of the quiz: what is raised, which letters that is, and what the notes answer."""

    raised: str
    letters: tuple[str, ...]
    error: Word
    time: Word
    notes: tuple[str, str]
    remark: str


QUIZ: tuple[Asked, ...] = (
    Asked(
        "fraction of clients that take part (C)",
        ("C",),
        "better",
        "worse",
        ("Better", "Increase"),
        "The bound that the notes print has no term for participation: it is that of m clients who all take "
        "part, and its drift grows with m under their rule. A round waits for the slowest, so it is longer "
        "with more clients as soon as times vary.",
    ),
    Asked(
        "size of a mini-batch (B)",
        ("batch",),
        "worse",
        "depends",
        ("Worse", "Increase/Decrease depending on the model parameters"),
        "A larger batch makes fewer local steps a round, so the start is forgotten later, unless the step "
        "grows with it. The time depends on the overhead of a step.",
    ),
    Asked(
        "local epochs (E)",
        ("epochs",),
        "better",
        "worse",
        ("Better, but if E increases too much, then there can be overfitting", "Increase"),
        "What too many local steps cost is drift, not overfitting: the bound is about the loss that is "
        "trained.",
    ),
    Asked(
        "heterogeneity of the data",
        ("sigma_g",),
        "worse",
        "no effect",
        ("Worse", "Doesn't matter"),
        "Clients may also differ in how much data they have, and then a round waits for the largest.",
    ),
    Asked(
        "dissimilarity parameters beta and kappa",
        ("beta", "kappa"),
        "worse",
        "no effect",
        ("Worse", "Doesn't matter"),
        "beta costs no term, it costs step size: it is felt where the step is as large as is allowed.",
    ),
)
"""The lecture notes' last table, and its answers as effects."""
