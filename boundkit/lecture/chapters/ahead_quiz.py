"""Questions on modified objectives."""

from boundkit.analysis.predict import predict
from boundkit.lecture.chapters.derived_questions import effect, ordered
from boundkit.lecture.parts import Question
from boundkit.theorems import theorem

_WORKS: tuple[tuple[int, ...], ...] = ((5, 5, 5), (4, 5, 6), (2, 5, 9), (1, 1, 10))


def questions() -> tuple[Question, ...]:
    """Five questions; two are answered by the bounds."""
    return (
        effect(
            "fedavg_surrogate_optimum",
            "kappa",
            "Clients are weighed anew, and their losses become more unlike",
            "For alike clients any weights will do: $\\kappa = 0$ leaves nothing. The more unlike they "
            "are, the more the "
            "weights matter.",
        ),
        ordered(
            "Which weights $w$, for three clients that were to count the same, may cost the old objective "
            "most?",
            {
                f"$w$ in proportion to ${work}$": float(
                    predict(theorem("fedavg_surrogate_optimum"), tau_i=list(work), kappa=1).total
                )
                for work in _WORKS
            },
            "$\\chi^2$ divides by $w_i$: a client that hardly counts any more costs most.",
        ),
        Question(
            "Personalised models, $\\min F_i(v_i) + \\frac{\\lambda}{2} \\|v_i - x^*\\|^2$. Which "
            "$\\lambda$ gives "
            "every client the common model?",
            ("$\\lambda = 0$.", "$\\lambda \\to \\infty$.", "$\\lambda = L$.", "None."),
            1,
            "Moving away from $x^*$ becomes too dear. At $\\lambda = 0$ everybody learns alone.",
        ),
        Question(
            "Power-of-choice ends beside $x^*$. Is that an error?",
            (
                "Yes, always: the optimum of $F$ was meant.",
                "Not if losses were to be weighed by rank: such a mean is what it minimises for short steps.",
                "No, since the bias vanishes with the step.",
                "No, since $x^*$ is not unique.",
            ),
            1,
            "The bias does not vanish with the step. It is the optimum of another objective: for $d = m$ the "
            "mean of the largest losses, for $d < m$ a mean that weighs losses by their rank.",
        ),
        Question(
            "The law of the data moves. Each round $x^*$ goes on by the same way $s$, then the model steps. "
            "All clients have one curvature $h$, there is no noise, and $\\tau = 1$. After which step is the "
            "model nearest to $x^*$, in the long run?",
            (
                "After a short one, as in all bounds before.",
                "After a decaying one.",
                "After $\\eta = 1/h$: it leaves no lag.",
                "After the longest that is stable, just below $\\eta = 2/h$.",
            ),
            2,
            "A round begins $s/(\\eta h)$ behind, and its step takes up the share $\\eta h$ of that. What "
            "is left is $s (1 - \\eta h)/(\\eta h)$: nothing at $1/h$, and beyond it the step overshoots. "
            "Noise asks for a shorter one.",
        ),
    )
