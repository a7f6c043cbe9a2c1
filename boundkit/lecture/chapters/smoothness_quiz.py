"""Questions on relaxed smoothness and clipping."""

from boundkit.lecture.chapters.derived_questions import effect
from boundkit.lecture.parts import Question

_CLIPPED, _LOWER = "clipped_gd_relaxed_smooth_rounds", "clipped_minibatch_sgd_relaxed_smooth_lower"


def questions() -> tuple[Question, ...]:
    """Six questions; three are answered by the bounds."""
    return (
        effect(
            _CLIPPED,
            "clip",
            "Clipped gradient descent takes a longer longest step $\\gamma$, inside its condition",
            "Clipped rounds become fewer, the others stay. The condition $\\gamma \\le 1/(2 L_1)$ says "
            "when to stop.",
        ),
        effect(
            _CLIPPED,
            "L1",
            "$L_1$ grows, at fixed steps inside the conditions",
            "No term holds $L_1$: it limits the longest step, and so it is paid through $\\gamma$.",
        ),
        effect(
            "episode_relaxed_smooth",
            "tau",
            "EPISODE takes more local steps",
            "The noise is shared by more steps. The second term stays: it is what local work cannot save.",
        ),
        Question(
            "Which unit must a lower bound on the number of rounds have, and which reading of the slide "
            "has it?",
            (
                "None: $\\Delta L_1 M / \\epsilon^2$.",
                "None: $\\Delta L_1 M / \\epsilon$.",
                "Seconds: $\\Delta L_1 M / \\epsilon$.",
                "That of a gradient: $\\Delta L_1 M / \\epsilon$.",
            ),
            0,
            "$\\Delta$ is a loss, $L_1$ one over a length, $M$ and $\\epsilon$ are losses over a length. "
            "Loss times one over "
            "length is a gradient: two gradients above the line need two below.",
        ),
        Question(
            "Three clients, one comes a round. Their slopes are $5M$, $-M$ and $-M$, and steps are clipped "
            "at a threshold below "
            "$M$. Which way does the model walk?",
            (
                "Down the mean loss, since its slope is $M > 0$.",
                "Uphill: two of three clipped steps go that way, and all are equally long.",
                "Nowhere: the steps cancel.",
                "Down, but three times more slowly.",
            ),
            1,
            "Clipped steps have one length. Two to one, the majority wins, although the mean slope is $M$.",
        ),
        Question(
            "Why does EPISODE let the mean gradient decide whether clients clip, and not each client's own?",
            (
                "It saves communication.",
                "So that all clip or none does.",
                "Because own gradients are private.",
                "Because noise is smaller in a mean; with full batches it makes no difference.",
            ),
            1,
            "If only the steep clients clipped, the mean would turn towards the others, with full batches as "
            "well. The decision alone is shared: in a clipped round each client goes $\\gamma$ along its own "
            "corrected gradient. The price is a fresh gradient of all clients each round.",
        ),
    )
