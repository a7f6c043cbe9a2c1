r"""FedAvg on strongly convex losses: what client drift alone costs, on one stiff client and many flat ones.

Proof. A round of client i from $x$ is $-eta tau r_i g_i$ with $g_i = h_i (x - e_i)$, its gradient at $x$,
and $r_i = (1 - (1 - eta h_i)^tau)/(eta h_i tau)$. At a fixed point the sum of $r_i g_i$ is 0, so with $u$
a number $g_1 = (m - 1) r_mu u$ and $g_i = -r_L u$ for all others. Their mean is $(m - 1)(r_mu - r_L)
u/m$, and it is the mean curvature $(L + (m - 1) mu)/m$ times the distance from the optimum. The variance
of the gradients is $(m - 1)/m^2 (g_1 - g_2)^2 = (m - 1)/m^2 ((m - 1) r_mu + r_L)^2 u^2 = sigma_g^2$.
Eliminate $u$.
"""

from boundkit.algebra.authoring import *

_FIRST = (1 - (1 - eta * L) ** tau) / (eta * L * tau)
_OTHERS = (1 - (1 - eta * mu) ** tau) / (eta * mu * tau)
_DISTANCE = m * (_OTHERS - _FIRST) * sigma_g / (((m - 1) * _OTHERS + _FIRST) * (L + (m - 1) * mu))

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
    requires=(at_least(m, 2), at_most(mu, L)),
    steps=(at_most(eta, 1 / L), at_most(eta_s, 1)),
    terms=(
        derived(
            "client drift",
            (m - 1) * _DISTANCE**2,
            "the squared distance of the fixed point, in every round",
        ),
    ),
    remarks=(
        "With m - 1 = L/mu, for many local steps and short rounds it is (1/16) (L/mu) eta^2 tau (tau - 1) "
        "sigma_g^2 as L/mu grows: the factor L/mu is needed.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
