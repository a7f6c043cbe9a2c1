r"""Local SGD on smooth non-convex losses: communication rounds until the gradient is small, in order.

More local steps a round save rounds as long as noise is what takes time (stochastic noise). Beyond some
number of steps the unlike clients pull each other away faster than the noise is averaged (client drift),
and rounds become more again: the bound has a best number of local steps.

Proof. Recalled, not re-derived: it is the row of a table of rounds for a target, with the step chosen for
that target, and its constants are not known here. With explicit constants, and with the step as a letter,
fedavg_nonconvex bounds the same algorithm.
"""

from boundkit.algebra.authoring import *

THEOREM = order_level(
    "local_sgd_nonconvex_rounds",
    title="Local SGD, rounds to target",
    algorithm="fedavg",
    bounds=ROUNDS_TO_TARGET,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, *ALL_CLIENTS),
    requires=(more_than(sigma, 0),),
    terms=(
        recalled(
            "initial gap",
            c_3 * gap * L * m / target**2,
            "the step of the table falls with the number of clients; the constant is not known here",
        ),
        recalled(
            "stochastic noise",
            c_1 * gap * L * sigma**2 / (m * tau * target**4),
            "m clients with tau gradients a round share the noise; the constant is not known here",
        ),
        recalled(
            "client drift",
            c_2 * gap * L * sigma_g**2 * m * tau / (sigma**2 * target**2),
            "the square of the step times tau^2, at a step of target^2 m/(L sigma^2); the constant is not "
            "known here",
        ),
    ),
    remarks=(
        "Little noise makes the client drift look large, because the step of the table grows with it: this "
        "is a bound at that step, and it is not meant for sigma to 0.",
        "Stochastic noise and client drift are equal at tau = sigma^2/(sigma_g m target), which is the "
        "table's largest number of local steps; stochastic noise and initial gap are at sigma^2/(m^2 "
        "target^2), which the table does not print and which is smaller where sigma_g < m target.",
    ),
    source=YU_2019.at(
        "as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled; in the scan of the table its formulas are unreadable.",
        letters={"R": T, "N": m, "I": tau, "kappa": sigma_g, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
