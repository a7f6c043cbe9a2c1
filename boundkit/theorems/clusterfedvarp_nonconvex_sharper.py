r"""ClusterFedVARP on smooth non-convex losses: smaller constants from variances.

The terms, assumptions and step sizes are those of clusterfedvarp_nonconvex_sharp, and every constant is
smaller, by factors from 2 to 60.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.clusterfedvarp_nonconvex_sharp import THEOREM as SHARP

_Q = (1 - C) / (C * (m - 1))

THEOREM = variant(
    SHARP,
    "clusterfedvarp_nonconvex_sharper",
    title="ClusterFedVARP, constants from variances",
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (eta_s * eta * tau * T),
            "67/100 of the squared gradient a round survives; 100/67 rounded up",
        ),
        derived(
            "stochastic noise",
            5 * eta_s * eta * L * sigma**2 / (C * m),
            "(10/9)(20/7) over 67/100, rounded up: in a direction and in the stored updates",
        ),
        derived(
            "noise drift",
            Rational(8, 5) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "(3/5)(12/7) over 67/100, rounded up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            6 * eta_s * eta * tau * L * _Q * sigma_c**2,
            "(4/3)(20/7) over 67/100, rounded up: in a direction and in the stored updates",
        ),
        derived(
            "client drift",
            Rational(4, 5) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "(3/10)(12/7) over 67/100, rounded up; and tau (tau - 1) for (tau - 1)^2",
        ),
        derived(
            "start-up",
            Rational(7, 3) * eta_s * eta * tau * L / (1 - missed) * _Q * gradients_start**2 / T,
            "32/21, the weight of the initial stored updates, over 67/100, rounded up",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "clusterfedvarp_nonconvex_sharp",
            factors={
                "initial gap": Rational(1, 2),
                "stochastic noise": Rational(5, 63),
                "noise drift": Rational(2, 15),
                "partial participation": Rational(2, 21),
                "client drift": Rational(1, 60),
                "start-up of stored updates": Rational(7, 39),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "fedvarp_nonconvex_sharper",
            {missed: 1 - C, sigma_c: 0},
            factors={
                "stochastic noise": Rational(4, 3),
                "noise drift": Rational(64, 45),
                "client drift": Rational(64, 45),
                "start-up of stored updates": Rational(28, 27),
            },
            because="clusters of one client each are missed with probability 1 - C",
        ),
    ),
    remarks=("The paper has 4, 160, 24, 128, 96 and 32.",),
    prose=__doc__,
)
