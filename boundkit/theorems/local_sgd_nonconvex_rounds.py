r"""Local SGD on smooth non-convex losses: order of the communication rounds to a small gradient.

More local steps a round reduce the number of rounds as long as noise dominates (stochastic noise). Beyond
some number of steps the client drift grows faster than the noise is averaged, and the number of rounds
increases again: the bound has a best number of local steps.

Proof. Recalled, not re-derived: it is the row of a table of rounds for a target, with the step chosen for
that target, and its constants are not known here. With explicit constants, and with the step size as a
parameter, fedavg_nonconvex bounds the same algorithm.
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
            "the step size of the table falls with the number of clients; the constant is not known",
        ),
        recalled(
            "stochastic noise",
            c_1 * gap * L * sigma**2 / (m * tau * target**4),
            "the noise is averaged over m clients with tau gradients a round; the constant is not known",
        ),
        recalled(
            "client drift",
            c_2 * gap * L * sigma_g**2 * m * tau / (sigma**2 * target**2),
            "the square of the step size times tau^2, at a step size of target^2 m/(L sigma^2); the constant "
            "is not known",
        ),
    ),
    remarks=(
        "For small noise the client drift is large, because the step size of the table grows: this is a "
        "bound at that step size, and not meant for sigma to 0.",
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
