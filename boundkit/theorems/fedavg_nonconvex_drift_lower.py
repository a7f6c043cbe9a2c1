r"""FedAvg on non-convex losses: what client drift alone costs, on two clients of opposite curvature.

At a fixed point the updates of the clients cancel, their gradients do not. The client of positive
curvature slows down on its way, the other speeds up, so that equal displacements belong to unequal
gradients.

Proof. A round of client i from $x$ is $-eta tau r_i g_i$ with $g_i = h_i (x - e_i)$, its gradient at $x$,
and $r_i = (1 - (1 - eta h_i)^tau)/(eta h_i tau)$. At a fixed point $r_1 g_1 + r_2 g_2 = 0$, whatever
$eta_s$ is, so $(g_1, g_2)$ is proportional to $(r_2, -r_1)$. For two clients $sigma_g = |g_1 - g_2|/2$
and the mean gradient is $(g_1 + g_2)/2$: their ratio is $(r_2 - r_1)/(r_2 + r_1)$. The run stays there.
The mean curvature is $eta L^2 tau/2$ and positive, so the mean loss is bounded below.
"""

from boundkit.algebra.authoring import *

_C = eta * L * tau
_SLOWED = (1 - (1 - eta * L) ** tau) / _C
_DRIVEN = ((1 + (1 - _C) * eta * L) ** tau - 1) / ((1 - _C) * _C)

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
    steps=(at_most(eta, 1 / (2 * L * tau)), at_most(eta_s, 1)),
    terms=(
        derived(
            "client drift",
            ((_DRIVEN - _SLOWED) / (_DRIVEN + _SLOWED)) ** 2 * sigma_g**2,
            "the ratio of the mean gradient to the dissimilarity at the fixed point, in every round",
        ),
    ),
    remarks=(
        "For many local steps and short rounds it is (1/4) eta^2 L^2 tau (tau - 1) sigma_g^2: no proof can "
        "give the client drift a constant below 1/4.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
