"""Sampling, biased selection and cycles: the parts of the chapter on communication that choose who comes."""

from typing import Any

from boundkit.lecture.chapters import communication_text as text
from boundkit.lecture.parts import Explorer, Live, Part, Picture, Slider, Statement

_SKEW: dict[str, Any] = {
    "T": 1000, "rho_bar": 1, "rho_tilde": 1.5, "Gamma": 0.1, "eta": 0.005, "tau": 2, "G": 0.5, "L": 1,
    "mu": 0.1, "sigma": 0.5, "m": 30, "C": 0.1, "gap": 10,
}  # fmt: skip

_TURNS: dict[str, Any] = {
    "eta": 0.002, "T": 10_000, "sigma_between": 1, "sigma_within": 1, "sigma": 0.1, "groups": 5, "m": 100,
    "C": 0.1, "L": 1, "mu_pl": 0.1, "gap": 1,
}  # fmt: skip

SAMPLING: tuple[Part, ...] = (
    text.SAMPLING,
    Live(
        "partial_participation",
        "Two of six clients come. The mean settles at $x^*$, the model does not. Let more come, or shorten "
        "the step: which lowers the cloud?",
    ),
    Statement(
        "fedavg_nonconvex_partial",
        "Five forces, and a step at each end. The first, second and fourth term feel the product "
        "$\\eta_s \\eta$, the two drifts the client's step alone.",
    ),
    Explorer(
        "fedavg_nonconvex_partial",
        title="Sampling: five terms",
        sliders=(
            Slider("C", 0.01, 1),
            Slider("tau", 1, 100),
            Slider("eta", 1e-5, 0.02),
            Slider("eta_s", 0.5, 50),
            Slider("sigma_g", 0.01, 10),
            Slider("T", 10, 1_000_000),
        ),
        along="C",
        values={"C": 0.1, "tau": 5, "eta": 0.001, "eta_s": 2, "sigma_g": 1, "T": 20_000, "m": 100},
        ask="Halve $\\eta$ and double $\\eta_s$. Which terms stay, which fall? At which $C$ does "
        "participation "
        "fall below the noise?",
    ),
    Picture(
        "partial_participation",
        lead="What sampling leaves, measured and predicted, and the same for FedVARP.",
        alt="FedAvg with a third of the clients stays at a floor, FedVARP goes on falling; the floor against "
        "the fraction of clients.",
    ),
    text.RATE,
    Statement(
        "fedavg_nonconvex_partial_tuned",
        "The rate with both steps put in. Read the conditions on $T$.",
    ),
    text.FEDVARP,
    Live("fedvarp", "FedVARP and FedAvg on the same draws. Only one of them comes to rest."),
    Statement(
        "fedvarp_nonconvex_repaired",
        "No participation term. Two start-up terms, which fall as $1/T$.",
    ),
    Statement("clusterfedvarp_nonconvex", "Participation is back, for what is unlike inside a cluster."),
)

SELECTION: tuple[Part, ...] = (
    text.SELECTION,
    Statement(
        "biased_selection_strongly_convex_fixed",
        "$\\bar\\rho$ shortens the way, $\\tilde\\rho - \\bar\\rho$ leaves the last term.",
    ),
    Explorer(
        "biased_selection_strongly_convex_fixed",
        title="Skew: speed against floor",
        sliders=(
            Slider("T", 10, 100_000),
            Slider("rho_bar", 0.1, 3),
            Slider("rho_tilde", 0.1, 6),
            Slider("Gamma", 0.001, 10),
            Slider("eta", 1e-4, 0.2),
            Slider("tau", 1, 20),
        ),
        along="T",
        values=_SKEW,
        ask="Raise $\\bar\\rho$ with $\\tilde\\rho$: what changes early, what late? Which slider lowers "
        "the selection "
        "bias, and which does not?",
    ),
    Picture(
        "power_of_choice",
        lead="More candidates: a faster start and a higher floor. As a minimum over all models "
        "$\\bar\\rho$ falls with "
        "$d$, so that the published bound does not see the speed.",
        alt="Loss against rounds for several numbers of candidates: the larger the number, the faster the "
        "fall "
        "and the higher the level in the end.",
    ),
)

CYCLES: tuple[Part, ...] = (
    text.CYCLES,
    Live(
        "cyclic_groups",
        "Three groups in turn. The model goes round; the circle shrinks with $\\eta$, and its middle moves "
        "to "
        "$x^*$.",
    ),
    Statement("cyclic_pl", "After whole cycles. The order costs $\\eta^2$, the draw $\\eta$."),
    Explorer(
        "cyclic_pl",
        title="Cycles: order against draw",
        sliders=(
            Slider("eta", 1e-5, 0.05),
            Slider("T", 100, 1_000_000),
            Slider("sigma_between", 0.01, 10),
            Slider("sigma_within", 0.01, 10),
            Slider("sigma", 0.01, 10),
        ),
        along="eta",
        values=_TURNS,
        ask="Below which step does the order cost less than the draw? Compare the slopes on the left of the "
        "chart.",
    ),
    Picture(
        "cyclic",
        lead="Cycles against draws from all, measured. With short steps turns end lower; with long ones "
        "the order "
        "costs more than the draw.",
        alt="Squared distance to the optimum for groups in turn and for draws from all, over rounds and over "
        "step sizes.",
    ),
)
