r"""FedAvg, noise and participation on quadratics of one curvature: squared distance.

No term of an upper bound can be smaller than what one instance of its class shows. Here local steps cost
nothing, since all clients have one curvature, and noise and sampling remain.

Proof. A round takes the minimisers $e_i$ of the participating clients as targets: with $K = 1 - (1 - eta
L)^tau$, $x - x*$ becomes $(1 - eta_s K)(x - x*) + eta_s K z$ plus noise, with z the mean of their $e_i -
x*$, three uncorrelated parts. The mean of $C m$ out of $m$ minimisers has variance $(1 - C)/(C (m - 1))$
times theirs, $sigma_g^2/L^2$; the noise of $tau$ steps has variance $eta_s^2 eta^2 sigma^2 sum_k (1 - eta
L)^(2 k)/(C m)$. With $b = eta L (tau - 1)$, $K$ is between $eta L tau (1 - b/2) >= 0$ and $eta L tau$, as
$eta L <= 1$ for two steps or more, and the sum is at least $tau$ times the squared mean of $(1 - eta L)^k$,
which is $K/(eta L tau)$: a round adds at least V, the noise and sampling parts below without their last
factor. With $y = 1 - (1 - eta_s K)^2 <= 2 s L$, $s = eta_s eta tau$, the squared distance is $(1 -
y)^t D^2 + V (1 - (1 - y)^t)/y$. By $(1 - y)^T <= 1/(1 + T y)$ the last factor is at least $T/(1 + 2 T s
L)$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_floor_lower import THEOREM as NONCONVEX_FLOOR

_S = eta_s * eta * tau
_SUM = T / (1 + 2 * T * _S * L)

THEOREM = variant(
    NONCONVEX_FLOOR,
    "fedavg_strongly_convex_floor_lower",
    title="FedAvg, strongly convex, noise and participation, lower bound",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(
        SMOOTH,
        STRONGLY_CONVEX,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        *SAMPLED_CLIENTS,
        SHARED_CURVATURE,
    ),
    steps=(*NONCONVEX_FLOOR.step_size, at_most(eta_s * eta, 1 / (L * tau))),
    terms=(
        derived(
            "initial gap",
            (1 - _S * L) ** (2 * T) * distance**2,
            "the squared distance contracts at most by (1 - s L)^2 in a round",
        ),
        derived(
            "stochastic noise",
            eta_s**2 * eta**2 * tau * (1 - eta * L * (tau - 1) / 2) ** 2 * sigma**2 / (C * m) * _SUM,
            "the variance that a round adds, summed over rounds",
        ),
        derived(
            "partial participation",
            _S**2 * (1 - eta * L * (tau - 1) / 2) ** 2 * (1 - C) / (C * (m - 1)) * sigma_g**2 * _SUM,
            "1/2 by the least K; the variance of the mean of C m minimisers, summed over rounds",
        ),
    ),
    prose=__doc__,
)
