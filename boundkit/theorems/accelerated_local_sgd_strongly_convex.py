r"""Local SGD with Nesterov's method outside, constant momentum: strongly convex losses.

A round keeps $2 beta_s/(1 + beta_s)$ of the error: 0.947 at $beta_s = 0.9$, on every loss that is
$mu$-strongly convex with $1 - (1 - eta mu)^tau >= q_0 = ((1 - beta_s)/(1 + beta_s))^2$, whatever $L$ is.
$mu_0$ is the strong convexity at which that is an equality. The noise is $(1 + beta_s)/(2 (1 - beta_s))$
times that of a local step.

Proof. (i) For every $w$, $E||y+ - w||^2 <= (1 - q_0) ||x - w||^2 - 2 q_0/mu_0 (E F(y+) - F(w)) + q_0/mu_0
b$, with $b$ the sum of the noise terms before $(1 + beta_s)/(2 (1 - beta_s))$: as (i) to (iii) of
accelerated_local_sgd_convex, in (i) with $F - mu_0/2 ||x||^2$ for $F$ and $L - mu_0$ for $L$. Now $r = 1 -
eta mu_0$ is before the squared distance in every local step, so that step $k$ has the factor $r^(tau - 1 -
k)$, and $eta sum_k r^k = q_0/mu_0$. In the descent it counts $n = 1 + r + ... + r^k <= k + 1$ times;
$rho_k$ grows with $n$, and for the noise $sum_j (j + 1) r^j <= (tau + 1)/2 sum_j r^j$. In (iii), $D_{k+1}
<= r^2 D_k - 2 eta r c_k + eta^2 V_k + (1 - 1/m) eta^2 sigma^2$, the weights are $r^(j - 1) l_j$, and
$sum_j r^j l_j <= 1/tau sum_j r^j sum_j l_j$; $L - mu_0 <= r L$ makes up for $1/r$.
(ii) With $alpha = sqrt(q_0)$, $w = (1 - alpha) y_t + alpha x*$ and $y+ = (1 - alpha) y_t + alpha z+$, the
momentum $beta_s = (1 - alpha)/(1 + alpha)$ makes $2 q_0/mu_0 (E F(y_t) - F* + 1/2 mu_0 E||z_t - x*||^2)/(1
- q_0)$ fall by $1 - alpha$ a round, up to $q_0 b/(mu_0 (1 - q_0))$. Sum the geometric series: $b/(2
alpha)$.
"""

from boundkit.algebra.authoring import *

q_0 = ((1 - beta_s) / (1 + beta_s)) ** 2
mu_0 = (1 - (1 - q_0) ** (1 / tau)) / eta
noise = (1 + beta_s) / (2 * (1 - beta_s))

THEOREM = upper(
    "accelerated_local_sgd_strongly_convex",
    title="Accelerated local SGD, strongly convex, homogeneous clients",
    algorithm="accelerated_local_sgd",
    bounds=LAST_MEAN_MODEL_LOSS_GAP,
    assumes=(*STRONGLY_CONVEX_NOISY, HOMOGENEOUS_CLIENTS, *ALL_CLIENTS, CONSTANT_MOMENTUM),
    steps=(at_most(eta, 1 / (2 * L)), at_least(eta, (1 - (1 - q_0) ** (1 / tau)) / mu)),
    terms=(
        derived(
            "initial gap",
            (2 * beta_s / (1 + beta_s)) ** T * (gap + mu_0 * distance**2 / 2),
            "1 - sqrt(q_0) a round",
        ),
        derived(
            "stochastic noise",
            noise * eta * sigma**2 / m * (1 + eta * L * (tau + 1) / 2),
            "b/(2 alpha), b as in the convex case",
        ),
        derived(
            "noise drift",
            noise * (1 - 1 / m) * L * eta**2 * sigma**2 * (tau - 1) / 3,
            "b/(2 alpha), the part of b from the distance of the local models",
        ),
    ),
    remarks=("Without noise eta L <= 1 is enough.",),
    source=KHALED_2025.at(
        "abstract",
        note="Only the abstract was read; this statement, its constants and its proof are not the paper's.",
    ),
    prose=__doc__,
)
