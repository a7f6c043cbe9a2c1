r"""FedAvg, the initial gap alone: a loss that falls in a straight line, for the mean squared gradient.

No term of an upper bound can be smaller than what one instance of its class shows. Here all other causes
of error are absent: homogeneous clients, full gradients.

Proof. On the linear part each of the $eta_s eta tau$ of a round moves the model by $g$, so $x_0 = g/L +
(T - 1) eta_s eta tau g$, where $x_(T-1) = g/L$ is its end, which no local step passes before as $eta_s >=
1$, and the gradient has been $g$ in all rounds $t < T$. The gap is $g x_0 - g^2/(2 L) = g^2 (eta_s eta
tau (T - 1) + 1/(2 L))$.
"""

from boundkit.algebra.authoring import *

THEOREM = lower(
    "fedavg_nonconvex_gap_lower",
    title="FedAvg, non-convex, initial gap, lower bound",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX,
        NO_NOISE,
        HOMOGENEOUS_CLIENTS,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
        CONSTANT_SLOPE,
    ),
    terms=(
        derived(
            "initial gap",
            gap / (eta_s * eta * tau * (T - 1) + 1 / (2 * L)),
            "1/2 of 1/L is the share of the curved end; the squared slope is the gradient of all rounds",
        ),
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
