r"""SCAFFOLD on smooth non-convex losses, full participation: smaller constants.

The terms are those of scaffold_nonconvex, with local steps that are half as long. With all clients only the
differences of controls act, so that the start-up has the error of the corrections $c_i - c$: with equal
initial controls it is the dissimilarity of the clients at the initial point.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.scaffold_nonconvex import THEOREM as BASE

THEOREM = variant(
    BASE,
    "scaffold_nonconvex_sharp",
    title="SCAFFOLD, non-convex, full participation, sharper constants",
    steps=(at_most(eta, 1 / (10 * L * tau)), BASE.step_size[1]),
    terms=(
        derived("initial gap", Rational(31, 20) * gap / (eta_s * eta * tau * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            Rational(9, 10) * eta_s * eta * L * sigma**2 / m,
            "(10/9)(31/20)(1/2) and the age of the corrections, rounded up",
        ),
        derived(
            "noise drift",
            Rational(7, 5) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "109/200 for the local steps, times 38/25, their weight over what is left, and (12/25)(10/9) for "
            "the controls, rounded up",
        ),
        derived(
            "start-up",
            Rational(12, 25) * eta**2 * L**2 * (tau - 1) ** 2 * correction_error**2 / T,
            "287/1000 by the local steps, times 38/25 and 11/10 for the age of the corrections, rounded up",
        ),
    ),
    becomes=(
        to(
            "scaffold_nonconvex",
            {control_error: correction_error, tau: 1},
            factors={"initial gap": Rational(31, 42), "stochastic noise": Rational(9, 23)},
            because="the same terms; the proof differs, and local steps are half as long",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"initial gap": Rational(31, 40), "stochastic noise": Rational(9, 10)},
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
        "With a server's step of at most 1/4 over L the same proof has 3/2 and 5/6 for gap and noise.",
        "The square of correction_error is the mean of ||grad F_i(x_0) - grad F(x_0) - (c_i - c)||^2 over "
        "the initial controls.",
        "On quadratics the fixed point is the optimum at any step size, even with unequal numbers of local "
        "steps.",
    ),
    prose=__doc__,
)
