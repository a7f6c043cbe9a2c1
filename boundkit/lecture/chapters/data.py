"""Data heterogeneity: how far clients drift, what that costs, and what is done about it."""

from boundkit.algebra import Source
from boundkit.lecture.chapters import data_text as text
from boundkit.lecture.chapters.data_exercises import EXERCISES
from boundkit.lecture.chapters.data_quiz import questions
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
    slug="data",
    title="Data heterogeneity",
    question="What do unlike data cost, and which methods pay less?",
    parts=(
        text.DRIFT,
        Live(
            "drift_alike",
            "Equal Hessians. The clients fan out inside a round, and their mean still leads to $x^*$. Raise "
            "$\\tau$ as far as you like.",
        ),
        Live(
            "drift_unlike",
            "Unequal Hessians. Now raise $\\tau$, then lower $\\eta$: which of the two brings the limit back "
            "to $x^*$?",
        ),
        text.MEASURES,
        text.BETA,
        Statement(
            "fedavg_nonconvex_beta_kappa",
            "The four terms of the first chapter, with $\\kappa$ for $\\sigma_g$. Look for $\\beta$: it is "
            "in the "
            "condition alone.",
        ),
        text.TUNED,
        Statement(
            "fedavg_nonconvex_tuned",
            "The bound after the step was put in. The conditions on the step have become conditions on $T$.",
        ),
        Explorer(
            "fedavg_nonconvex_tuned",
            title="The tuned rate: when do more clients help?",
            sliders=(
                Slider("T", 100, 10_000_000),
                Slider("m", 1, 1000),
                Slider("tau", 1, 100),
                Slider("sigma_g", 0.01, 10),
                Slider("sigma", 0.01, 10),
            ),
            along="m",
            values={"T": 100_000, "m": 20, "tau": 5, "sigma_g": 1, "sigma": 1, "L": 1, "gap": 1},
            ask="At which $m$ is the bound least? Raise $T$ tenfold: how much further can you go with $m$? "
            "Then "
            "take $\\sigma_g$ down and see which drift is left.",
        ),
        text.PROX,
        Statement(
            "fedprox_nonconvex",
            "One term, and one number that must be positive. All the heterogeneity is in $\\pi_p$.",
        ),
        text.SCAFFOLD,
        Statement(
            "scaffold_nonconvex",
            "There is no $\\sigma_g$ here. Compare the noise drift with FedAvg's, and read the start-up.",
        ),
        Explorer(
            "scaffold_nonconvex",
            title="SCAFFOLD: what is left of heterogeneity",
            sliders=(
                Slider("tau", 1, 100),
                Slider("eta", 1e-4, 0.05),
                Slider("eta_s", 0.5, 20),
                Slider("control_error", 0.01, 100),
                Slider("sigma", 0.01, 10),
                Slider("T", 10, 100_000),
            ),
            along="T",
            values={"tau": 10, "eta": 0.002, "eta_s": 2, "control_error": 10, "T": 500, "m": 20},
            ask="How large must the first controls' error be before the start-up is the largest term at "
            "$T = 500$? Does a longer $\\eta_s$ raise it?",
        ),
        Picture(
            "compare",
            ("scaffold_nonconvex", "fedavg_nonconvex", "sigma_g=0.01:100:31:log", "tau=5", "eta=0.005"),
            lead="Two bounds against $\\sigma_g$. SCAFFOLD's does not see it, as long as its first "
            "controls are "
            "no worse.",
            alt="FedAvg's bound rises with the dissimilarity, SCAFFOLD's is a flat line below it.",
        ),
        text.FEDEXP,
        Picture(
            "fedexp_step",
            lead="The server step over time. It is long where the clients disagree, and a mean of it "
            "enters the "
            "bound.",
            alt="FedExP's server step against the round.",
        ),
        Statement(
            "fedexp_convex",
            "The gain is $\\bar\\eta_s$ below the initial gap. The price is the middle term: it does not "
            "vanish "
            "at $\\tau = 1$.",
        ),
        text.SERVERS,
        Statement(
            "fedadagrad_nonconvex",
            "Up to constants. Every term carries the factor that the growing denominator costs.",
        ),
        text.OPTIMUM,
        Statement(
            "fedavg_strongly_convex_average_drift",
            "Heterogeneity is $\\rho_*$ and nothing else. Full gradients only: there is no noise in it.",
        ),
        Picture(
            "bound_against_run",
            ("fedavg_strongly_convex_average_drift",),
            lead="The bound and a run: for long rounds they meet.",
            alt="Terms of the bound with the measured distance to the optimum.",
        ),
        Limits(
            (
                "A bound with a larger constant may belong to the better method: that SCAFFOLD's bound is "
                "below "
                "FedAvg's somewhere does not prove that its runs are.",
                "$\\sigma_g$ is a worst case over all $x$, or over the run; it is not the label skew of a "
                "data "
                "set, and two data sets of equal skew may have unlike $\\sigma_g$.",
                "Nothing is said about a client that comes once and never again, which SCAFFOLD's controls "
                "need.",
                "FedProx's theorem does not count local steps: whatever a client does, only its inexactness "
                "enters.",
                "The average drift at optimum must be measured on a run or known: no theorem here says that "
                "networks have a small one.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("Pierra",),
            year=1984,
            title="Decomposition through formalization in a product space",
            venue="Mathematical Programming 28",
            arxiv="",
            where="the extrapolated method of parallel projections",
        ),
        Source(
            authors=("Reddi", "Charles", "Zaheer", "Garrett", "Rush", "et al."),
            year=2021,
            title="Adaptive Federated Optimization",
            venue="ICLR 2021",
            arxiv="2003.00295",
            where="FedAdagrad and FedAdam",
        ),
    ),
)
"""The second page of the lecture."""
