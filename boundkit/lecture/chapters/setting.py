"""The setting and FedAvg: who is asked, what is minimised, and what one bound says of it."""

from boundkit.algebra import Source
from boundkit.lecture.chapters import setting_text as text
from boundkit.lecture.chapters.setting_exercises import EXERCISES
from boundkit.lecture.chapters.setting_quiz import questions
from boundkit.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Limits,
    Live,
    Picture,
    Prose,
    Quiz,
    Slider,
    Statement,
)

CHAPTER = Chapter(
    slug="setting",
    title="The setting and FedAvg",
    question="What does federated learning minimise, and how far does FedAvg get?",
    parts=(
        text.DISTRIBUTED,
        text.CROSS,
        Prose(
            "Both tables say one thing: in a federation nobody may shuffle the data, wait for everybody, or "
            "assume that clients work equally fast. The three kinds of heterogeneity, of data, of "
            "communication and of computation, are the next three chapters."
        ),
        text.OBJECTIVE,
        text.ROUND,
        text.PICTURE,
        Picture(
            "client_drift",
            lead="Two clients in the plane. Follow the path with many local steps: it comes to rest beside "
            "the optimum.",
            alt="Contours of two clients' losses with the paths of FedAvg for one and for many local steps: "
            "the first ends at the optimum, the second at a point between the clients' minimisers.",
        ),
        Live(
            "two_clients",
            "The example of the lecture notes, $F_1 = (x-1)^2$ and $F_2 = 2(x-5)^2$, with $x^* = 11/3$. "
            "Raise "
            "$\\tau$ and watch the limit move towards 3, the mean of the two minimisers. The notes write the "
            "local steps with half the gradient; that only renames $\\eta$.",
        ),
        text.ASSUMPTIONS,
        Statement(
            "fedavg_nonconvex",
            "On the left is the mean over rounds of the squared gradient at the server's models. On the "
            "right "
            "are four forces, each by name.",
        ),
        text.TERMS,
        text.ROUNDS,
        text.READ_ROUNDS,
        Statement(
            "fedavg_nonconvex_sharp",
            "The same bound with the longest walk, of $\\tau - 1$ steps, for $\\tau(\\tau - 1)$: half "
            "the client drift at $\\tau = 2$, and the same for long rounds.",
        ),
        Explorer(
            "fedavg_nonconvex",
            title="The four terms of FedAvg's bound",
            sliders=(
                Slider("tau", 1, 100),
                Slider("eta", 1e-4, 0.1),
                Slider("sigma_g", 0.01, 10),
                Slider("sigma", 0.01, 10),
                Slider("m", 1, 1000),
                Slider("T", 10, 100_000),
            ),
            along="tau",
            values={"tau": 5, "eta": 0.005, "sigma_g": 1, "sigma": 1, "m": 20, "T": 2000, "L": 1, "gap": 10},
            ask="At which $\\tau$ does client drift pass the initial gap, and does a larger $T$ move that "
            "place? Then set $\\tau$ to 1: which terms are left?",
        ),
        Picture(
            "bound_against_run",
            ("fedavg_nonconvex",),
            lead="The bound, by cause, and what a run measured. The run lies below, by a factor that the "
            "last "
            "chapter is about.",
            alt="Stacked terms of the bound against the horizon, with the measured mean squared gradient "
            "below them.",
        ),
        Limits(
            (
                "It says nothing about the last model: the average over rounds is small, and so is the "
                "best of "
                "the rounds, but which round that is nobody knows.",
                "It says nothing about test accuracy, and nothing about overfitting: it is about the loss "
                "that "
                "is trained.",
                "It has no term for sampling; where only some clients come, the third chapter's bound holds.",
                "It does not say that local steps help. At a fixed step more of them shorten the start and "
                "raise the drift; what that is worth depends on the price of a round.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("McMahan", "Moore", "Ramage", "Hampson", "Agüera y Arcas"),
            year=2017,
            title="Communication-Efficient Learning of Deep Networks from Decentralized Data",
            venue="AISTATS 2017",
            arxiv="1602.05629",
            where="Algorithm 1, Tables 1 and 2",
        ),
        Source(
            authors=("Kairouz", "McMahan", "et al."),
            year=2021,
            title="Advances and Open Problems in Federated Learning",
            arxiv="1912.04977",
            where="Table 1: distributed, cross-silo and cross-device learning",
        ),
        Source(
            authors=("Wang", "Charles", "Xu", "Joshi", "McMahan", "et al."),
            year=2021,
            title="A Field Guide to Federated Optimization",
            arxiv="2107.06917",
            where="Sections 2 and 3",
        ),
    ),
)
"""The first page of the lecture."""
