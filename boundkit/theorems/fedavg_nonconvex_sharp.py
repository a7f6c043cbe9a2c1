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
            Rational(11, 7) * gap / (eta * tau * T),
            "7/11 of the squared gradient a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(9, 8) * eta * L * sigma**2 / m,
            "(24/17)/2 by the variance of a client, over 63/100, rounded up; at tau = 1 it is (1/2)/(5/8)",
        ),
        derived(
            "noise drift",
            Rational(20, 21) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "5/7 by the error of a client, times 4/3, its weight over what is left; and tau - 1 for "
            "(tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            eta**2 * L**2 * tau * (tau - 1) * sigma_g**2 / 2,
            "3/8 by the error of a client, times 4/3 as the noise drift; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            factors={
                "initial gap": Rational(11, 28),
                "stochastic noise": Rational(9, 32),
                "noise drift": Rational(10, 63),
                "client drift": Rational(1, 24),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": Rational(11, 14), "stochastic noise": Rational(9, 8)},
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
