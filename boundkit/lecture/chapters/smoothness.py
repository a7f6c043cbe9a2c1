"""Relaxed smoothness: when no L is enough, what clipping buys, and where it buys nothing."""

from typing import Any

from boundkit.algebra import Source
from boundkit.lecture.chapters import smoothness_text as text
from boundkit.lecture.chapters.smoothness_exercises import EXERCISES
from boundkit.lecture.chapters.smoothness_quiz import questions
from boundkit.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Limits,
    Picture,
    Quiz,
    Slider,
    Statement,
)

_EPISODE: dict[str, Any] = {
    "tau": 10, "m": 5, "target": 0.01, "sigma": 1, "zeta": 1, "rho_zeta": 1, "L0": 1, "L1": 0.1, "gap": 1,
    "c_3": 1,
}  # fmt: skip

_HARD: dict[str, Any] = {"grad_max": 20, "target": 0.1, "gap": 1000, "L0": 1, "L1": 1, "C": 0.1}

CHAPTER = Chapter(
    slug="smoothness",
    title="Relaxed smoothness",
    question="What if the curvature grows with the gradient?",
    parts=(
        text.RELAXED,
        text.CLIPPING,
        Statement(
            "clipped_gd_relaxed_smooth_rounds",
            "What is bounded is a number of rounds. Rounds with short gradients, and rounds that are "
            "clipped.",
        ),
        Explorer(
            "clipped_gd_relaxed_smooth_rounds",
            title="Rounds of clipped gradient descent",
            sliders=(
                Slider("target", 0.001, 10),
                Slider("eta", 0.001, 1),
                Slider("clip", 0.001, 1),
                Slider("L0", 0.1, 10),
                Slider("L1", 0.1, 10),
                Slider("gap", 0.1, 100),
            ),
            along="target",
            values={"target": 0.1, "eta": 0.1, "clip": 0.1, "L0": 1, "L1": 1, "gap": 1},
            ask="Below which target do clipped rounds no longer matter? Then raise $L_1$: what moves, the "
            "bound "
            "or its limit?",
        ),
        text.FEDERATED,
        Statement("celgc_relaxed_smooth", "Alike clients. One term, and a limit on the local steps."),
        Statement("episode_relaxed_smooth", "Unlike clients, all of them. Constants are open."),
        Statement("episodepp_relaxed_smooth", "Some come. The bracket is inferred from the scan."),
        text.TABLE,
        Explorer(
            "episode_relaxed_smooth",
            title="EPISODE: what local steps save",
            sliders=(
                Slider("tau", 1, 1000),
                Slider("m", 1, 1000),
                Slider("target", 0.005, 1),
                Slider("sigma", 0.01, 10),
                Slider("zeta", 0.01, 100),
                Slider("L1", 0.01, 1),
            ),
            along="tau",
            values=_EPISODE,
            ask="All constants are set to 1, so read slopes and not heights. Up to which $\\tau$ does "
            "local work "
            "save rounds, and how does that move with the target?",
        ),
        text.LOWER,
        Statement(
            "clipped_minibatch_sgd_relaxed_smooth_lower",
            "A lower bound: whatever the steps, there are losses that need so many rounds.",
        ),
        Explorer(
            "clipped_minibatch_sgd_relaxed_smooth_lower",
            title="Rounds at least",
            sliders=(
                Slider("grad_max", 1, 100),
                Slider("target", 0.01, 0.5),
                Slider("gap", 100, 100_000),
                Slider("L1", 0.1, 10),
            ),
            along="grad_max",
            values=_HARD,
            ask="How does the number of rounds grow with the largest gradient? In the upper bound above "
            "there "
            "is no such letter.",
        ),
        Picture(
            "clipping",
            lead="Clipped minibatch SGD against EPISODE++ as the largest gradient grows.",
            alt="Rounds against the largest gradient: they rise for clipped minibatch SGD and stay for "
            "EPISODE++.",
        ),
        Limits(
            (
                "Quadratics are smooth with one $L$, so there is no live simulation here: nothing of this "
                "chapter "
                "shows on them.",
                "The rows of the table are known up to constants. No run can refute them, only their slopes.",
                "$L_0$ and $L_1$ of a network are read off a run, along that run only.",
                "The noise is bounded almost surely in these theorems, not only in the mean square.",
                "The lower bound is about worst losses on a line with kinks, and it needs clients that "
                "differ "
                "as much as their number.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("Zhang", "He", "Sra", "Jadbabaie"),
            year=2020,
            title="Why Gradient Clipping Accelerates Training: A Theoretical Justification for Adaptivity",
            venue="ICLR 2020",
            arxiv="1905.11881",
            where="relaxed smoothness, and curvature along training runs",
        ),
        Source(
            authors=("Zhang", "Jin", "Fang", "Wang"),
            year=2020,
            title="Improved Analysis of Clipping Algorithms for Non-convex Optimization",
            venue="NeurIPS 2020",
            arxiv="2010.02519",
            where="relaxed smoothness without Hessians",
        ),
        Source(
            authors=("Crawshaw", "Bao", "Liu"),
            year=2023,
            title="Federated Learning with Client Subsampling, Data Heterogeneity, and Unbounded Smoothness: "
            "A New Algorithm and Lower Bounds",
            venue="NeurIPS 2023",
            arxiv="",
            where="EPISODE++ and the lower bound, Theorems 1 and 2",
        ),
    ),
)
"""The fifth page of the lecture."""
