"""FedAvg with momentum at the server, smooth convex losses, partial participation.

The terms of fedavg_convex_partial_sharp with $eta_hat = eta_s/(1 - beta_s)$ in place of $eta_s$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_partial_sharp import THEOREM as PLAIN
from boundkit.theorems.fedavgm_nonconvex_partial import eta_hat, length

_REASON = "as without momentum"

THEOREM = variant(
    PLAIN,
    "fedavgm_convex_partial",
    title="FedAvg with server momentum, convex, partial participation",
    algorithm="fedavgm",
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_hat * length * eta, 1 / (24 * L * tau))),
    terms=(
        derived("initial gap", Rational(8, 15) * distance**2 / (eta_hat * eta * tau * T), _REASON),
        derived(
            "stochastic noise",
            Rational(9, 16) * eta_hat * eta * sigma**2 / (C * m),
            _REASON,
        ),
        derived("noise drift", Rational(7, 20) * L * eta**2 * (tau - 1) * sigma**2, _REASON),
        derived(
            "partial participation",
            Rational(11, 18) * eta_hat * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
            _REASON,
        ),
        derived("client drift", Rational(2, 9) * L * eta**2 * tau * (tau - 1) * sigma_g**2, _REASON),
    ),
    becomes=(
        to(
            "fedavg_convex_partial_sharp",
            {beta_s: 0},
            factors={"noise drift": Rational(7, 3)},
            because="without momentum z is x, whose noise drift has a smaller constant there",
        ),
    ),
    remarks=(),
    source=HSU_2019.at(
        "Section 4",
        note="The algorithm, recalled. The bound, its conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
