"""Questions on reading a bound."""

from fractions import Fraction

from boundkit.algebra.dimension import Dimension
from boundkit.algebra.notation import L, eta, gap, sigma
from boundkit.analysis.predict import predict
from boundkit.lecture.chapters.derived_questions import effect, ordered
from boundkit.lecture.parts import Question
from boundkit.theorems import theorem

_ALIKE = {"eta": 0.01, "T": 1000, "m": 10, "L": 1, "sigma": 1, "gap": 1}


def questions() -> tuple[Question, ...]:
    """Seven questions; four are answered by the bounds or by their units."""
    return (
        _unit(),
        effect(
            "sgd_nonconvex",
            "m",
            "More workers",
            "At a fixed step only the noise falls. With less noise a longer step pays, so the start is "
            "forgotten "
            "sooner as well: with the best step both terms fall as $1/\\sqrt{m}$.",
            reading="best eta",
        ),
        ordered(
            "At one local step, all else equal: which theorem promises the least, that is, has the largest "
            "bound?",
            {
                "`sgd_nonconvex`": float(predict(theorem("sgd_nonconvex"), **_ALIKE).total),
                "`fedavg_nonconvex`": float(
                    predict(theorem("fedavg_nonconvex"), tau=1, sigma_g=1, **_ALIKE).total
                ),
                "`fedavg_nonconvex_mean_walk`": float(
                    predict(theorem("fedavg_nonconvex_mean_walk"), tau=1, sigma_g=1, **_ALIKE).total
                ),
                "`local_sgd_nonconvex`, divided by 2": float(
                    predict(theorem("local_sgd_nonconvex"), tau=1, **_ALIKE).total / 2
                ),
            },
            "At $\\tau = 1$ all are about one method, minibatch SGD. The constants are the price of a "
            "proof that "
            "also covers $\\tau > 1$.",
        ),
        Question(
            "A run lies at 0.05 of its bound. What follows?",
            (
                "The theorem is false.",
                "The method is twenty times better than was thought.",
                "The theorem held here; how sharp it is at its worst is not known from this.",
                "The constants may be divided by twenty.",
            ),
            2,
            "Another problem of the class may come nearer. Only an instance that attains a bound shows "
            "that it is "
            "sharp.",
        ),
        Question(
            "One run of SGD lies above a bound on $\\frac{1}{T} \\sum_t \\mathbb{E} \\|\\nabla "
            "F(x_t)\\|^2$. Is the "
            "theorem refuted?",
            (
                "Yes.",
                "No: the claim is about an expectation, and this is one draw.",
                "No: upper bounds may be exceeded by constants.",
                "Yes, if $T$ is large.",
            ),
            1,
            "Take the mean over many runs, with its error. If that lies above, look at the conditions, and "
            "then "
            "the theorem is refuted.",
        ),
        Question(
            "A theorem says $\\mathcal{O}(1/\\sqrt{m \\tau T})$. Your run falls from 0.2 to 0.1 as $T$ "
            "grows from 100 to "
            "1600. What does that say?",
            (
                "That the theorem is refuted: a quarter was promised.",
                "Nothing of the constant; the slope is flatter than promised, which asks for a closer look.",
                "That the constant is 2.",
                "That the theorem holds.",
            ),
            1,
            "Sixteen times the rounds should give a quarter. Two points are no slope, and early rounds are "
            "not yet "
            "the rate; but this is what a slope is measured for.",
        ),
        Question(
            "Two methods have bounds of order $1/T$ and $1/\\sqrt{T}$. Which is better after 1000 rounds?",
            ("The first.", "The second.", "That cannot be said.", "They are alike."),
            2,
            "Constants were dropped, and two upper bounds do not order what they bound.",
        ),
    )


def _unit() -> Question:
    choices: dict[str, Dimension] = {
        "$\\eta L$": eta.dimension * L.dimension,
        "$\\eta \\sigma^2$": eta.dimension * sigma.dimension**2,
        "$\\Delta / \\eta$": gap.dimension / eta.dimension,
        "$\\sqrt{\\Delta / L}$": (gap.dimension / L.dimension) ** Fraction(1, 2),
    }
    return Question(
        "Which of these has the unit of a squared gradient, $([F]/[x])^2$?",
        tuple(choices),
        list(choices.values()).index(sigma.dimension**2),
        "$[F]$ over $[x]^2/[F]$. The others are a number, a loss, and a length.",
    )
