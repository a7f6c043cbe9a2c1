r"""FedAvg on smooth non-convex losses, partial participation, at up to 24 times the paper's step size.

The terms and assumptions are those of fedavg_nonconvex_partial. The client step size may be twice as large,
and the product of the two 24 times: as large as for gradient descent, $eta_s eta tau = 1/L$. Every constant
is smaller nevertheless.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as PAPER

THEOREM = variant(
    PAPER,
    "fedavg_nonconvex_partial_long_steps",
    title="FedAvg, non-convex, partial participation, larger step sizes",
    steps=(at_most(eta, 1 / (4 * L * tau)), at_most(eta_s * eta, 1 / (L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(11, 5) * gap / (eta_s * eta * tau * T),
            "5/11 of the squared gradient a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(8, 5) * eta_s * eta * L * sigma**2 / (C * m),
            "(4/3)/2 by the variance of a client, and its error, over what is left, rounded up",
        ),
        derived(
            "noise drift",
            Rational(3, 4) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "67/100 by the error of a client, times its weight over what is left, rounded up; and tau - 1 "
            "for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(8, 5) * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "143/100 by the dispersion of the directions, and the error of a client, over what is left, "
            "rounded up",
        ),
        derived(
            "client drift",
            Rational(2, 5) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "7/20 by the error of a client, otherwise as the noise drift; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            factors={
                "initial gap": Rational(11, 20),
                "stochastic noise": Rational(2, 5),
                "noise drift": Rational(3, 32),
                "partial participation": Rational(2, 15),
                "client drift": Rational(1, 80),
            },
            because="the same terms; other step sizes and another proof",
        ),
        to(
            "sgd_nonconvex",
            {C: 1, eta_s: 1, tau: 1},
            factors={"initial gap": Rational(11, 10), "stochastic noise": Rational(8, 5)},
            because="the step size is SGD's; 11/10 and 8/5 come from the bound on the drift",
        ),
    ),
    remarks=(
        "At the largest step sizes the initial gap term is a 43rd of that of fedavg_nonconvex_partial: 24 "
        "times the step size, and 11/5 for 4.",
        "At small step sizes fedavg_nonconvex_partial_sharp is better, since its constants are smaller.",
        "The condition eta_s eta tau L <= 1 is also that of the usual proof of gradient descent; descent "
        "itself ends at 2.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="The algorithm is the paper's; the steps, the proof and its constants are not."
    ),
    prose=__doc__,
)
