"""How to read a bound: what it promises, of what, inside which conditions, and how far from the truth."""

from boundkit.algebra import Source
from boundkit.lecture.chapters import reading_text as text
from boundkit.lecture.chapters.reading_exercises import EXERCISES
from boundkit.lecture.chapters.reading_quiz import questions
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
    slug="reading",
    title="How to read a bound",
    question="What does a bound promise, and what does it not?",
    parts=(
        text.UPPER,
        Statement("sgd_nonconvex", "An upper bound, small enough to practise on. Begin on the left."),
        Explorer(
            "sgd_nonconvex",
            title="Two terms, one best step",
            sliders=(
                Slider("eta", 1e-4, 2),
                Slider("T", 10, 1_000_000),
                Slider("m", 1, 1000),
                Slider("sigma", 0.01, 10),
                Slider("gap", 0.01, 100),
            ),
            along="eta",
            values={"eta": 0.05, "T": 1000, "m": 10, "sigma": 1, "gap": 1, "L": 1},
            ask="Find the step at which both terms are equal. How much worse is the bound at half that step, "
            "and at twice? Then multiply $T$ by 100: where is the best step now?",
        ),
        text.MEASURED,
        Live(
            "partial_participation",
            "The measured mean squared gradient with the bound beside it, for the same constants. How many "
            "times "
            "too high is the bound early, and how many times late?",
        ),
        Picture(
            "bound_against_run",
            ("fedavg_nonconvex_partial",),
            lead="The same with the terms by cause.",
            alt="Five stacked terms against the horizon, and the measured curve below them.",
        ),
        text.CONSTANTS,
        text.CONDITIONS,
        text.DIMENSIONS,
        text.ORDER,
        Statement(
            "scaffold_nonconvex_partial",
            "Up to constants: the sign is another one, and $c_1$, $c_2$ are open.",
        ),
        Picture(
            "rates",
            lead="Slopes, measured and predicted: all that a rate up to constants can be held to.",
            alt="Measured slopes beside the predicted powers, with their intervals.",
        ),
        text.TIGHT,
        Picture(
            "tightness",
            lead="Measured over bound, for every theorem that was verified.",
            alt="One mark for each theorem, and a line at 1. Most upper bounds lie well below it, some on "
            "it; bounds up to constants lie on both sides, with their open constants at 1.",
        ),
        Statement(
            "fedavg_strongly_convex_drift_limit_lower",
            "A lower bound. With the upper one beside it the truth is between them.",
        ),
        text.REGIONS,
        Picture(
            "sensitivity",
            ("fedavg_nonconvex_partial",),
            lead="What a larger quantity does, all else fixed and with the best step.",
            alt="A table of quantities against readings: better, worse, no effect, or depends.",
        ),
        Picture(
            "regimes",
            ("fedavg_nonconvex_partial", "tau", "C", "tau=1:1000:30:log"),
            lead='Which cause dominates where. "Which error is the largest?" has a map for an answer.',
            alt="A map over local steps and the fraction of clients, coloured by the largest term.",
        ),
        Limits(
            (
                "A theorem about a class says nothing about how often its worst case occurs.",
                "No bound here is about networks as such: they have no $L$ that anybody knows.",
                "Agreement with runs on quadratics tests constants and not the class: quadratics never "
                "exercise non-convexity.",
                "A theorem that no run refuted is not proved by that.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("Bottou", "Curtis", "Nocedal"),
            year=2018,
            title="Optimization Methods for Large-Scale Machine Learning",
            venue="SIAM Review 60",
            arxiv="1606.04838",
            where="Section 4",
        ),
        Source(
            authors=("Wang", "Das", "Joshi", "Kale", "Xu", "Zhang"),
            year=2022,
            title="On the Unreasonable Effectiveness of Federated Averaging with Heterogeneous Data",
            arxiv="2206.04723",
            where="on bounds that are too pessimistic",
        ),
    ),
)
"""The last page of the lecture."""
