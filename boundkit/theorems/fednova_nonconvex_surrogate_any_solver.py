r"""FedNova's first theorem for any local solver that is linear in its gradients, the proximal one included.

The published $B$ and $C$ measure the drift of a client by the final weights of its gradients. With a proximal
solver the weight of a gradient decreases: before the last step it is larger than at the end, and the
published numbers do not bound the drift. Here the largest drift before a step is bounded: $B''$ is the
largest sum of squared weights before a step, $C''$ the square of the largest sum of weights.

For plain SGD steps $C'' = (tau - 1)^2$ is even smaller than $C = tau (tau - 1)$.

Proof. As for fednova_nonconvex_surrogate, but for (ii): let $Y_i$ be the largest over $k$ of $E||x -
x_i^k||^2$, and $A_{k,s}$ the weight of gradient $s$ in the model before step $k$. Then $x - x_i^k = eta sum_s
A_{k,s} g_s$, Young and Jensen give $Y_i <= 2 eta^2 sigma^2 max_k sum_s A_{k,s}^2 + 4 eta^2 (max_k sum_s
A_{k,s})^2 [L^2 Y_i + ||grad F_i||^2]$, and $E||grad F_i - h_i||^2 <= L^2 Y_i$ for any weights of the mean
$h_i$. The rest follows word by word, with $B''$ for $B$ and $C''$ for $C$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fednova_nonconvex_surrogate_any_solver",
    title="FedNova, gradient of the surrogate, any linear local solver",
    algorithm="fednova",
    bounds=SURROGATE_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *LINEAR_SOLVERS),
    steps=(
        at_most(2 * eta * L * tau_eff, 1),
        at_most(4 * C_walk * (2 * beta**2 + 1) * eta**2 * L**2, 1),
        at_most(prox_step, 1),
    ),
    terms=(
        derived(
            "initial gap",
            4 * gap / (eta * tau_eff * T),
            "of the 1/2 that the descent leaves, the drift takes 1/4; the rest telescopes",
        ),
        derived(
            "stochastic noise",
            4 * eta * L * sigma**2 * A_noise / m,
            "eta L sigma^2 A/m a round, as in fednova_nonconvex_surrogate, times 4",
        ),
        derived(
            "noise drift",
            6 * eta**2 * L**2 * sigma**2 * B_walk,
            "6 = 4 (1/2) 2 (3/2): the largest drift's 2, Young's 1/2, and 1/(1 - D) <= 3/2",
        ),
        derived(
            "client drift",
            12 * eta**2 * L**2 * kappa**2 * C_walk,
            "12 = 4 (1/2) 4 (3/2): as the noise drift, with the largest drift's 4",
        ),
    ),
    definitions={
        w_i: p_i,
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * tau_eff * ClientSum(w_i**2 * a2_i / a1_i**2),
        B_walk: ClientSum(w_i * walk2_i),
        C_walk: ClientMax(walk1_i**2),
    },
    solvers=solvers_for(a1_i, a2_i, walk1_i, walk2_i),
    becomes=(
        to(
            "fednova_nonconvex_surrogate",
            {B_walk: B_drift, C_walk: C_drift},
            because="the two differ in how they measure the local drift only",
        ),
        to(
            "fedavg_nonconvex",
            {tau_eff: tau, A_noise: 1, B_walk: tau - 1, C_walk: (tau - 1) ** 2, kappa: sigma_g},
            factors={"client drift": (tau - 1) / tau},
            because="for homogeneous clients and plain steps the largest local drift is (tau - 1)^2, below "
            "tau (tau - 1)",
        ),
        to(
            "sgd_nonconvex",
            {tau_eff: 1, A_noise: 1, B_walk: 0, C_walk: 0},
            factors={"initial gap": 2, "stochastic noise": 4},
        ),
    ),
    limits=(
        keeps(
            {kappa: 0}, "noise drift", "client drift", because="kappa = 0 keeps the drift that noise causes"
        ),
    ),
    remarks=(
        "It bounds the gradient of the surrogate sum_i w_i F_i, and gap is the surrogate's.",
        "For plain steps B'' = B and C'' = max (tau_i - 1)^2 <= C; for momentum and decay both are at most "
        "the published ones; for a proximal solver they may be larger, and the published ones are too small.",
        "Where a bound is tested on runs, use it instead of fednova_nonconvex_surrogate.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1, with another bound on the local drift in step (ii)",
        note="Not in the source: B'' and C'' replace B and C, and the proof is above.",
        letters={"F(x_0) - F_inf": gap, "A": A_noise, "mu": mu_prox, "rho": rho_momentum},
    ),
    prose=__doc__,
)
