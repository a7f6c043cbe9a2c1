"""The quiz of the lecture notes, with answers from the bound itself, and the notes' two tables."""

from boundkit.lecture.chapters.derived_questions import dominant, effect
from boundkit.lecture.parts import Question

_FULL, _PARTIAL = "fedavg_nonconvex", "fedavg_nonconvex_partial"


def questions() -> tuple[Question, ...]:
    """Seven questions: five of the notes, and two about reading their tables."""
    return (
        effect(
            _PARTIAL,
            "C",
            "A larger fraction $C$ of the clients takes part",
            "More clients share the noise, and fewer are missing. The drifts do not see $C$. The notes "
            "give the "
            "same answer, but under a bound without a term for participation.",
        ),
        effect(
            _FULL,
            "tau",
            "Every client takes more local steps",
            "The initial gap falls as $1/\\tau$ and the drifts grow as $\\tau$ and $\\tau^2$. Which wins "
            "depends on $T$. The notes answer \"better, up to overfitting\"; what too many steps cost is "
            "drift.",
        ),
        effect(
            _FULL,
            "sigma_g",
            "The clients' data become more unlike",
            "$\\sigma_g$ enters the client drift alone, and raises it.",
        ),
        effect(
            _FULL,
            "m",
            "More clients join, and all of them take part",
            "Only the stochastic noise has $m$ in it, below the line. Both drifts stay as they are.",
        ),
        effect(
            _FULL,
            "eta",
            "The client step grows",
            "The initial gap falls and the other three terms grow. This is why there is a best step.",
        ),
        dominant(
            _FULL,
            "$\\eta = 0.01$, $\\tau = 20$, $T = 10^5$, $m = 100$, $L = \\sigma = \\sigma_g = \\Delta = 1$. "
            "Which term is the largest?",
            "After so many rounds the start is forgotten, and 100 clients share the noise. What is left is "
            "the "
            "drift, and of the two drifts the one with $\\tau^2$.",
            eta=0.01, tau=20, T=100_000, m=100, L=1, sigma=1, sigma_g=1, gap=1,
        ),
        Question(
            "The notes say that more epochs $E$ mean fewer rounds. In their table for unlike data with full "
            "batches, $E = 1$ takes 483 rounds, $E = 5$ takes 1000 and $E = 20$ takes 672. What does "
            "that show?",
            (
                "That the notes' sentence holds there as well.",
                "That on unlike data more local steps may cost rounds.",
                "That five epochs overfit.",
                "That the table is misprinted.",
            ),
            1,
            "The numbers agree with the paper that they are from. Overfitting cannot slow the fall "
            "of a training loss; drift can. On alike data the same table does show fewer rounds.",
        ),
    )  # fmt: skip
