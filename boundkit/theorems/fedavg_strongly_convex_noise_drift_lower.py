r"""FedAvg on strongly convex losses: what noise alone costs homogeneous clients, for any number of them.

The instance is that of fedavg_convex_noise_drift_lower, with curvature $mu$ in place of a straight line: few
clients jump past the optimum, and turn back faster than the others advance.

Proof. Put $n = tau - 1$, $b = eta L n$, $r = mu/L$, $B = 1 - b/2$. Nothing is claimed unless $B > 10 r$, so
that $b < 2$. The gradient is $-g + mu x + (L - mu) (x - u/2)_+$ with $g = (1 + r/2) mu u/2$, and the run
starts at 0. A step moves by $u$ more than its gradient says with probability $p = q/n$, $q = min(1/2, 2 r/(B
- 8 r))$, else by $p u/(1 - p)$ less, with $p u^2 = (1 - p) eta^2 sigma^2$. The optimum is at $u/2$ or above,
and $u^2/4 = eta^2 sigma^2 (1/p - 1)/4$ is at least the bound, as $1/p - 1 >= n (B - 10 r)/(2 r)$ for both
values of $q$. It remains to show that the expected model is at most 0 in every round. As in
fedavg_convex_noise_drift_lower the mean $G(x)$ of the expected gradients is convex where $eta L <= 1$, of a
slope of at most $1/(eta tau)$; so it is at least $G(0) + c x$, $s c <= 1$ as $eta_s <= 1$, and $G(0) >= 0$ is
enough. For $n = 1$ and $eta L > 1$ it is convex up to $u/2$, and at $u/2 + v$ above its tangent at 0 by at
least $(L - mu) (v/2) (1 - eta mu - p (b - eta mu)) >= 0$, as $p b <= b/2 = 1 - B$. Local models are at least
$z_k$, those of the gradient $L (x - u/2)_+$, which are the sums $w_k$ of the noise less $eta L$ times the sum
of $(z_j - u/2)_+$ over $j < k$. With $e_k = E (z_k - u/2)_+$ and $f_k = E (w_k - u/2)_+$ it follows that $f_k
>= e_k >= f_k - eta L (e_0 + ... + e_(k - 1))$ and $E z_k = -eta L (e_0 + ... + e_(k - 1))$. On the event of a
jump $f_k >= k p u (1 - p)^(k - 1) - (u/2) (1 - (1 - p)^k) >= (k p u/2) (1 - (3/2) (k - 1) p)$, and $f_k <= (k
p u/2) (1 + (k - 1) p/2)$ as $w_k$ is at most $u$ times the number of jumps. Now $2 G(0)/(mu u)$ is at least
$2/(u tau)$ times the sum of $(1/r - 1) e_k + E z_k$, less $1 + r/2$. For $q <= 1/6$ that sum is at least
$(q/(2 r)) ((1 - r) (1 - q) - (b/3) (1 + q/4))$ by the bounds on $f_k$, and $2 r/q = B - 8 r$ leaves $b/6 +
13 r/2 - q (1 + b/12) >= 0$ to show, where $r >= (3/10) q B$. For $q >= 1/6$ the sum of $e_k$ is at least that
of $f_k$ over $1 + b <= 3 - 20 r$, and so it is at least $q (1 - q) (1 - 3 r)/(2 r (3 - 20 r)) >= 1 + r/2$, by
$q (1 - q) >= 5/36$ and $r <= 1/40$.
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
    steps=(at_most(eta_s, 1),),
    terms=(
        derived(
            "noise drift",
            eta**2 * sigma**2 * (tau - 1) * Max(0, L - eta * L**2 * (tau - 1) / 2 - 10 * mu) / (8 * mu),
            "1/4 for half a jump, squared; 1/2 by the probability of a jump, 2 mu/(L (tau - 1))",
        ),
    ),
    remarks=(
        "It holds for any number of clients and of rounds, and any step of the clients. No proof can give "
        "the noise drift a constant below 1/8 for short rounds and mu far below L.",
    ),
    prose=__doc__,
)
