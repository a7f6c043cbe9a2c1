r"""FedAvg, noise and participation on quadratics of one curvature: mean squared gradient.

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
y)^t D^2 + V (1 - (1 - y)^t)/y$. Its mean over $t < T$ has the factors $(1 - (1 - y)^T)/(T y) >= 1/(1 + T
y)$ for $D^2$ and, since $(1 - y)^T >= (1 - (T + 1) y/2)/(1 + (T - 1) y/2)$ by induction, $(T - 1)/(2 + (T
- 1) y)$ at least for V. Where $eta_s K > 2$ and $y < 0$ both means exceed their values at $y = 0$. The
claim is $L^2$ times it, and $L^2 D^2 = 2 L gap$.
"""

from boundkit.algebra.authoring import *

_S = eta_s * eta * tau
_SUM = L**2 * (T - 1) / (2 * (1 + (T - 1) * _S * L))

THEOREM = lower(
    "fedavg_nonconvex_floor_lower",
    title="FedAvg, non-convex, noise and participation, lower bound",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX, BOUNDED_NOISE, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS, SHARED_CURVATURE),
    requires=(at_least(m, 2),),
    steps=(at_most(eta, 2 / (L * tau)),),
    terms=(
        derived(
            "initial gap",
            2 * L * gap / (1 + 2 * T * _S * L),
            "2 for the gap in place of the squared distance; the mean of (1 - y)^t over the rounds",
        ),
        derived(
            "stochastic noise",
            eta_s**2 * eta**2 * tau * (1 - eta * L * (tau - 1) / 2) ** 2 * sigma**2 / (C * m) * _SUM,
            "1/2 by the mean over rounds of the variance that rounds add",
        ),
        derived(
            "partial participation",
            _S**2 * (1 - eta * L * (tau - 1) / 2) ** 2 * (1 - C) / (C * (m - 1)) * sigma_g**2 * _SUM,
            "1/2 by the least K, and by the mean over rounds; the variance of the mean of C m minimisers",
        ),
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
