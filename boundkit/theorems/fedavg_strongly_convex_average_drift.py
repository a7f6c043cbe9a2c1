r"""FedAvg with full gradients on strongly convex losses, by the average drift at the optimum.

Let all clients take one round of local steps from the optimum. Each moves towards its own minimiser, but the
server receives the mean of these updates, which may be nearly 0. Its length a step, $drift_star$, is the only
measure of heterogeneity in this bound. The usual dissimilarities may be large while $drift_star$ is 0: for
quadratics with a common Hessian it is.

Proof. One round maps $x$ to $Phi(x) = sum_i p_i x_i^tau$. A step of gradient descent on a mu-strongly convex
$L$-smooth loss shrinks distances by $1 - eta mu$ for $eta <= 2/(L + mu)$, so $Phi$ shrinks them by $q = (1 -
eta mu)^tau$. By definition $||Phi(x*) - x*|| = eta tau drift_star$. So $||x_{t+1} - x*|| <= q ||x_t - x*|| +
eta tau drift_star$; sum the geometric series.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_drift_limit import THEOREM as LIMIT

_step = 1 - eta * mu

THEOREM = variant(
    LIMIT,
    "fedavg_strongly_convex_average_drift",
    title="FedAvg with full gradients, average drift at the optimum",
    bounds=LAST_DISTANCE,
    terms=(
        derived(
            "initial gap",
            _step ** (tau * T) * distance,
            "every step shrinks the distance by 1 - eta mu, and a run has tau T of them",
        ),
        derived(
            "client drift",
            eta * tau * drift_star * (1 - _step ** (tau * T)) / (1 - _step**tau),
            "the drift of a round at the optimum, summed geometrically with ratio (1 - eta mu)^tau",
        ),
    ),
    becomes=(
        to(
            "fedavg_strongly_convex_drift_limit",
            {distance: 0},
            factors={"client drift": 1 - _step ** (tau * T)},
            because="the distance to the limit after T rounds is its fraction (1 - eta mu)^(tau T)",
        ),
    ),
    limits=(
        keeps(
            {tau: 1}, "client drift", because="the formula keeps drift_star, though its value is 0 at tau = 1"
        ),
    ),
    remarks=(
        "The letter drift_star is ||sum_i p_i (x* - x_i^tau)||/(eta tau), all clients started at x*. It "
        "depends on eta and tau, and is 0 at tau = 1.",
        "For eta <= 1/L it is at most (eta L (tau - 1)/2) sum_i p_i ||grad F_i(x*)||, which may be much "
        "larger.",
        "For quadratics it is ||sum_i p_i (I - (I - eta H_i)^tau)(x* - e_i)||/(eta tau): 0 for equal "
        "Hessians, and to first order (eta (tau - 1)/2) ||sum_i p_i H_i grad F_i(x*)||.",
        "As tau grows drift_star falls again, as 1/(eta tau), while the limit tends to the mean of the "
        "clients' minimisers.",
        "The loss gap is at most L/2 times the square of this distance; where eta mu tau is small, the limit "
        "is drift_star/mu.",
        "Attained in the limit of many local steps: the lower bound fedavg_strongly_convex_drift_limit_lower "
        "differs by the factor (1 + q)/(1 - q), which then tends to 1.",
        "The usual condition eta <= 1/L implies eta <= 2/(L + mu), which is weaker.",
    ),
    source=WANG_2022.at(
        "the average drift at optimum, and its client consensus hypothesis",
        note="The quantity is theirs; the statement with constants is derived above.",
        letters={"H": tau, "rho": drift_star, "R": T},
    ),
    prose=__doc__,
)
