r"""Where FedAvg with full gradients comes to rest, and how far that is from the optimum: at least.

If the mean of the clients drifts at the optimum, the optimum is no fixed point, and the fixed point
cannot be near: whatever is near the optimum drifts nearly as much. So drift_star is not only enough to
bound the error of FedAvg, it is needed. The two sides differ by the factor (1 + q)/(1 - q), q = (1 - eta
mu)^tau, which tends to 1 for many local steps.

Proof. Let xt = Phi(xt). Then eta tau drift_star = ||x* - Phi(x*)|| <= ||x* - xt|| + ||Phi(xt) - Phi(x*)||
<= (1 + q) ||xt - x*||.
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
            "the drift of one round at the optimum, of which the fixed point can take up 1 + q times its "
            "distance",
        ),
    ),
    becomes=(
        to(
            "fedavg_strongly_convex_drift_limit",
            factors={"client drift": (1 - _kept) / (1 + _kept)},
            because="the two sides of one distance",
        ),
    ),
    remarks=(
        "As eta goes to 0 this side is half of the drift of a round, eta tau drift_star/2, while the other "
        "is drift_star/mu: small steps leave the truth open in between.",
    ),
    source=WANG_2022.at(
        "the average drift at optimum, in the limit",
        note="The quantity is theirs; the statement is derived above.",
        letters={"H": tau, "rho": drift_star},
    ),
    prose=__doc__,
)
