r"""FedAvg with momentum at the server, smooth convex losses, partial participation.

The terms of fedavg_convex_partial_sharp with $eta_hat = eta_s/(1 - beta_s)$ in place of $eta_s$, and noise
and participation times $1 + gamma/(1 + beta_s)$, at most 3/2.

Proof. One round is that of fedavg_convex_partial_sharp. With the auxiliary sequence $z$ of
fedavgm_nonconvex_partial, $||z_{t+1} - x*||^2$ has the cross terms $2 eta_hat^2 gamma sum_j beta_s^j <E
u_t, u_{t-1-j}>$, in sum at most $3 gamma/(1 - beta_s) eta_hat^2 sum_t ||E u_t||^2$ and $gamma/(1 + beta_s)
eta_hat^2$ times the sum of the variances of $u_t$. The weights of both are then at most 1/24 of $1/L$,
which is all that the proof without momentum uses.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_partial_sharp import THEOREM as PLAIN
from boundkit.theorems.fedavgm_nonconvex_partial import eta_hat, length, noise

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
            Rational(9, 16) * noise * eta_hat * eta * sigma**2 / (C * m),
            "9/16 times the weight of the variances",
        ),
        derived("noise drift", Rational(7, 20) * L * eta**2 * (tau - 1) * sigma**2, _REASON),
        derived(
            "partial participation",
            Rational(11, 18) * noise * eta_hat * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "11/18 times the weight of the variances",
        ),
        derived("client drift", Rational(2, 9) * L * eta**2 * tau * (tau - 1) * sigma_g**2, _REASON),
    ),
    becomes=(to("fedavg_convex_partial_sharp", {beta_s: 0}, because="without momentum z is x"),),
    remarks=(),
    source=HSU_2019.at(
        "Section 4",
        note="The algorithm, recalled. The bound, its conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
