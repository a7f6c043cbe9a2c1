r"""The fixed point of FedAvg with full gradients: an upper bound on its distance from the optimum.

A round contracts distances, so FedAvg has a fixed point. Its distance from the optimum is determined by the
average drift at the optimum, $drift_star$, and by the contraction of a round. The lower bound is
fedavg_strongly_convex_drift_limit_lower.

Proof. Let $xt = Phi(xt)$ be the fixed point, $q = (1 - eta mu)^tau$. Then $||xt - x*|| <= ||Phi(xt) -
Phi(x*)|| + ||Phi(x*) - x*|| <= q ||xt - x*|| + eta tau drift_star$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_strongly_convex_drift_limit",
    title="FedAvg with full gradients, distance of the fixed point, upper bound",
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
            eta * tau * drift_star / (1 - (1 - eta * mu) ** tau),
            "the drift of one round, over the least fraction of a distance that a round removes",
        ),
    ),
    remarks=(
        "As eta goes to 0 it tends to drift_star/mu, and drift_star itself to 0.",
        "In one dimension, for quadratics, the distance is eta tau drift_star/sum_i p_i (1 - (1 - eta "
        "h_i)^tau), which is between the two bounds.",
        "If drift_star = 0, FedAvg's fixed point is the optimum, however heterogeneous the clients are.",
    ),
    source=WANG_2022.at(
        "the average drift at optimum, in the limit",
        note="The quantity is theirs; the statement is derived above.",
    ),
    prose=__doc__,
)
