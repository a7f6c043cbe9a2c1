r"""The fixed point of FedAvg with full gradients: a lower bound on its distance from the optimum.

If the clients drift at the optimum on average, the optimum is no fixed point, and no point near it is: points
near the optimum drift nearly as much. So $drift_star$ is not only sufficient to bound the error of FedAvg,
but necessary. The two bounds differ by the factor $(1 + q)/(1 - q)$, $q = (1 - eta mu)^tau$, which tends to 1
for many local steps.

Proof. Let $xt = Phi(xt)$. Then $eta tau drift_star = ||x* - Phi(x*)|| <= ||x* - xt|| + ||Phi(xt) - Phi(x*)||
<= (1 + q) ||xt - x*||$.
"""

from boundkit.algebra.authoring import *

_kept = (1 - eta * mu) ** tau

THEOREM = lower(
    "fedavg_strongly_convex_drift_limit_lower",
    title="FedAvg with full gradients, distance of the fixed point, lower bound",
    algorithm="fedavg",
    bounds=LIMIT_DISTANCE,
    assumes=(
        SMOOTH,
        STRONGLY_CONVEX,
        NO_NOISE,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    steps=(at_most(eta, 2 / (L + mu)),),
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
    source=WANG_2022.at(
        "the average drift at optimum, in the limit",
        note="The quantity is theirs; the statement is derived above.",
    ),
    prose=__doc__,
)
