r"""FedAvg with full gradients, strongly convex: drift of heterogeneous Hessians and of third derivatives.

Heterogeneous gradients at the optimum alone do not matter: a common Hessian without third derivatives has no
drift. Many steps make the third order, with $tau^2$, larger than the second.

Proof. It is fedavg_strongly_convex_average_drift with a bound on $drift_star$. Start all clients at $x*$,
with $g_i = grad F_i(x*)$, Hessians $H_i$ there and their mean $H$.

(i) The linear walk ends at $-eta tau r(H_i) g_i$, with $r(A) = sum_{k<tau} (1 - eta A)^k/tau$. As the mean
of $g_i$ is 0, so is that of $r(H) g_i$, and $||(1 - eta A)^k - (1 - eta B)^k|| <= eta k ||A - B||$ for $0
<= A, B <= 1/eta$. By Cauchy-Schwarz the mean of $(r(H_i) - r(H)) g_i$ is at most $eta (tau - 1) delta_hess
sigma_star/2$.

(ii) For the true walk, $grad F_i(x* + z) = g_i + H_i z + b$ with $||b|| <= third ||z||^2/2$. Gradients do
not grow along gradient descent on a convex loss, so $||z_k|| <= eta k ||g_i||$, and the walks differ by at
most $third eta^3 ||g_i||^2/2$ times $sum_{k<tau} k^2 <= tau^2 (tau - 1)/3$. Take the mean, and divide by
$eta tau$.
"""

from boundkit.algebra.authoring import *

_step = 1 - eta * mu
_rounds = (1 - _step ** (tau * T)) / (1 - _step**tau)

THEOREM = upper(
    "fedavg_strongly_convex_second_order",
    title="FedAvg with full gradients, heterogeneous Hessians",
    algorithm="fedavg",
    bounds=LAST_DISTANCE,
    assumes=(
        SMOOTH, STRONGLY_CONVEX, LIPSCHITZ_HESSIAN, NO_NOISE, OPTIMUM_DISSIMILARITY, HESSIAN_DISSIMILARITY,
        WEIGHTED_OBJECTIVE, FULL_PARTICIPATION, COMMON_STEPS, SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    steps=(at_most(eta, 1 / L),),
    terms=(
        derived("initial gap", _step ** (tau * T) * distance, "every step shrinks it by 1 - eta mu"),
        derived(
            "client drift",
            eta**2 * tau * (tau - 1) * (delta_hess * sigma_star / 2 + third * eta * tau * sigma_star**2 / 6)
            * _rounds,
            "the drift of a round by heterogeneous Hessians and by third derivatives, summed geometrically",
        ),
    ),
    remarks=(
        "The letter delta_hess may be L: then the drift is that of fedavg_strongly_convex_average_"
        "drift with its usual bound.",
        "Both drifts are attained as eta L tau goes to 0: by two quadratics of curvatures L and L - 2 "
        "delta_hess, and by clients that differ by a linear part.",
    ),
    source=WANG_2022.at(
        "the average drift at the optimum",
        note="The quantity is theirs; its bound by second and third derivatives is derived above.",
    ),
    prose=__doc__,
)  # fmt: skip
