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
            Rational(7, 3) * gap / (eta_s * eta * tau * T),
            "3/7 of the squared gradient a round survives",
        ),
        derived(
            "stochastic noise",
            Rational(15, 8) * eta_s * eta * L * sigma**2 / (C * m),
            "(4/3 + 17/64)/2 by the variance and the error of a client, over what is left, rounded up",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            "17/20 by the error of a client times at most 5/8 - c/8, over what is left, rounded up; "
            "and tau - 1 for (tau - "
            "1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(8, 5) * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(5/4 + 15/128)/2 by the dispersion of the directions and the error of a client, over "
            "what is left, rounded up",
        ),
        derived(
            "client drift",
            Rational(7, 16) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "3/8 by the error of a client, otherwise as the noise drift; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            factors={
                "initial gap": Rational(7, 12),
                "stochastic noise": Rational(15, 32),
                "noise drift": Rational(1, 8),
                "partial participation": Rational(2, 15),
                "client drift": Rational(7, 512),
            },
            because="the same terms; other step sizes and another proof",
        ),
        to(
            "sgd_nonconvex",
            {C: 1, eta_s: 1, tau: 1},
            factors={"initial gap": Rational(7, 6), "stochastic noise": Rational(15, 8)},
            because="the step size is SGD's; 7/6 and 15/8 come from the bound on the drift",
        ),
    ),
    remarks=(
        "At the largest step sizes the initial gap term is a 41st of that of fedavg_nonconvex_partial: 24 "
        "times the step size, and 7/3 for 4.",
        "At small step sizes fedavg_nonconvex_partial_sharp is better, since its constants are smaller.",
        "The condition eta_s eta tau L <= 1 is also that of the usual proof of gradient descent; descent "
        "itself ends at 2.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="The algorithm is the paper's; the steps, the proof and its constants are not."
    ),
    prose=__doc__,
)
