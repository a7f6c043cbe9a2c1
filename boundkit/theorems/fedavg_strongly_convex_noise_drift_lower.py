r"""FedAvg on strongly convex losses: what noise alone costs homogeneous clients, for any number of them.

The instance is that of fedavg_convex_noise_drift_lower, with curvature $mu$ in place of a straight line: few
clients jump past the optimum, and turn back faster than the others advance.

Proof. The gradient is $-g + mu x + (L - mu) (x - u/2)_+$ and the run starts at 0. A step moves by $u$ more
than its gradient says with probability $p = 2 mu/((tau - 1)(L (1 - b/2) - 8 mu))$, $b = eta L (tau - 1)$,
else by $p u/(1 - p)$ less, with $p u^2 = (1 - p) eta^2 sigma^2$; and $g = (1 + mu/(2 L)) mu u/2$. As in
fedavg_convex_noise_drift_lower the mean $G(x)$ of the expected gradients is convex: its derivative is $(1 - E
(1 - eta mu)^(tau - N) (1 - eta L)^N)/(eta tau)$, at most $1/s$ as $eta_s <= 1$. So the expected model is at
most 0 in every round if $G(0) >= 0$, and as the optimum is at $u/2$ or above, the squared distance is at
least $u^2/4 = eta^2 sigma^2 (1/p - 1)/4$. The gradient is at most $L (x - u/2)_+$: local models are at least
$z_k$ as there, with $E (z_k - u/2)_+ >= (k p u/2)(1 - d)$, $d = 2 q + (b/2)(1 + q/2)$, $q = p (tau - 1)$, and
$E z_k >= -eta L p u (1 + q/2) k (k - 1)/4$. The mean over $k < tau$ is $2 G(0)/(mu u) >= (q L/(2 mu)) ((1 -
mu/L)(1 - d) - (b mu/(3 L))(1 + q/2)) - 1 - mu/(2 L)$. For $mu <= L/40$ and $b <= 1/4$, $q <= 3 mu/L$, the
long bracket is at least $1 - b/2 - 7.3 mu/L$, and the number not negative.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_noise_drift_lower import THEOREM as CONVEX_NOISE_DRIFT

THEOREM = variant(
    CONVEX_NOISE_DRIFT,
    "fedavg_strongly_convex_noise_drift_lower",
    title="FedAvg, strongly convex, noise drift, lower bound",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=tuple(STRONGLY_CONVEX if a == CONVEX else a for a in CONVEX_NOISE_DRIFT.assumptions),
    requires=(at_most(mu, L / 40),),
    steps=(at_most(eta, 1 / (4 * L * tau)), at_most(eta_s, 1)),
    terms=(
        derived(
            "noise drift",
            eta**2 * sigma**2 * (tau - 1) * (L - eta * L**2 * (tau - 1) / 2 - 10 * mu) / (8 * mu),
            "1/4 for half a jump, squared; 1/2 by the probability of a jump, 2 mu/(L (tau - 1))",
        ),
    ),
    remarks=(
        "It holds for any number of clients and of rounds. No proof can give the noise drift a constant "
        "below 1/8 for short rounds and mu far below L.",
    ),
    prose=__doc__,
)
