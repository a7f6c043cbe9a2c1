r"""What FedAvg with unequal steps is left with: the gradient of the objective where the surrogate has none.

Small steps, many rounds: FedAvg comes to rest where the surrogate sum_i w_i F_i has no gradient,
w_i = p_i ||a_i||_1/tau_eff. The objective still has one there, and its square is at most chi^2 kappa^2. This
is half of what FedNova's second theorem leaves, and no constant can be taken off: clients whose gradients
are as their weights are wrong attain it.

Proof. grad Ft = 0 makes grad F = sum_i (p_i - w_i) grad F_i. Cauchy-Schwarz with weights w_i, and
sum_i w_i ||grad F_i||^2 <= beta^2 ||grad Ft||^2 + kappa^2 = kappa^2. Equality where grad F_i is
proportional to (p_i - w_i)/w_i.
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
        "It speaks of a point, not of a run: nothing in it says how, or whether, a run gets there.",
        "Sharp: quadratics 1/2 ||x - e_i||^2 with e_i = (p_i - w_i)/w_i attain it, and of 3000 random "
        "instances the worst came to 1.000 of it.",
        "The paper claims a lower bound of the same order, without a constant.",
        "Between the two theorems lies a family: ||grad F||^2 <= (1 + s) ||grad Ft||^2 + (1 + 1/s) chi^2 "
        "[(beta^2 - 1) ||grad Ft||^2 + kappa^2] for every s > 0; the second theorem is s = 1, this one the "
        "limit of large s.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 2, at a stationary point of the surrogate",
        note="Not in the source; the proof is above.",
        letters={"mu": mu_prox, "rho": rho_momentum},
    ),
    prose=__doc__,
)
