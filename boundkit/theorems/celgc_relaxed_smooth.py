r"""CELGC: local clipped steps on relaxed-smooth losses, alike clients: rounds until the gradient is small.

Every client clips by its own stochastic gradient. For alike clients with symmetric noise that is
harmless, and the noise is shared by m clients and tau steps, so that local steps save rounds in
proportion.

Proof. Recalled, not re-derived. The count has one term, and it holds for numbers of local steps up to a
limit that the source states beside it. Whoever takes more gains nothing: at the limit the one term is
gap L_0 sigma/target^3, so a second term of that size is hidden in the condition.
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
        ALIKE_CLIENTS,
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
            "m clients with tau gradients a round share the noise; the constant is not known here",
        ),
    ),
    remarks=(
        "The largest number of local steps, sigma/(m target), is a condition of the source: without it the "
        "count would fall to 0 with more local steps. The term that it hides is gap L0 sigma/target^3, the "
        "second term of episode_relaxed_smooth for alike clients and much noise.",
        "Unlike clients are not covered: each clips by its own gradient, and clipped gradients of unlike "
        "clients do not have the mean's direction.",
    ),
    source=LIU_2022.at(
        "as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled; in the scan of the table its formulas are unreadable.",
        letters={"R": T, "N": m, "I": tau, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
