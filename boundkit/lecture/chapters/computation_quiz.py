"""Questions on unequal work."""

from boundkit.lecture.chapters.derived_questions import dominant, effect
from boundkit.lecture.parts import Question

_UNEQUAL = "fedavg_nonconvex_unequal_steps"


def questions() -> tuple[Question, ...]:
    """Six questions; three are answered by the bounds."""
    return (
        dominant(
            _UNEQUAL,
            "FedAvg, three clients of equal weight with $\\tau_i = (2, 5, 9)$, $\\eta = 10^{-4}$, $T = "
            "10^9$, and the "
            "rest 1. Which term is the largest?",
            "The step is so short and the run so long that all else is gone. The inconsistency has neither "
            "in it.",
            tau_i=[2, 5, 9], eta=0.0001, T=10**9, L=1, sigma=1, kappa=1, beta=1, gap=1,
        ),
        dominant(
            "fednova_nonconvex",
            "The same clients and the same run with FedNova. Which term is the largest now?",
            "The inconsistency is exactly 0. Noise is of first order in the step, the drifts are of second.",
            tau_i=[2, 5, 9], eta=0.0001, T=10**9, L=1, sigma=1, kappa=1, beta=1, gap=1,
        ),
        effect(
            "fedavg_surrogate_optimum",
            "chi2",
            "The work becomes more unequal, so that $\\chi^2$ grows",
            "At the surrogate's optimum the true squared gradient is $\\chi^2 \\kappa^2$ at most, and "
            "some clients attain it.",
        ),
        Question(
            "Every client takes ten times as many local steps: $\\tau_i$ from $(2, 5, 9)$ to $(20, 50, "
            "90)$. What "
            "happens to $\\chi^2$?",
            ("It stays as it is.", "It grows a hundredfold.", "It grows tenfold.", "It falls to 0."),
            0,
            "Only ratios enter. What more steps change is drift, and with it the step that is allowed.",
        ),
        Question(
            "FedNova, full batches, quadratics with unlike Hessians, a step that is not short. Where does it "
            "come to rest?",
            (
                "At $x^*$: that is what it was made for.",
                "Near $x^*$, off by client drift.",
                "At the optimum of the surrogate with weights $p_i \\tau_i$.",
                "Nowhere.",
            ),
            1,
            "Normalising mends the weights. That the later gradients are taken elsewhere is drift, and that "
            "vanishes with the step only.",
        ),
        Question(
            "Of these, which rests at $x^*$ at any stable step although the $\\tau_i$ differ?",
            ("FedAvg.", "FedProx.", "SCAFFOLD with mean gradients as controls.",
             "VRL-SGD with each client's own $\\tau_i$ as divisor."),
            2,
            "At $x^*$ the controls cancel every client's own pull, so nobody moves, however many steps it "
            "takes. "
            "VRL-SGD with own divisors conserves $\\sum_i p_i \\tau_i D_i = 0$: the surrogate's optimum.",
        ),
    )  # fmt: skip
