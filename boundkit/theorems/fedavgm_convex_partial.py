r"""FedAvg with momentum at the server, smooth convex losses, partial participation.

The terms of fedavg_convex_partial_sharp with $eta_hat = eta_s/(1 - beta_s)$ in place of $eta_s$.

Proof. One round is that of fedavg_convex_partial_sharp, with the auxiliary sequence $z$ of
fedavgm_nonconvex_partial in place of $x$: $||z_{t+1} - x*||^2$ has the further terms $2 s^2 gamma <E d_t,
b_{t-1}>$. With the errors $e_t$ of the clients $E d_t = grad F(x_t) - e_t$.
(i) $x_t$ is $x_{t-1} - s (1 - beta_s) n d_{t-1}$ less $s (1 - beta_s) gamma/beta_s b_{t-1}$. So by
convexity and smoothness the terms of the gradient telescope: their mean is at most $2 s beta_s/((1 -
beta_s) T) (F(x_0) - F*)$, less $2 s^2 beta_s n <grad F, E d>$, plus $s^3 L beta_s (1 - beta_s) n E||d||^2$.
(ii) Those of the errors are small as the errors are: Young's inequality with weights 1 and 5.
(iii) Where there is momentum the server steps are smaller than 1/24 of $1/L$, which makes up for both.
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
    becomes=(to("fedavg_convex_partial_sharp", {beta_s: 0}, because="without momentum z is x"),),
    remarks=(),
    source=HSU_2019.at(
        "Section 4",
        note="The algorithm, recalled. The bound, its conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
