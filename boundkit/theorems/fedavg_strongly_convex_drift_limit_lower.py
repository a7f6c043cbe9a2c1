r"""The fixed point of FedAvg with full gradients: a lower bound on its distance from the optimum.

If the clients drift at the optimum on average, the optimum is no fixed point, and no point near it is: points
near the optimum drift nearly as much. So $drift_star$ is not only sufficient to bound the error of FedAvg,
but necessary. The two bounds differ by the factor $(1 + q)/(1 - q)$, $q = (1 - eta mu)^tau$, which tends to 1
for many local steps.

Proof. Let $xt = Phi(xt)$. Then $eta tau drift_star = ||x* - Phi(x*)|| <= ||x* - xt|| + ||Phi(xt) - Phi(x*)||
<= (1 + q) ||xt - x*||$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_drift_limit import THEOREM as LIMIT

_kept = (1 - eta * mu) ** tau

THEOREM = variant(
    LIMIT,
    "fedavg_strongly_convex_drift_limit_lower",
    title="FedAvg with full gradients, distance of the fixed point, lower bound",
    kind="lower",
    terms=(
        derived(
            "client drift",
            eta * tau * drift_star / (1 + _kept),
            "the drift of one round at the optimum is at most 1 + q times the distance of the fixed point",
        ),
    ),
    becomes=(
        to(
            "fedavg_strongly_convex_drift_limit",
            factors={"client drift": (1 - _kept) / (1 + _kept)},
            because="upper and lower bound of one distance",
        ),
    ),
    remarks=(
        "As eta goes to 0 this bound is half of the drift of a round, eta tau drift_star/2, while the upper "
        "one is drift_star/mu: for small step sizes the two are far apart.",
    ),
    prose=__doc__,
)
