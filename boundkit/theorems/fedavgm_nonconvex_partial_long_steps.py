"""FedAvg with momentum at the server, non-convex losses, at up to 24 times the server step.

The terms of fedavgm_nonconvex_partial, with the step condition $eta_hat eta tau L (1 + 4 gamma/(1 -
beta_s)) <= 1$ in place of 1/24 and 3 for 4, and larger constants of gap, noise and participation. The noise
and the participation grow with the momentum, by up to a quarter.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavgm_nonconvex_partial import THEOREM as SHORT
from boundkit.theorems.fedavgm_nonconvex_partial import eta_hat, gamma

length = 1 + 4 * gamma / (1 - beta_s)
noise = 1 + beta_s / (2 * (1 + beta_s))

THEOREM = variant(
    SHORT,
    "fedavgm_nonconvex_partial_long_steps",
    title="FedAvg with server momentum, non-convex, larger server steps",
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_hat * length * eta, 1 / (L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(32, 15) * gap / (eta_hat * eta * tau * T),
            "1/0.4731, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(4, 3) * noise * eta_hat * eta * L * sigma**2 / (C * m),
            "(8/7 + 25/256)/2 over 0.4731, rounded up, times c_2/(s L)",
        ),
        derived("noise drift", Rational(2, 3) * eta**2 * L**2 * (tau - 1) * sigma**2, "5/16 over 0.4731"),
        derived(
            "partial participation",
            Rational(5, 4) * noise * eta_hat * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(10/9 + 25/512)/2 over 0.4731, rounded up, times c_2/(s L)",
        ),
        derived("client drift", eta**2 * L**2 * tau * (tau - 1) * sigma_g**2 / 3, "5/32 over 0.4731"),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {beta_s: 0},
            factors={
                "initial gap": Rational(64, 39),
                "stochastic noise": Rational(16, 9),
                "noise drift": Rational(40, 51),
                "partial participation": Rational(15, 8),
                "client drift": Rational(20, 27),
            },
            because="24 times its server step",
        ),
    ),
    remarks=(
        "With all clients 201/100, 23/20, 63/100 and 63/200 are enough: less is lost to participation.",
    ),
    prose=__doc__,
)
