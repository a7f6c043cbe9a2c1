"""Communication heterogeneity: who comes, who is chosen, in which order, and what a round costs."""

from boundkit.algebra import Source
from boundkit.lecture.chapters.communication_exercises import EXERCISES
from boundkit.lecture.chapters.communication_presence import AVAILABILITY, CLOCK
from boundkit.lecture.chapters.communication_quiz import questions
from boundkit.lecture.chapters.communication_sampling import CYCLES, SAMPLING, SELECTION
from boundkit.lecture.parts import Chapter, Exercises, Limits, Quiz

CHAPTER = Chapter(
    slug="communication",
    title="Communication heterogeneity",
    question="What does it cost that not everybody comes, and not equally often?",
    parts=(
        *SAMPLING,
        *SELECTION,
        *CYCLES,
        *AVAILABILITY,
        *CLOCK,
        Limits(
            (
                "That a term is gone from FedVARP's bound does not say that FedVARP is faster in the first "
                "rounds: "
                "its start-up grows as $1/C^2$.",
                "$\\bar\\rho$ over all models may be 0 for a rule that never meets that model. The bound "
                "for a fixed step, shown here, stays finite. Three for decaying steps divide by "
                "$\\bar\\rho$ and promise nothing there: `biased_selection_strongly_convex_decaying`, "
                "`..._rigorous` and `..._sharp`.",
                "Nothing is said about clients whose presence depends on the model or on their data at the "
                "time.",
                "Fairness and robustness to clients that lie are not in these bounds.",
                "The theorems of MIFA and of FedAvg with known chances are about one local step.",
                "A clock with mean times says nothing about a single bad day.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("Ribero", "Vikalo", "de Veciana"),
            year=2022,
            title="Federated Learning Under Intermittent Client Availability and Time-Varying Communication "
            "Constraints",
            arxiv="2205.06730",
            where="F3AST, which the experiments on FedAWE compare with",
        ),
    ),
)
"""The third page of the lecture."""
