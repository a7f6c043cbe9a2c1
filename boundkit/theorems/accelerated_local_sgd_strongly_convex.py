r"""Local SGD with Nesterov's method outside, constant momentum: strongly convex losses.

A round keeps $2 beta_s/(1 + beta_s)$ of the error: 0.947 at $beta_s = 0.9$, on every loss that is
$mu$-strongly convex with $1 - (1 - eta mu)^tau >= q_0 = ((1 - beta_s)/(1 + beta_s))^2$, whatever $L$ is.
$mu_0$ is the strong convexity at which that is an equality.

Proof. (i) For every $w$, $E||y+ - w||^2 <= (1 - q_0) ||x - w||^2 - 2 q_0/mu_0 (E F(y+) - F(w)) + B$: as (i)
of accelerated_local_sgd_convex, with $1 - eta mu_0$ before the squared distance in every local step.
(ii) With $alpha = sqrt(q_0)$, $w = (1 - alpha) y_t + alpha x*$ and $y+ = (1 - alpha) y_t + alpha z+$, the
momentum $beta_s = (1 - alpha)/(1 + alpha)$ makes $2 q_0/mu_0 (E F(y_t) - F* + 1/2 mu_0 E||z_t - x*||^2)/(1
- q_0)$ fall by $1 - alpha$ a round, up to $B/(1 - q_0)$. Sum the geometric series.
"""

from boundkit.algebra.authoring import *

q_0 = ((1 - beta_s) / (1 + beta_s)) ** 2
mu_0 = (1 - (1 - q_0) ** (1 / tau)) / eta
noise = mu_0 * eta * tau / (2 * q_0 ** Rational(3, 2))

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
            "mu_0 B/(2 q_0^(3/2)), B/(eta tau) as in the convex case",
        ),
        derived(
            "noise drift",
            noise
            * (1 - 1 / m)
            * L
            * eta**2
            * sigma**2
            * (tau - 1)
            * (Rational(1, 2) + Rational(2, 3) * eta * L * (tau + 1)),
            "mu_0 B/(2 q_0^(3/2)), the part of B from the distance of the local models",
        ),
    ),
    remarks=(
        "Without noise eta L <= 1 is enough.",
        "Where eta mu tau is small, the noise is (1 + beta_s)/(2 (1 - beta_s)) of that of a local step.",
    ),
    source=KHALED_2025.at(
        "abstract",
        note="Only the abstract was read; this statement, its constants and its proof are not the paper's.",
    ),
    prose=__doc__,
)
