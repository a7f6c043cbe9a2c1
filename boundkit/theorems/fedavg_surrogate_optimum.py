"""FedAvg with heterogeneous local steps: the gradient of the objective at the minimiser of the surrogate.

For small step sizes and many rounds FedAvg converges to a point where the surrogate $sum_i w_i F_i$ has no
gradient, $w_i = p_i ||a_i||_1/tau_eff$. The gradient of the objective does not vanish there; its square is at
most $chi^2 kappa^2$. This is half of the inconsistency term of FedNova's second theorem, and the constant is
sharp. Equality where $grad F_i$ is proportional to $(p_i - w_i)/w_i$, the relative error of its weight.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_surrogate_optimum",
    title="Objective inconsistency at the minimiser of the surrogate",
    algorithm="fedavg",
    bounds=SURROGATE_STATIONARY_GRADIENT,
    assumes=(SMOOTH, *LINEAR_SOLVERS, SERVER_STEP_ONE),
    terms=(
        derived(
            "objective inconsistency",
            chi2 * kappa**2,
            "Cauchy-Schwarz with the surrogate's weights, where the surrogate's own gradient is 0",
        ),
    ),
    definitions={
        tau_eff: ClientSum(p_i * a1_i),
        chi2: ClientSum(p_i * (tau_eff - a1_i) ** 2 / a1_i) / tau_eff,
    },
    solvers=solvers_for(a1_i),
    remarks=(
        "It is about a point, not about a run: it does not state how fast, or whether, a run converges to "
        "it.",
        "Sharp: quadratics 1/2 ||x - e_i||^2 with e_i = (p_i - w_i)/w_i attain it.",
        "The paper claims a lower bound of the same order, without a constant.",
        "The two theorems belong to a family: ||grad F||^2 <= (1 + s) ||grad Ft||^2 + (1 + 1/s) chi^2 "
        "[(beta^2 - 1) ||grad Ft||^2 + kappa^2] for every s > 0; the second theorem is s = 1, this one the "
        "limit of large s.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 2, at a stationary point of the surrogate",
        note="Not in the source; the proof is here.",
        letters={"mu": mu_prox, "rho": rho_momentum},
    ),
    prose=__doc__,
)
