"""Clipped gradient descent on relaxed-smooth losses: rounds to a small gradient.

While the gradient is above the target, a round lowers the loss by a fraction of $eta$ times its square or of
clip times it, whichever is less. So the target is reached within the number of rounds that unclipped steps
need plus the number that clipped steps need. The first depends on the square of the target, the second on the
target: clipped rounds are few.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.clipped_gd_relaxed_smooth import THEOREM as DECREASE_THEOREM

THEOREM = upper(
    "clipped_gd_relaxed_smooth_rounds",
    title="Clipped gradient descent, rounds to target",
    algorithm="clipped_minibatch_sgd",
    bounds=ROUNDS_TO_TARGET,
    assumes=DECREASE_THEOREM.assumptions,
    steps=(at_most(eta, 1 / (2 * L0)), at_most(clip, 1 / (2 * L1))),
    terms=(
        derived(
            "initial gap",
            Rational(5, 2) * gap / (eta * target**2),
            "5/2 of the gap, at eta target^2 a round at least",
        ),
        derived(
            "clipping",
            Rational(5, 2) * gap / (clip * target),
            "5/2 of the gap, at clip target a round at least",
        ),
    ),
    limits=(removes({clip: oo}, "clipping"),),
    remarks=(
        "The larger of the two terms is enough; their sum is stated, so that each cause has a term.",
        "At the largest steps, eta = 1/(2 L0) and clip = 1/(2 L1), it is 5 gap (L0/target^2 + L1/target).",
    ),
    source=ZHANG_2020.at(
        "clipped gradient descent (setting); constants proved here",
        note="The classical statement; the constants stand on the proof here.",
    ),
    prose=__doc__,
)
