r"""FedNova's first theorem: heterogeneous local solvers on smooth non-convex losses, full participation.

Clients may take different numbers of steps, with momentum, a proximal term or decaying step sizes: only the
weights $a_i$ of the gradients in a client's update matter. The server divides by $||a_i||_1$, weights by
$w_i$ and takes $tau_eff$ steps at once. It then minimises the surrogate $sum_i w_i F_i$, whatever the
objective is; with FedNova's choice $w_i = p_i$ the two agree.

Three numbers measure the heterogeneity of the local steps: $A$ multiplies the noise, $B$ the drift of a
client by noise before its last step, $C$ its drift by heterogeneity.

For solvers with a proximal term the published $B$ and $C$ are too small: the weight of a gradient falls with
later steps, and they count the weights at the end. Here these solvers have the $B$ and $C$ of
fednova_nonconvex_surrogate_sharp, with whose steps the theorem is proved.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fednova_nonconvex_surrogate",
    title="FedNova, gradient of the surrogate",
    algorithm="fednova",
    bounds=SURROGATE_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *LINEAR_SOLVERS),
    steps=(
        at_most(2 * eta * L * tau_eff, 1),
        at_most(4 * C_drift * (2 * beta**2 + 1) * eta**2 * L**2, 1),
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
            "eta L sigma^2 A/m a round by (i), times 4",
        ),
        derived(
            "noise drift",
            6 * eta**2 * L**2 * sigma**2 * B_drift,
            "6 = 4 (1/2) 2 (3/2): the drift's 2, Young's 1/2, and 1/(1 - D) <= 3/2",
        ),
        derived(
            "client drift",
            12 * eta**2 * L**2 * kappa**2 * C_drift,
            "12 = 4 (1/2) 4 (3/2): as the noise drift, with the drift's 4",
        ),
    ),
    definitions={
        w_i: p_i,
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * tau_eff * ClientSum(w_i**2 * a2_i / a1_i**2),
        B_drift: ClientSum(w_i * (a2_i - alast_i**2)),
        C_drift: ClientMax(a1_i * (a1_i - alast_i)),
    },
    solvers=solvers_for(
        a1_i, a2_i, alast_i, proximal={B_drift: ClientSum(w_i * walk2_i), C_drift: ClientMax(walk1_i**2)}
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            {tau_eff: tau, A_noise: 1, B_drift: tau - 1, C_drift: tau * (tau - 1), kappa: sigma_g},
            because="homogeneous clients with tau plain SGD steps: A = 1, B = tau - 1, C = tau (tau - 1), "
            "and with beta = 1 the two readings of dissimilarity agree",
        ),
        to(
            "sgd_nonconvex",
            {tau_eff: 1, A_noise: 1, B_drift: 0, C_drift: 0},
            factors={"initial gap": 2, "stochastic noise": 4},
            because="one step a client and equal weights: no client drifts",
        ),
    ),
    limits=(
        keeps(
            {kappa: 0}, "noise drift", "client drift", because="kappa = 0 keeps the drift that noise causes"
        ),
    ),
    remarks=(
        "It bounds the gradient of the surrogate sum_i w_i F_i, and gap is the surrogate's; for the "
        "objective see fednova_nonconvex.",
        "Give w_i for other weights than p_i, and tau_eff for another server step size; tau_eff = sum_i p_i "
        "||a_i||_1 by default, which for plain SGD steps is the paper's sum_i p_i tau_i.",
        "For equal weights and plain SGD steps A is the mean of tau_i times the mean of 1/tau_i, at least 1: "
        "normalising increases the noise, since a client with few steps has its full weight.",
        "With a proximal solver the published B and C are too small, and the bound is false near alpha = 1 "
        "(fednova_proximal_drift among the errata); here they are then those of "
        "fednova_nonconvex_surrogate_sharp, which has smaller constants.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1",
        note="The O(.) form is stated there; the constants are derived above. The solver proximal_momentum "
        "is ours, with the proximal term outside the momentum buffer.",
        letters={"F(x_0) - F_inf": gap, "A": A_noise, "B": B_drift, "C": C_drift, "mu": mu_prox},
    ),
    prose=__doc__,
)
