r"""Local SGD on smooth non-convex losses: communication rounds until the gradient is small, in order.

More local steps a round save rounds as long as noise is what takes time (stochastic noise). Beyond some
number of steps the unlike clients pull each other away faster than the noise is averaged (client drift),
and rounds become more again: the bound has a best number of local steps.

Proof. Recalled, not re-derived: it is the row of a table of rounds for a target, with the step chosen for
that target, and its constants are not known here. With explicit constants, and with the step as a letter,
fedavg_nonconvex bounds the same algorithm.
"""

from sympy import Gt

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.notation import L, c_1, c_2, c_3, gap, m, sigma, sigma_g, target, tau
from boundkit.algebra.notation import T as ROUNDS
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    ROUNDS_TO_TARGET,
    SERVER_STEP_ONE,
    SMOOTH,
)

THEOREM = Theorem(
    name="local_sgd_nonconvex_rounds",
    algorithm="fedavg",
    claim=ROUNDS_TO_TARGET,
    kind="order",
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(Gt(sigma, 0, evaluate=False),),
    terms=(
        Term(
            "initial gap",
            c_3 * gap * L * m / target**2,
            provenance="order",
            because="the step of the table falls with the number of clients; the constant is not known here",
        ),
        Term(
            "stochastic noise",
            c_1 * gap * L * sigma**2 / (m * tau * target**4),
            provenance="order",
            because="m clients with tau gradients a round share the noise; the constant is not known here",
        ),
        Term(
            "client drift",
            c_2 * gap * L * sigma_g**2 * m * tau / (sigma**2 * target**2),
            provenance="order",
            because="the square of the step times tau^2, at a step of target^2 m/(L sigma^2); the constant "
            "is not known here",
        ),
    ),
    limits=(Limit(when={sigma_g: 0}, removes=("client drift",)),),
    remarks=(
        "Little noise makes the client drift look large, because the step of the table grows with it: this "
        "is a bound at that step, and it is not meant for sigma to 0.",
        "Stochastic noise and client drift are equal at tau = sigma^2/(sigma_g m target), which is the "
        "table's largest number of local steps; stochastic noise and initial gap are at "
        "sigma^2/(m^2 target^2), which the table does not print and which is smaller where "
        "sigma_g < m target.",
    ),
    source=Source(
        authors=("Yu", "Jin", "Yang"),
        year=2019,
        title="On the Linear Speedup Analysis of Communication Efficient Momentum SGD for Distributed "
        "Non-Convex Optimization",
        venue="ICML 2019",
        arxiv="1905.03817",
        where="as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled; in the scan of the table its formulas are unreadable.",
        renamed={"R": ROUNDS, "N": m, "I": tau, "kappa": sigma_g, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
