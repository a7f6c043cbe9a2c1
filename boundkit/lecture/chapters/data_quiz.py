"""Questions on unlike data."""

from boundkit.lecture.chapters.derived_questions import dominant, effect
from boundkit.lecture.parts import Question


def questions() -> tuple[Question, ...]:
    """Six questions; four are answered by the bounds."""
    return (
        effect(
            "fedavg_nonconvex_beta_kappa",
            "beta",
            "$\\beta$ grows: far from a stationary point clients disagree more",
            "No term holds $\\beta$. At a fixed step inside the condition nothing changes. What changes is "
            "the "
            "condition: a larger $\\beta$ allows a smaller step only.",
        ),
        effect(
            "fedavg_nonconvex_tuned",
            "m",
            "At the step $\\eta = \\sqrt{m/(\\tau T)}/L$ more clients take part",
            "Start and noise fall as $1/\\sqrt{m}$, both drifts grow as $m$. Only after about $m^3 \\tau^3$ "
            "rounds do more clients help as the first two terms promise.",
        ),
        effect(
            "scaffold_nonconvex",
            "control_error",
            "SCAFFOLD begins with worse controls",
            "This is where heterogeneity is hidden. With $c_i = 0$ the error is the clients' gradients at "
            "the "
            "start. The term falls as $1/T$, so that it is felt early only.",
        ),
        dominant(
            "fedavg_nonconvex",
            "FedAvg with $\\tau = 10$, $\\eta = 10^{-4}$, $T = 10^9$, $m = 10$ and "
            "$L = \\sigma = \\sigma_g = \\Delta = 1$. The slide asks whether client drift is the dominant "
            "error. Which term is the largest here?",
            "With so short a step the drift, of order $\\eta^2$, is below what falls as $\\eta$ only: noise.",
            tau=10, eta=0.0001, T=10**9, m=10, L=1, sigma=1, sigma_g=1, gap=1,
        ),
        Question(
            "All clients have the same Hessian and minimisers far apart. What is the average drift at the "
            "optimum, $\\rho_*$?",
            (
                "0, because the pulls cancel in the mean.",
                "As large as $\\sigma_*$.",
                "It grows as $\\tau$.",
                "Unbounded, because there is no $\\sigma_g$.",
            ),
            0,
            "Every client moves by the same matrix times its own distance, and the distances cancel at "
            "$x^*$. Here $\\sigma_g = \\sigma_*$ is finite and may be huge.",
        ),
        Question(
            "FedExP's fraction is taken literally from the slide, with $\\|x - x_i\\|^2$ below the line, "
            "and all "
            "clients move equally far. Which server step comes out?",
            ("Always 1: the method is FedAvg.", "Always 2.", "The same as with the mean update.",
             "It grows without bound."),
            0,
            "Then the fraction is at most $1/2$, and the maximum with 1 is 1. With the mean update below the "
            "line, disagreement makes the step long.",
        ),
    )  # fmt: skip
