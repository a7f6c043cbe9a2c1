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
            Rational(4, 3) * gap / (eta * target**2),
            "short steps lower the loss by 3/4 of eta times the squared gradient",
        ),
        derived(
            "clipping",
            Rational(9, 7) * gap / (clip * target),
            "clipped steps far beyond the threshold lower it by 7/9 of clip times the gradient",
        ),
    ),
    limits=(removes({clip: oo}, "clipping"),),
    remarks=(
        "Nine fifths of the larger of gap/(eta target^2) and gap/(clip target) are enough, too: a round "
        "lowers the loss by 107/192 of min(eta ||g||^2, clip ||g||).",
        "At the largest steps, eta = 1/(2 L0) and clip = 1/(2 L1), it is gap (8 L0/(3 target^2) + 18 L1/(7 "
        "target)).",
    ),
    source=ZHANG_2020.at(
        "clipped gradient descent (setting); constants proved here",
        note="The classical statement; the constants stand on the proof here.",
    ),
    prose=__doc__,
)
