r"""Local SGD with Nesterov's method outside, momentum $t/(t + 3)$: acceleration on convex losses.

The loss at the mean of the local models falls as $1/T^2$, and the step condition has no $1/tau$: $tau$
local steps act as one proximal step of length $eta tau$. The noise accumulates, times $(T + 3)/6$.

Proof. (i) For every $w$, with $B/(eta tau)$ the sum of the noise terms before $(T + 3)/6$: $2 <E u, x - w>
- E||u||^2 >= 2 eta tau (E F(y+) - F(w)) - B$. For it, sum (i) of fedavgm_convex_homogeneous with $w$ for
$x*$ over a round; by descent along the local steps $sum_k F(y_k)$ is at least $tau F(y+)$ up to noise, with
enough left of $||h_k||^2$.
(ii) With $alpha_t = 2/(t + 2)$ and $x_t = alpha_t z_t + (1 - alpha_t) y_t$ the algorithm is $z_{t+1} = z_t
- u_t/alpha_t$. Take (i) at $x*$ with weight $alpha_t$ and at $y_t$ with weight $1 - alpha_t$: $E||z_{t+1} -
x*||^2 <= E||z_t - x*||^2 - 2 eta tau/alpha_t^2 (delta_{t+1} - (1 - alpha_t) delta_t) + B/alpha_t^2$ with
$delta_t = E F(y_t) - F*$.
(iii) $(1 - alpha_t)/alpha_t^2 <= 1/alpha_{t-1}^2$; sum, and $sum_t (t + 2)^2/(T + 1)^2 <= (T + 3)/3$.
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
            (T + 3)
            / 6
            * (1 - 1 / m)
            * L
            * eta**2
            * sigma**2
            * (tau - 1)
            * (Rational(1, 2) + Rational(2, 3) * eta * L * (tau + 1)),
            "D_k <= (1 - 1/m) k eta^2 sigma^2, in the sum and in the descent",
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
