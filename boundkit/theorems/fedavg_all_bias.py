"""FedAvg that divides by the number of all clients: the bias of its limit under unequal availability.

A client that participates twice as often has twice the influence. So the method minimises the surrogate that
weighs client $i$ by $q_i$, and at its minimum the gradient of the objective is not 0: objective
inconsistency. It does not vanish with more rounds, smaller steps or more clients, only with equal weights
$(chi2)$ or homogeneous losses $(kappa)$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_all_bias",
    title="FedAvg with division by all clients, asymptotic bias",
    algorithm="fedavg",
    costs="fedavg_all",
    bounds=LIMIT_SQUARED_GRADIENT,
    assumes=(
        *STRONGLY_CONVEX_NOISY,
        BETA_KAPPA_DISSIMILARITY,
        WEIGHTED_OBJECTIVE,
        BERNOULLI_AVAILABILITY,
        AVERAGE_OVER_ALL,
        COMMON_STEPS,
    ),
    terms=(
        derived(
            "objective inconsistency",
            chi2 * kappa**2,
            "Cauchy-Schwarz with the weights w_i where the surrogate is at its minimum, and no factor 2; "
            "equal where grad F_i is there in proportion to (p_i - w_i)/w_i",
        ),
    ),
    definitions={w_i: q_i / ClientSum(q_i), chi2: ClientSum((p_i - w_i) ** 2 / w_i)},
    remarks=(
        "Exact for quadratics with tau = 1 at every stable step size; with more local steps and "
        "heterogeneous Hessians the drift adds O(eta (tau - 1)), which vanishes in the limit.",
        "How fast the limit is approached: fedavg_nonconvex_all; dividing by all clients slows a round by "
        "the factor pull.",
        "With two clients, q = (0.9, 0.3) and minima at 0 and 100 (one Hessian) it converges to 25, and not "
        "at 50.",
    ),
    source=WANG_2024.at(
        "Theorem 1",
        note="The case omega_n = 1; that it minimises the surrogate is stated there, the bound is proved "
        "here.",
        letters={"N": m, "p_n": q_i, "omega_n": omega_i, "gamma": eta, "eta": eta_s, "I": tau},
    ),
    prose=__doc__,
)
