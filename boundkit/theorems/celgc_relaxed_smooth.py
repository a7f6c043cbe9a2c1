r"""CELGC: local clipped SGD on relaxed-smooth losses, homogeneous clients: rounds to a small gradient.

Every client clips by its own stochastic gradient. For homogeneous clients with symmetric noise the clipped
gradients keep the direction of the mean, and the noise is averaged over $m$ clients and $tau$ steps, so that
local steps reduce the number of rounds in proportion.

Proof. Recalled, not re-derived. The count has one term, and it holds for numbers of local steps up to a limit
that the source states beside it. More local steps gain nothing: at the limit the one term is $gap L_0
sigma/target^3$, so a second term of that size is hidden in the condition.
"""

from boundkit.algebra.authoring import *

THEOREM = order_level(
    "celgc_relaxed_smooth",
    title="CELGC: local clipped SGD, rounds to target",
    algorithm="celgc",
    bounds=ROUNDS_TO_TARGET,
    assumes=(
        RELAXED_SMOOTH,
        BOUNDED_BELOW,
        HOMOGENEOUS_CLIENTS,
        ALMOST_SURE_NOISE,
        SYMMETRIC_NOISE,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(tau * m * target, c_2 * sigma),),
    terms=(
        recalled(
            "stochastic noise",
            c_1 * gap * L0 * sigma**2 / (m * tau * target**4),
            "the noise is averaged over m clients with tau gradients a round; the constant is not known",
        ),
    ),
    remarks=(
        "The largest number of local steps, sigma/(m target), is a condition of the source: without it the "
        "count would fall to 0 with more local steps. The term that it hides is gap L0 sigma/target^3, the "
        "second term of episode_relaxed_smooth for homogeneous clients and much noise.",
        "Heterogeneous clients are not covered: each clips by its own gradient, and the mean of clipped "
        "gradients does not have the direction of the mean gradient.",
    ),
    source=LIU_2022.at(
        "as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled; in the scan of the table its formulas are unreadable.",
        letters={"R": T, "N": m, "I": tau, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
