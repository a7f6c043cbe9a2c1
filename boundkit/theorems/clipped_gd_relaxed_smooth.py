"""Clipped gradient descent on relaxed-smooth losses: the mean decrease a round.

Where the curvature may grow with the gradient, no constant step size works everywhere; but over a step of
length at most $1/(2 L_1)$ the curvature is at most about doubled. Clipping keeps every step below that
length, and then each round lowers the loss by a fixed fraction of $eta$ times the squared gradient where it
is small, and of clip times the gradient where it is large. The size of the initial gradient does not matter.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "clipped_gd_relaxed_smooth",
    title="Clipped gradient descent, mean decrease",
    algorithm="clipped_minibatch_sgd",
    bounds=CLIPPED_DECREASE,
    assumes=(
        RELAXED_SMOOTH_MEAN,
        BOUNDED_BELOW,
        NO_NOISE,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, 1 / (2 * L0)), at_most(clip, 1 / (2 * L1))),
    terms=(
        derived(
            "initial gap",
            Rational(9, 5) * gap / T,
            "a round lowers the loss by 107/192 of that, and 192/107 is at most 9/5",
        ),
    ),
    remarks=(
        "The largest gradient below the level of the start does not occur in it; with sampled clients it "
        "does: clipped_minibatch_sgd_relaxed_smooth_lower.",
        "Exact gradients of all clients at one model: EPISODE with tau = 1 takes the same steps.",
        "The mean loss must be relaxed-smooth. Where every client's is, and gradients differ from the mean "
        "by at most zeta + rho_zeta ||grad F||, the mean is so with L0 + L1 zeta and L1 (1 + rho_zeta).",
        "As L1 falls to 0 the clip may grow without bound: plain descent with these steps has 4/3 for 9/5.",
    ),
    source=ZHANG_2020.at(
        "clipped gradient descent (setting); constants proved here",
        note="The classical statement; the constants stand on the proof here.",
    ),
    prose=__doc__,
)
