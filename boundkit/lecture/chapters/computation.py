"""Computational heterogeneity: unequal work, the objective that it changes, and FedNova."""

from typing import Any

from boundkit.lecture.chapters import computation_text as text
from boundkit.lecture.chapters.computation_exercises import EXERCISES
from boundkit.lecture.chapters.computation_quiz import questions
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

_AVERAGED: dict[str, Any] = {
    "T": 10_000, "eta": 0.005, "chi2": 0.125, "tau_eff": 4.5, "A_noise": 1, "B_drift": 4, "C_drift": 30,
    "m": 2, "kappa": 1, "beta": 1, "sigma": 0.5, "gap": 1, "L": 1,
}  # fmt: skip
"""What plain averaging derives from two clients of equal weight with 3 and 6 steps."""

_NORMALISED: dict[str, Any] = {**_AVERAGED, "chi2": 0, "A_noise": 1.125, "B_drift": 3.5}
"""What FedNova derives from the same clients."""

_MOVED = (
    Slider("T", 10, 10_000_000),
    Slider("eta", 1e-5, 0.03),
    Slider("kappa", 0.01, 10),
    Slider("sigma", 0.01, 10),
)

CHAPTER = Chapter(
    slug="computation",
    title="Computational heterogeneity",
    question="What do clients minimise that work unequally?",
    parts=(
        text.UNEQUAL,
        Live(
            "unequal_steps",
            "Three clients take 2, 5 and 9 steps. FedAvg ends beside the optimum however long it runs. "
            "FedNova, "
            "beside it, ends near it. Shorten the step: which of the two distances goes to 0?",
        ),
        Picture(
            "surrogate_paths",
            lead="The paths of FedAvg, FedProx, VRL-SGD and FedNova for unequal $\\tau_i$, with their exact "
            "fixed points.",
            alt="Contours of the objective with four paths; only FedNova's ends close to the optimum.",
        ),
        text.FRAMEWORK,
        text.SOLVERS,
        text.CHI,
        Statement(
            "fedavg_nonconvex_unequal_steps",
            "Plain averaging. The last term has no $T$ and no $\\eta$.",
        ),
        Explorer(
            "fedavg_nonconvex_unequal_steps",
            title="FedAvg with 3 and 6 steps",
            sliders=(*_MOVED, Slider("chi2", 0.001, 1)),
            along="T",
            values=_AVERAGED,
            ask="Make the bound as small as you can without touching $\\kappa$ and $\\chi^2$. Which term "
            "stops you? "
            "Two clients with 3 and 6 steps have $\\chi^2 = 1/8$.",
        ),
        Statement(
            "fedavg_surrogate_optimum",
            "What is left at the surrogate's optimum. Nothing can be taken off it.",
        ),
        Statement("fednova_nonconvex", "With FedNova's weights $\\chi^2 = 0$, and the last term is gone."),
        Explorer(
            "fednova_nonconvex",
            title="FedNova with 3 and 6 steps",
            sliders=_MOVED,
            along="T",
            values=_NORMALISED,
            ask="The same two clients. How small does the bound get now? The price is $A = 1.125$ where "
            "plain averaging has 1: "
            "find it in the table.",
        ),
        Picture(
            "bound_against_run",
            ("fednova_nonconvex",),
            lead="The bound and a run of FedNova.",
            alt="Terms of FedNova's bound against the horizon, with the measured gradient below them.",
        ),
        text.PRICE,
        Statement(
            "fednova_nonconvex_surrogate_any_solver",
            "For a proximal solver the published $B$ and $C$ are too small. Here the walk is measured anew.",
        ),
        Statement(
            "fednova_nonconvex_varying",
            "Work that changes from round to round. A round counts by how far it went.",
        ),
        text.ADAPTIVE,
        Statement("local_adaptive_nonconvex", "The order alone: every constant is open."),
        Limits(
            (
                "$\\kappa$ and $\\beta$ are measured with the surrogate's weights, and the gap is the "
                "surrogate's: "
                "two methods with unlike weights have unlike constants.",
                "FedNova's theorem does not say that it is faster. In the first rounds the surrogate may "
                "do as "
                "well.",
                "The work must not depend on the round's noise. A client that stops when its loss is low "
                "breaks "
                "the proof.",
                "A local method whose update is no fixed sum of its gradients, such as Adam, is outside this "
                "framework.",
                "Nobody says here how many steps a client should take.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
)
"""The fourth page of the lecture."""
