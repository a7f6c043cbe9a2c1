r"""FedAvg on smooth convex losses, C m clients a round: smaller constants.

The terms, assumptions and step sizes are those of fedavg_convex_partial, and every constant is smaller, by
factors from 2 to 50. Convexity helps twice more: a gradient step does not increase distances, so that the
variance of a local iterate is at most the sum of the variances of its steps; and this variance costs half as
much as another displacement, as that of the gradients goes with it.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_partial import THEOREM as LOOSE

THEOREM = variant(
    LOOSE,
    "fedavg_convex_partial_sharp",
    title="FedAvg, convex, partial participation, sharper constants",
    terms=(
        derived(
            "initial gap",
            Rational(8, 15) * distance**2 / (eta_s * eta * tau * T),
            "15/8 of F - F* a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(9, 16) * eta_s * eta * sigma**2 / (C * m),
            "1 by the variance of a client, over 15/8; the rest by its error",
        ),
        derived(
            "noise drift",
            Rational(3, 20) * L * eta**2 * (tau - 1) * sigma**2,
            "1/4 by the variance of the local models, half of what their displacement costs, over 15/8; the "
            "rest by what noise displaces their means",
        ),
        derived(
            "partial participation",
            Rational(11, 18) * eta_s * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "1 by the dispersion of the directions, over 15/8; the rest by the error of a client",
        ),
        derived(
            "client drift",
            Rational(2, 9) * L * eta**2 * tau * (tau - 1) * sigma_g**2,
            "1/3 by the displacement of the means of the local models, over 15/8; the rest by the error of a "
            "client",
        ),
    ),
    becomes=(
        to(
            "fedavg_convex_partial",
            factors={
                "initial gap": Rational(8, 15),
                "stochastic noise": Rational(9, 32),
                "noise drift": Rational(3, 50),
                "partial participation": Rational(11, 108),
                "client drift": Rational(1, 45),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
    ),
    remarks=(
        "Nearly tight: no proof can go below 1/2 for the initial gap (a loss that falls in a straight line), "
        "the noise and the participation (a stationary distribution on straight lines), and 1/8 for the "
        "drifts.",
        "No source states these constants; they stand on the proof alone.",
    ),
    prose=__doc__,
)
