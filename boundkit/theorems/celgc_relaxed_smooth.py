r"""CELGC: local clipped steps on relaxed-smooth losses, alike clients: rounds until the gradient is small.

Every client clips by its own stochastic gradient. For alike clients with symmetric noise that is
harmless, and the noise is shared by m clients and tau steps, so that local steps save rounds in
proportion.

Proof. Recalled, not re-derived. The count has one term, and it holds for numbers of local steps up to a
limit that the source states beside it. Whoever takes more gains nothing: at the limit the one term is
gap L_0 sigma/target^3, so a second term of that size is hidden in the condition.
"""

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L0, c_1, c_2, gap, m, sigma, target, tau
from boundkit.algebra.notation import T as ROUNDS
from boundkit.algebra.vocabulary import (
    ALIKE_CLIENTS,
    ALMOST_SURE_NOISE,
    BOUNDED_BELOW,
    COMMON_STEPS,
    FULL_PARTICIPATION,
    RELAXED_SMOOTH,
    ROUNDS_TO_TARGET,
    SERVER_STEP_ONE,
    SYMMETRIC_NOISE,
)

THEOREM = Theorem(
    name="celgc_relaxed_smooth",
    algorithm="celgc",
    claim=ROUNDS_TO_TARGET,
    kind="order",
    assumptions=(
        RELAXED_SMOOTH,
        BOUNDED_BELOW,
        ALIKE_CLIENTS,
        ALMOST_SURE_NOISE,
        SYMMETRIC_NOISE,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    step_size=(at_most(tau * m * target, c_2 * sigma),),
    terms=(
        Term(
            "stochastic noise",
            c_1 * gap * L0 * sigma**2 / (m * tau * target**4),
            provenance="order",
            because="m clients with tau gradients a round share the noise; the constant is not known here",
        ),
    ),
    limits=(Limit(when={sigma: 0}, removes=("stochastic noise",)),),
    remarks=(
        "The largest number of local steps, sigma/(m target), is a condition of the source: without it the "
        "count would fall to 0 with more local steps. The term that it hides is gap L0 sigma/target^3, the "
        "second term of episode_relaxed_smooth for alike clients and much noise.",
        "Unlike clients are not covered: each clips by its own gradient, and clipped gradients of unlike "
        "clients do not have the mean's direction.",
    ),
    source=Source(
        authors=("Liu", "Zhuang", "Lei", "Liao"),
        year=2022,
        title="A Communication-Efficient Distributed Gradient Clipping Algorithm for Training Deep Neural "
        "Networks",
        venue="NeurIPS 2022",
        arxiv="2205.05040",
        where="as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled; in the scan of the table its formulas are unreadable.",
        renamed={"R": ROUNDS, "N": m, "I": tau, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
