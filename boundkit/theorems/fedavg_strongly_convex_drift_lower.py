r"""FedAvg on strongly convex losses: what client drift alone costs, on one stiff client and many flat ones.

No term of an upper bound can be smaller than what one instance of its class shows. Here all other causes
of error are absent, and the run rests at its fixed point.

Proof. A round of client i from $x$ is $-eta tau r_i g_i$ with $g_i = h_i (x - e_i)$, its gradient at $x$,
and $r_i$ the mean of $(1 - eta h_i)^k$ over $k < tau$. At a fixed point the sum of $r_i g_i$ is 0, so
with $u$ a number $g_1 = (m - 1) r_mu u$ and $g_i = -r_L u$ for all others. Their mean $(m - 1)(r_mu -
r_L) u/m$ is the mean curvature $(L + (m - 1) mu)/m$ times the distance from the optimum. Their variance
is $(m - 1)/m^2 ((m - 1) r_mu + r_L)^2 u^2 = sigma_g^2$, and $(m - 1) r_mu + r_L <= m$. By binomial sums
$r_mu >= 1 - eta mu (tau - 1)/2$ and $r_L <= 1 - eta L (tau - 1)/2 + eta^2 L^2 tau (tau - 1)/6$, so that
$r_mu - r_L >= (eta (tau - 1)/2)(L - mu - eta L^2 tau/3)$, which the condition makes not negative. (They hold
for $eta L <= 1$, so from three steps on; of two steps $r_L = 1 - eta L/2$.) Eliminate $u$.
"""

from boundkit.algebra.authoring import *

THEOREM = lower(
    "fedavg_strongly_convex_drift_lower",
    title="FedAvg, strongly convex, client drift, lower bound",
    algorithm="fedavg",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(
        SMOOTH,
        STRONGLY_CONVEX,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        ONE_STIFF_CLIENT,
    ),
    requires=(at_least(m, 2), at_most(mu, L / 2)),
    steps=(at_most(eta, 3 * (L - mu) / (L**2 * tau)),),
    terms=(
        derived(
            "client drift",
            (m - 1)
            * eta**2
            * (tau - 1) ** 2
            * (L - mu - eta * L**2 * tau / 3) ** 2
            * sigma_g**2
            / (4 * (L + (m - 1) * mu) ** 2),
            "1/4 by the squared half of r_mu - r_L; the squared distance of the fixed point, in every round",
        ),
    ),
    remarks=(
        "With m - 1 = L/mu clients it is of order (1/16)(L/mu) eta^2 tau (tau - 1) sigma_g^2: the factor "
        "L/mu is needed.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
