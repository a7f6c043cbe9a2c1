r"""Where FedAvg with full gradients comes to rest, and how far that is from the optimum: at most.

FedAvg has a fixed point, since a round shrinks distances. How far it lies from the optimum is set by the
drift of the mean at the optimum, drift_star, and by how much of a distance a round removes. Both sides
are known: see fedavg_strongly_convex_drift_limit_lower for the other one.

Proof. Let xt = Phi(xt) be the fixed point, q = (1 - eta mu)^tau. Then
||xt - x*|| <= ||Phi(xt) - Phi(x*)|| + ||Phi(x*) - x*|| <= q ||xt - x*|| + eta tau drift_star.
"""

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, drift_star, eta, mu, tau
from boundkit.algebra.vocabulary import (
    COMMON_STEPS,
    FULL_PARTICIPATION,
    LIMIT_DISTANCE,
    NO_NOISE,
    SERVER_STEP_ONE,
    SMOOTH,
    STRONGLY_CONVEX,
    WEIGHTED_OBJECTIVE,
)

THEOREM = Theorem(
    name="fedavg_strongly_convex_drift_limit",
    algorithm="fedavg",
    claim=LIMIT_DISTANCE,
    assumptions=(
        SMOOTH,
        STRONGLY_CONVEX,
        NO_NOISE,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    step_size=(at_most(eta, 2 / (L + mu)),),
    terms=(
        Term(
            "client drift",
            eta * tau * drift_star / (1 - (1 - eta * mu) ** tau),
            provenance="derived",
            because="the drift of one round, over the share of a distance that a round removes at least",
        ),
    ),
    limits=(Limit(when={drift_star: 0}, removes=("client drift",)),),
    remarks=(
        "As eta goes to 0 it tends to drift_star/mu, and drift_star itself to 0.",
        "In one dimension, for quadratics, the distance is eta tau drift_star/sum_i p_i (1 - (1 - eta "
        "h_i)^tau), "
        "which is between the two sides.",
        "Whether there is anything to see depends on the mean alone: drift_star = 0 means that FedAvg's "
        "fixed "
        "point is the optimum, however unlike the clients are.",
    ),
    source=Source(
        authors=("Wang", "Das", "Joshi", "Kale", "Xu", "Zhang"),
        year=2022,
        title="On the Unreasonable Effectiveness of Federated Averaging with Heterogeneous Data",
        arxiv="2206.04723",
        where="the average drift at optimum, in the limit",
        note="The quantity is theirs; the statement is derived above.",
        renamed={"H": tau, "rho": drift_star},
    ),
    prose=__doc__,
)
