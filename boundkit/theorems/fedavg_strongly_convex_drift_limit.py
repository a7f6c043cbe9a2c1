r"""Where FedAvg with full gradients comes to rest, and how far that is from the optimum: at most.

FedAvg has a fixed point, since a round shrinks distances. How far it lies from the optimum is set by the
drift of the mean at the optimum, drift_star, and by how much of a distance a round removes. Both sides
are known: see fedavg_strongly_convex_drift_limit_lower for the other one.

Proof. Let xt = Phi(xt) be the fixed point, q = (1 - eta mu)^tau. Then
||xt - x*|| <= ||Phi(xt) - Phi(x*)|| + ||Phi(x*) - x*|| <= q ||xt - x*|| + eta tau drift_star.
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
            "the drift of one round, over the share of a distance that a round removes at least",
        ),
    ),
    remarks=(
        "As eta goes to 0 it tends to drift_star/mu, and drift_star itself to 0.",
        "In one dimension, for quadratics, the distance is eta tau drift_star/sum_i p_i (1 - (1 - eta "
        "h_i)^tau), which is between the two sides.",
        "Whether there is anything to see depends on the mean alone: drift_star = 0 means that FedAvg's "
        "fixed point is the optimum, however unlike the clients are.",
    ),
    source=WANG_2022.at(
        "the average drift at optimum, in the limit",
        note="The quantity is theirs; the statement is derived above.",
        letters={"H": tau, "rho": drift_star},
    ),
    prose=__doc__,
)
