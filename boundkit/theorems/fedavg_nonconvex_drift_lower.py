r"""FedAvg on non-convex losses: what client drift alone costs, on two clients of opposite curvature.

At a fixed point the updates of the clients cancel, their gradients do not. The client of positive
curvature slows down on its way, the other speeds up, so that equal displacements belong to unequal
gradients.

Proof. A round of client i from $x$ is $-eta tau r_i g_i$ with $g_i = h_i (x - e_i)$, its gradient at $x$,
and $r_i$ the mean of $(1 - eta h_i)^k$ over $k < tau$. At a fixed point $r_1 g_1 + r_2 g_2 = 0$, whatever
$eta_s$ is, so $(g_1, g_2)$ is proportional to $(r_2, -r_1)$. For two clients $sigma_g = |g_1 - g_2|/2$
and the mean gradient is $(g_1 + g_2)/2$: their ratio is $(r_2 - r_1)/(r_2 + r_1)$, in every round. Put $c
= eta L tau$, $b = eta L (tau - 1)$ and $d = eta L (tau - 2) = 2 b - c$. By binomial sums, whose terms
decrease, $r_1 <= 1 - b/2 + b d/6$ and $1 + b (1 - c)/2 + b d (1 - c)^2/6 <= r_2 <= 1 + 6 b (1 - c)/11$, as a
term of $r_2$ is at most $c (1 - c)/3 <= 1/12$ times the one before. So $r_2 - r_1 >= b (1 - c/2 - d c (2 -
c)/6)$ and $r_1 + r_2 <= 2 + b/22 - 25 b c/66$. The first is at least $b (1 - 3 c/5)/2$ times the second: over
$b$ their difference is linear in $b$, and a polynomial of $c$ without a root in $(0, 1)$ at $b = c/2$, which
is $tau = 2$, and at $b = c$. The mean curvature is $c L/2$ and positive: the mean loss is bounded below.
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
            eta**2 * L**2 * (tau - 1) ** 2 * (1 - 3 * eta * L * tau / 5) ** 2 * sigma_g**2 / 4,
            "1/2 of b (1 - 3 c/5) is the least ratio of the mean gradient to the dissimilarity",
        ),
    ),
    remarks=("No proof can give the client drift a constant below 1/4 for short rounds of many steps.",),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
