r"""Local SGD with Nesterov's method outside, momentum $t/(t + 3)$: acceleration on convex losses.

The loss at the mean of the local models falls as $1/T^2$, and the step condition has no $1/tau$: $tau$
local steps act as one proximal step of length $eta tau$. The noise accumulates, times $(T + 3)/6$.

Proof. After $k$ local steps let $y_k$ be the mean of the local models, $h_k$ that of their gradients, $D_k$
their mean squared distance from $y_k$, $c_k$ the mean of $<g_i - h_k, x_i - y_k>$, $V_k$ that of $||g_i -
h_k||^2$, $s_k = ||h_k - grad F(y_k)||^2$, $e_k = c_k - V_k/L$ and $a = eta L$.
(i) Convexity with smoothness between $w$ and $x_i$, and between $x_i$ and $y_k$: $<h_k, y_k - w> >= F(y_k)
- F(w) - e_k + s_k/(2 L)$, and $s_k <= L e_k$.
(ii) For every $w$, with $B/(eta tau)$ the sum of the noise terms before $(T + 3)/6$: $2 <E u, x - w> -
E||u||^2 >= 2 eta tau (E F(y+) - F(w)) - B$. For it, sum $||y_{k+1} - w||^2$ over a round by (i); then
$F(y_{k+1}) <= F(y_k) - eta <grad F(y_k), h_k> + L eta^2/2 (||h_k||^2 + sigma^2/m)$, where step $k$ counts
$k + 1$ times. With $n = k + 1$, $-2 n <grad F(y_k), h_k> + (a n + 1) ||h_k||^2 <= rho_k s_k$, $rho_k =
n^2/(n (2 - a) - 1) <= 2 (k + 2)/3$ for $k >= 1$; $s_0 = 0$. The distance of the local models costs $2 eta
sum_k w_k e_k$, $w_k = max(1, (1 + a rho_k)/2)$.
(iii) $D_{k+1} <= D_k - 2 eta c_k + eta^2 V_k + (1 - 1/m) eta^2 sigma^2$ and $c_k^2 <= D_k V_k$. Add the
former with weights $L l_j$, where $j = tau - 1 - k$, $l_j = W j/(2 (2 - a + a j))$ and $W =
max(1, 1/2 + a (tau + 1)/3) >= w_k$: as $l_{j+1} - l_j = (W - 2 a l_j)^2/(4 (W - a^2
l_j))$, $sum_k w_k E e_k <= (1 - 1/m) L eta^2 sigma^2 sum_j l_j$, and $sum_j l_j <= tau (tau
- 1)/6$, since $l_j$ is concave in $j$.
(iv) With $alpha_t = 2/(t + 2)$ and $x_t = alpha_t z_t + (1 - alpha_t) y_t$, $y_t$ after $t$ rounds, the
algorithm is $z_{t+1} = z_t - u_t/alpha_t$. Take (ii) at $x*$ with weight $alpha_t$ and at $y_t$ with weight
$1 - alpha_t$: $E||z_{t+1} - x*||^2 <= E||z_t - x*||^2 - 2 eta tau/alpha_t^2 (delta_{t+1} - (1 - alpha_t)
delta_t) + B/alpha_t^2$ with $delta_t = E F(y_t) - F*$.
(v) $(1 - alpha_t)/alpha_t^2 <= 1/alpha_{t-1}^2$; sum, and $sum_t (t + 2)^2/(T + 1)^2 <= (T + 3)/3$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "accelerated_local_sgd_convex",
    title="Accelerated local SGD, convex, homogeneous clients",
    algorithm="accelerated_local_sgd",
    bounds=LAST_MEAN_MODEL_LOSS_GAP,
    assumes=(*CONVEX_NOISY, HOMOGENEOUS_CLIENTS, *ALL_CLIENTS, INCREASING_MOMENTUM),
    steps=(at_most(eta, 1 / (2 * L)),),
    terms=(
        derived(
            "initial gap",
            2 * distance**2 / (eta * tau * (T + 1) ** 2),
            "alpha_{T-1}^2/2 of the squared distance; 4/(T + 1)^2",
        ),
        derived(
            "stochastic noise",
            (T + 3) / 6 * eta * sigma**2 / m * (1 + eta * L * (tau + 1) / 2),
            "eta sigma^2/m a step, and L eta^2/2 of it for each of up to tau later steps, (T + 3)/6 times",
        ),
        derived(
            "noise drift",
            (T + 3) / 18 * (1 - 1 / m) * L * eta**2 * sigma**2 * (tau - 1),
            "2/tau sum w_k e_k by (iii), 1/4 where eta L tau is small",
        ),
    ),
    remarks=(
        "Without noise eta L <= 1 is enough.",
        "The claim is at the mean of the local models of the last round, before the step of the server.",
    ),
    source=KHALED_2025.at(
        "abstract",
        note="Only the abstract was read, which claims acceleration by the outer optimiser. The bound, its "
        "conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
