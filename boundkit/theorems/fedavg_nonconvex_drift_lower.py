r"""FedAvg on non-convex losses: what client drift alone costs, on two clients of opposite curvature.

At a fixed point the updates of the clients cancel, their gradients do not. The client of positive
curvature slows down on its way, the other speeds up, so that equal displacements belong to unequal
gradients.

Proof. A round of client i from $x$ is $-eta tau r_i g_i$ with $g_i = h_i (x - e_i)$, its gradient at $x$,
and $r_i$ the mean of $(1 - eta h_i)^k$ over $k < tau$. At a fixed point $r_1 g_1 + r_2 g_2 = 0$, whatever
$eta_s$ is, so $(g_1, g_2)$ is proportional to $(r_2, -r_1)$. For two clients $sigma_g = |g_1 - g_2|/2$
and the mean gradient is $(g_1 + g_2)/2$: their ratio is $(r_2 - r_1)/(r_2 + r_1)$, in every round. Put $b
= eta L (tau - 1)$ and $c = eta L tau$. By binomial sums $r_1 <= 1 - b/2 + b c/6$ and $1 + b (1 - c)/2 <=
r_2 <= 1 + (b/2)(1 - c) q$ with $q = 1 + c/3 + c^2/12$ and further positive terms, where all coefficients
of $(1 - c) q$ but the first are negative. So $r_2 - r_1 >= b (1 - 2 c/3)$ and $r_1 + r_2 <= 2$. The mean
curvature is $c L/2$ and positive: the mean loss is bounded below.
"""

from boundkit.algebra.authoring import *

THEOREM = lower(
    "fedavg_nonconvex_drift_lower",
    title="FedAvg, non-convex, client drift, lower bound",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        OPPOSITE_CURVATURES,
    ),
    steps=(at_most(eta, 1 / (L * tau)),),
    terms=(
        derived(
            "client drift",
            eta**2 * L**2 * (tau - 1) ** 2 * (1 - 2 * eta * L * tau / 3) ** 2 * sigma_g**2 / 4,
            "1/2 of b (1 - 2 c/3) is the least ratio of the mean gradient to the dissimilarity",
        ),
    ),
    remarks=("No proof can give the client drift a constant below 1/4 for short rounds of many steps.",),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
