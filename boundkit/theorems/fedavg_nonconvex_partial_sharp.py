r"""FedAvg on smooth non-convex losses, partial participation: every constant at most a third of the paper's.

The terms, assumptions and step sizes are those of fedavg_nonconvex_partial. The paper's proof is loose in
three places: Young's inequality between the noise and later gradients, the largest local drift for the mean
one, and the dropped part $-1/2 ||E v||^2$ of the descent.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as PAPER

THEOREM = variant(
    PAPER,
    "fedavg_nonconvex_partial_sharp",
    title="FedAvg, non-convex, partial participation, sharper constants",
    terms=(
        derived(
            "initial gap",
            Rational(13, 10) * gap / (eta_s * eta * tau * T),
            "10/13 of the squared gradient a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(3, 4) * eta_s * eta * L * sigma**2 / (C * m),
            "(8/7)/2 by the variance of a client, over 10/13, rounded up",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "5/9 by the error of a client, and less than 151/100 for its weight over what is left, rounded "
            "up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(2, 3) * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(51/50)/2 by the dispersion of the directions, over 10/13, rounded up",
        ),
        derived(
            "client drift",
            Rational(9, 20) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "149/500 by the error of a client, otherwise as the noise drift; and tau (tau - 1) for (tau - "
            "1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            factors={
                "initial gap": Rational(13, 40),
                "stochastic noise": Rational(3, 16),
                "noise drift": Rational(17, 160),
                "partial participation": Rational(1, 18),
                "client drift": Rational(9, 640),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {C: 1, eta_s: 1, tau: 1},
            factors={"initial gap": Rational(13, 20), "stochastic noise": Rational(3, 4)},
            because="a step size of at most 1/(24 L) leaves more of the descent than SGD's 1/L",
        ),
    ),
    remarks=(
        "Nearly tight: as the step sizes go to 0 no proof can go below 1 for the initial gap (a loss that "
        "falls in a straight line), 1/2 for the noise and the participation (the stationary distribution on "
        "quadratics), and 1/4 for the client drift (two clients of opposite curvature); infinitely many "
        "clients on a ridge need 4/9 of the noise drift.",
        "Weights 2/5 and 5/8 for the error against the gradient give drifts of 2/3 and 1/3; the initial gap "
        "is then 17/10, the noise 21/20 and the participation 1.",
        "The proof shows (tau - 1)^2/tau and (tau - 1)^2 where the drifts have tau - 1 and tau (tau - 1).",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
