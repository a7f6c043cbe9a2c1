r"""FedAvg on convex losses: what noise alone costs homogeneous clients, for any number of them.

Noise is averaged over clients, its drift is not. The gradient rises past one point; rare jumps carry clients
past it, where they turn back, and the others never see it. So the expected gradients of a round cancel far
from the optimum.

Proof. The gradient is $-g + L (x - u/2)_+$ and the run starts at 0. A step moves by $u$ more than its
gradient says with probability $p = eta L/8$, else by $p u/(1 - p)$ less, with $p u^2 = (1 - p) eta^2
sigma^2$. Let $G(x)$ be the mean over the $tau$ local steps of the expected gradient, for a start at $x$. Its
derivative is $(1 - E (1 - eta L)^N)/(eta tau)$ with $N$ the number of local models above $u/2$, before the
last step. For given noise they rise with $x$, and so does $N$: $G$ is convex. From the start steps that do
not jump lead back, as $eta g < p u$, so that N is positive only after a jump, and $E N <= p tau (tau - 1)/2$:
at 0 the slope of $s G$, $s = eta_s eta tau$, is a number $c <= eta_s eta^2 L^2 tau (tau - 1)/16 <= 2$. The
expected server model $e$ moves by $-s E G(x) = -c e - r$, with $r >= s G(0)$ as $G$ is above its tangent at
0. So the sum of $e$ over $T$ rounds is that of $-r$ in each round times $1 + (1 - c) + (1 - c)^2 + ...$, as
many terms as rounds follow but one, and this is not negative. If $G(0) >= 0$, $e$ is thus at most 0 in the
mean over rounds, and as $F$ is above its tangent at 0 the mean loss is at least $F(0)$, which is $g u/2 +
g^2/(2 L)$ above the optimum. It remains to choose $g$, for $b =
eta L (tau - 1) < 1$. Local models are at least $z_k$, those of $g = 0$, and $z_k$ at least the sum $w_k$ of
the noise of $k$ steps minus $eta L$ times the sum of $(w_j - u/2)_+$ over $j < k$. On the event that one of
$k$ steps jumps, of probability at most $k p$, $E w_k = k p u (1 - p)^(k - 1)$. And $E (w_j - u/2)_+ <= (j p
u/2)(1 + (j - 1) p/2)$, from $w_j <= u$ times the number of jumps. This gives $E (z_k - u/2)_+ >= (k p u/2)(1
- b/4 - (b/2)(1 + b/16))$ for $k < tau$, as $p (tau - 1) = b/8$. So $g = (1 - 7 b/8) L p u (tau - 1)/4$ is
small enough for $b <= 4$, and $g u/2 >= (1 - p)(1 - 7 b/8) L eta^2 sigma^2 (tau - 1)/8$.
"""

from boundkit.algebra.authoring import *

THEOREM = lower(
    "fedavg_convex_noise_drift_lower",
    title="FedAvg, convex, noise drift, lower bound",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(
        SMOOTH,
        CONVEX,
        BOUNDED_NOISE,
        HOMOGENEOUS_CLIENTS,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        RARE_JUMPS,
    ),
    steps=(at_most(eta_s * eta**2 * L**2 * tau * (tau - 1), 32),),
    terms=(
        derived(
            "noise drift",
            L * eta**2 * sigma**2 * (tau - 1) * Max(0, 1 - eta * L * (tau - 1)) / 8,
            "1/4 of p u^2 by the mean of k < tau and of half a jump, 1/2 for the start half a jump away",
        ),
    ),
    remarks=(
        "It holds for any number of clients and of rounds: no averaging removes it. No proof can give the "
        "noise drift a constant below 1/8 for short rounds.",
        "Beyond the condition many clients oscillate with a growing amplitude about the point where the "
        "expected gradients of a round cancel.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
