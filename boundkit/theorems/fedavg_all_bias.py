r"""FedAvg that divides by the number of all clients: the bias of its limit under unequal availability.

A client that participates twice as often has twice the influence. So the method minimises the surrogate that
weighs client $i$ by $q_i$, and at its minimum the gradient of the objective is not 0: objective
inconsistency. It does not vanish with more rounds, smaller steps or more clients, only with equal weights
$(chi2)$ or homogeneous losses $(kappa)$.

Proof. The participation is independent of the model, so the mean step is $-eta_s eta tau pull grad Ft(x) +
O(eta^2)$, $Ft = sum_i w_i F_i$, and its second moment is $O(eta^2)$ near the minimum $xt$ of $Ft$. $Ft$ is
strongly convex, so that $E||x_T - xt||^2$ tends to $O(eta)$ as $T$ grows, and $grad F(E x_T)$ to $grad F(xt)$
as $eta$ falls. There $grad Ft = 0$, so $grad F = sum_i (p_i - w_i) grad F_i$, and by Cauchy-Schwarz with
weights $w_i$ its square is at most $sum_i (p_i - w_i)^2/w_i$ times $sum_i w_i ||grad F_i||^2 <= kappa^2$.
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
        "above.",
        letters={"N": m, "p_n": q_i, "omega_n": omega_i, "gamma": eta, "eta": eta_s, "I": tau},
    ),
    prose=__doc__,
)
