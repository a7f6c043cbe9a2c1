r"""FedAvg, noise and participation on quadratics of one curvature, exactly: mean loss gap.

Proof. A round takes the minimiser $e_i$ of a participating client as target: $x - x* -> (1 - eta_s K)(x -
x*) + eta_s K (mean_S e_i - x*) + $ noise, with $K = 1 - (1 - eta L)^tau$. The three parts are independent
of mean 0. The mean of $C m$ out of $m$ minimisers has variance $(1 - C)/(C (m - 1))$ times theirs,
$sigma_g^2/L^2$; the noise of $tau$ steps has variance $eta^2 sigma^2 sum_k (1 - eta L)^(2 k)/(C m)$. So
$E ||x_t - x*||^2$ obeys a linear recursion, and its mean over $t < T$, times $L/2$, is the claim.
"""

from boundkit.algebra.authoring import *

_FACTOR = (1 - eta * L) ** tau
_LEFT = (1 - eta_s * (1 - _FACTOR)) ** 2
_NOISE = eta_s**2 * eta**2 * sigma**2 / (C * m) * (1 - _FACTOR**2) / (1 - (1 - eta * L) ** 2)
_SAMPLING = (eta_s * (1 - _FACTOR)) ** 2 * (1 - C) / (C * (m - 1)) * sigma_g**2 / L**2
_START = (1 - _LEFT**T) / (T * (1 - _LEFT))
_REST = (1 - _START) / (1 - _LEFT)

THEOREM = lower(
    "fedavg_convex_floor_lower",
    title="FedAvg, convex, noise and participation, lower bound",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(SMOOTH, CONVEX, BOUNDED_NOISE, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS, SHARED_CURVATURE),
    requires=(at_least(m, 2),),
    steps=(at_most(eta, 1 / L), at_most(eta_s, 1)),
    terms=(
        derived(
            "initial gap",
            L * distance**2 * _START / 2,
            "the squared distance from the optimum contracts by one factor in every round",
        ),
        derived(
            "stochastic noise", L * _NOISE * _REST / 2, "the variance that a round adds, summed over rounds"
        ),
        derived(
            "partial participation",
            L * _SAMPLING * _REST / 2,
            "the variance of the mean of C m minimisers, likewise",
        ),
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
