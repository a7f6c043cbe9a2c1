r"""Where FedAvg with full gradients comes to rest, and how far that is from the optimum: at least.

If the mean of the clients drifts at the optimum, the optimum is no fixed point, and the fixed point
cannot be near: whatever is near the optimum drifts nearly as much. So drift_star is not only enough to
bound the error of FedAvg, it is needed. The two sides differ by the factor (1 + q)/(1 - q), q = (1 - eta
mu)^tau, which tends to 1 for many local steps.

Proof. Let xt = Phi(xt). Then eta tau drift_star = ||x* - Phi(x*)|| <= ||x* - xt|| + ||Phi(xt) - Phi(x*)||
<= (1 + q) ||xt - x*||.
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
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

_kept = (1 - eta * mu) ** tau

THEOREM = Theorem(
    name="fedavg_strongly_convex_drift_limit_lower",
    algorithm="fedavg",
    claim=LIMIT_DISTANCE,
    kind="lower",
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
            eta * tau * drift_star / (1 + _kept),
            provenance="derived",
            because="the drift of one round at the optimum, of which the fixed point can take up 1 + q times "
            "its "
            "distance",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_strongly_convex_drift_limit",
            when={},
            factors={"client drift": (1 - _kept) / (1 + _kept)},
            because="the two sides of one distance",
        ),
    ),
    limits=(Limit(when={drift_star: 0}, removes=("client drift",)),),
    remarks=(
        "As eta goes to 0 this side is half of the drift of a round, eta tau drift_star/2, while the other "
        "is "
        "drift_star/mu: small steps leave the truth open in between.",
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
