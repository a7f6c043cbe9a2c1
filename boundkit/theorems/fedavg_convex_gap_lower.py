r"""FedAvg, the initial gap alone: a loss that falls in a straight line, for the mean loss gap.

No term of an upper bound can be smaller than what one instance of its class shows. Here all other causes
of error are absent: homogeneous clients, full gradients.

Proof. The run is that of fedavg_nonconvex_gap_lower, with $g = D/(eta_s eta tau (T - 1) + 1/L)$ for a
start at distance $D$. Its loss gap before round t is $g x_t - g^2/(2 L)$ with $x_t = D - t eta_s eta tau
g$; the mean over $t < T$ is $g D - eta_s eta tau g^2 (T - 1)/2 - g^2/(2 L) = g D/2$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_gap_lower import THEOREM as NONCONVEX_GAP

THEOREM = variant(
    NONCONVEX_GAP,
    "fedavg_convex_gap_lower",
    title="FedAvg, convex, initial gap, lower bound",
    bounds=MEAN_LOSS_GAP,
    assumes=(SMOOTH, CONVEX, *NONCONVEX_GAP.assumptions[2:]),
    terms=(
        derived(
            "initial gap",
            distance**2 / (2 * (eta_s * eta * tau * (T - 1) + 1 / L)),
            "half the slope times the distance",
        ),
    ),
    prose=__doc__,
)
