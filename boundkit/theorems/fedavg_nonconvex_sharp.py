r"""FedAvg on smooth non-convex losses, full participation: drift variances instead of Young's inequality.

The terms, assumptions and step sizes are those of fedavg_nonconvex, and every constant is smaller.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as FULL

THEOREM = variant(
    FULL,
    "fedavg_nonconvex_sharp",
    title="FedAvg, non-convex, full participation, sharper constants",
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (eta * tau * T),
            "2/3 of the squared gradient a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(53, 50) * eta * L * sigma**2 / m,
            "(1000/711)/2 by the variance of a client, over 2/3, rounded up",
        ),
        derived(
            "noise drift",
            Rational(441, 500) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "631/1000 by the error of a client, times 1.397, its weight over what is left, rounded up; and "
            "tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            Rational(49, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "0.3503 by the error of a client, times 1.397 as the noise drift; and tau (tau - 1) for "
            "(tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            factors={
                "initial gap": Rational(3, 8),
                "stochastic noise": Rational(53, 200),
                "noise drift": Rational(147, 1000),
                "client drift": Rational(49, 1200),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": Rational(3, 4), "stochastic noise": Rational(53, 50)},
            because="a step size of at most 1/(2 L) leaves more of the descent than SGD's 1/L",
        ),
    ),
    limits=(),
    remarks=(
        "Nearly tight: as the step sizes go to 0 no proof can go below 1, 1/2, 1/4 and 1/4; see "
        "fedavg_nonconvex_partial_sharp, which has smaller step sizes and constants.",
        "The proof shows (tau - 1)^2/tau and (tau - 1)^2 where the drifts have tau - 1 and tau (tau - 1).",
        "No source states these constants; they stand on the proof alone.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
