"""What lies ahead: other objectives, what is known of them, and what is open."""

from boundkit.algebra import Source
from boundkit.lecture.chapters import ahead_text as text
from boundkit.lecture.chapters.ahead_exercises import EXERCISES
from boundkit.lecture.chapters.ahead_quiz import questions
from boundkit.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Limits,
    Live,
    Picture,
    Quiz,
    Slider,
    Statement,
)

CHAPTER = Chapter(
    slug="ahead",
    title="What lies ahead",
    question="Is the mean loss what we want?",
    parts=(
        text.OPENING,
        Live(
            "two_clients",
            "Once more the two clients. At $x^* = 11/3$ neither is at its own minimum, 1 or 5. Would both "
            "take "
            "part? What model would each have alone?",
        ),
        text.OBJECTIVES,
        text.WHAT_HOLDS,
        Statement(
            "fedavg_surrogate_optimum",
            "Written for FedAvg's own weights; the proof asks for no more than two sets of weights that "
            "sum to 1.",
        ),
        Explorer(
            "fedavg_surrogate_optimum",
            title="What other weights may cost the mean",
            sliders=(Slider("chi2", 0.001, 10), Slider("kappa", 0.01, 10)),
            along="chi2",
            values={"chi2": 0.2, "kappa": 1},
            ask="How alike must clients be, before weights that are off by $\\chi^2 = 1$ cost less than "
            "0.01?",
        ),
        Statement(
            "biased_selection_strongly_convex_rigorous",
            "The bias of choosing by loss, if the mean is what was meant.",
        ),
        Picture(
            "power_of_choice",
            lead="The same picture as before, read the other way: the floor is what the mean pays where "
            "another objective is minimised, a mean that weighs losses by their rank.",
            alt="Loss against rounds for several numbers of candidates.",
        ),
        Limits(
            (
                "None of the modified objectives has a theorem in the catalogue; what is called known was "
                "read in "
                "abstracts and talks, and not proved again here.",
                "Model heterogeneity leaves the whole framework: parameters of unlike models have no mean.",
                "A bound on $\\|\\nabla F\\|$ says nothing of the loss of a single client.",
                "Privacy, security and law are objectives too, and no formula here holds them.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("Lin", "Kong", "Stich", "Jaggi"),
            year=2020,
            title="Ensemble Distillation for Robust Model Fusion in Federated Learning",
            venue="NeurIPS 2020",
            arxiv="2006.07242",
            where="FedDF",
        ),
        Source(
            authors=("Mohri", "Sivek", "Suresh"),
            year=2019,
            title="Agnostic Federated Learning",
            venue="ICML 2019",
            arxiv="1902.00146",
            where="the worst mixture of clients",
        ),
    ),
)
"""The sixth page of the lecture."""
