r"""Local SGD with an outer step and momentum: smooth convex losses, homogeneous clients.

Start, noise and noise drift. With $eta_s <= 1$ and no momentum the step condition is $eta L <= 1$, without
$1/tau$. A larger outer step makes up for a small inner step: the start has the product of both, and the
drift the inner step alone. At $tau = 1$, $eta eta_s L = 1$ and without momentum and noise the bound is an
equality on quadratics.

Proof. With $h_k$ the mean gradient at the local models after $k$ steps and $D_k$ the mean squared distance
of the local models from their mean $y_k$.
(i) Convexity with smoothness between $x*$ and $x_i$, and between $x_i$ and $y_k$: $<h_k, y_k - x*> >= F(y_k)
- F* + ||h_k||^2/(2 L) - c + V/L$, where $c$ is the mean of $<g_i - h_k, x_i - y_k>$, $V$ that of $||g_i -
h_k||^2$, and $c - V/L <= sqrt(D_k V) - V/L <= L D_k/4$. So $E||y_{k+1} - x*||^2 <= E||y_k - x*||^2 - 2 eta
E(F(y_k) - F*) + eta L D_k/2 + eta^2 sigma^2/m - eta/L (1 - eta L) E||h_k||^2$.
(ii) Gradient steps do not increase distances, so $D_k <= (1 - 1/m) k eta^2 sigma^2$ and the variance of
$u_t$ is at most $tau eta^2 sigma^2/m$.
(iii) For $z_t = x_t - eta_hat gamma b_{t-1}$, which moves by $-eta_hat$ times the mean update as without
momentum, $||z_{t+1} - x*||^2$ has the cross terms $2 eta_hat^2 gamma
sum_j beta_s^j <E u_t, u_{t-1-j}>$, at most $3 gamma/(1 - beta_s) eta_hat^2 sum ||E u_t||^2$ and $gamma/(1 +
beta_s) eta_hat^2$ times the variances in sum. $||E u_t||^2 <= eta^2 tau sum_k E||h_k||^2$, and the step
condition cancels it.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavgm_nonconvex_partial import eta_hat, gamma, length

noise = 1 + gamma / (1 + beta_s)

THEOREM = upper(
    "fedavgm_convex_homogeneous",
    title="Local SGD with an outer optimiser, convex, homogeneous clients",
    algorithm="fedavgm",
    bounds=LOCAL_AVERAGE_LOSS_GAP,
    assumes=(*CONVEX_NOISY, HOMOGENEOUS_CLIENTS, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS),
    steps=(at_most(eta * (1 + Max(0, eta_hat * length - 1) * tau), 1 / L),),
    terms=(
        derived(
            "initial gap", distance**2 / (2 * eta_hat * eta * tau * T), "the squared distance telescopes"
        ),
        derived(
            "stochastic noise",
            Max(1, eta_hat * noise) * eta * sigma**2 / (2 * m),
            "1/2 for each step by (i), and the variance of the outer step beyond 1 by (iii)",
        ),
        derived(
            "noise drift",
            (1 - 1 / m) * L * eta**2 * (tau - 1) * sigma**2 / 8,
            "L/4 times the mean of D_k over a round, (1 - 1/m) eta^2 sigma^2 (tau - 1)/2",
        ),
    ),
    remarks=(
        "Without momentum the best outer step is distance/(eta sigma) sqrt(m/(tau T)), between 1 and the "
        "largest allowed: an outer step above 1 pays where the inner step is chosen too small.",
        "For short rounds no smaller noise drift holds: see the instance of fedavg_convex_noise_drift_lower.",
        "An outer step below 1 never improves this bound, and neither does momentum at the same eta_hat.",
    ),
    source=KHALED_2025.at(
        "abstract",
        note="Only the abstract was read, which names the same three forces. The bound, its conditions and "
        "its proof are not the paper's.",
    ),
    prose=__doc__,
)
