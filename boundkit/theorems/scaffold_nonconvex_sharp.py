r"""SCAFFOLD on smooth non-convex losses, full participation: smaller constants.

The terms and step sizes are those of scaffold_nonconvex. With all clients only the differences of controls
act, so that the start-up has the error of the corrections $c_i - c$: with equal initial controls it is the
dissimilarity of the clients at the initial point.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.scaffold_nonconvex import THEOREM as BASE

THEOREM = variant(
    BASE,
    "scaffold_nonconvex_sharp",
    title="SCAFFOLD, non-convex, full participation, sharper constants",
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (eta_s * eta * tau * T),
            "2/3 of the squared gradient is left",
        ),
        derived(
            "stochastic noise",
            Rational(5, 6) * eta_s * eta * L * sigma**2 / m,
            "(10/9)(1/2) over 2/3",
        ),
        derived(
            "noise drift",
            Rational(7, 5) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "9/16 for the local steps, times 38/25, their weight over what is left, and (12/25)(10/9) for "
            "the controls, rounded up",
        ),
        derived(
            "start-up",
            Rational(12, 25) * eta**2 * L**2 * (tau - 1) ** 2 * correction_error**2 / T,
            "57/200 by the local steps, times 38/25 and 13/12 for the age of the corrections, rounded up",
        ),
    ),
    becomes=(
        to(
            "scaffold_nonconvex",
            {control_error: correction_error, tau: 1},
            factors={"initial gap": Rational(5, 7), "stochastic noise": Rational(25, 69)},
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"initial gap": Rational(3, 4), "stochastic noise": Rational(5, 6)},
            because="with one local step the controls cancel, and SCAFFOLD is minibatch SGD",
        ),
    ),
    limits=(
        keeps(
            {correction_error: 0},
            "start-up",
            "noise drift",
            because="exact initial controls do not remove the drift by noise",
        ),
    ),
    remarks=(
        "The square of correction_error is the mean of ||grad F_i(x_0) - grad F(x_0) - (c_i - c)||^2 over "
        "the initial controls.",
        "On quadratics the fixed point is the optimum at any step size, even with unequal numbers of local "
        "steps.",
    ),
    prose=__doc__,
)
