"""FedAvg with heterogeneous local steps: it minimises a surrogate, not the objective.

Plain averaging of the models weighs a client by its weight in the objective times the length of its update:
its weight in the surrogate that FedAvg minimises is $w_i = p_i ||a_i||_1/tau_eff$, which for plain SGD steps
is $p_i tau_i$ over the mean number of steps. The distance $chi^2$ of these weights from the $p_i$ adds a term
that no step size and no number of rounds removes: the objective inconsistency, $2 chi^2 kappa^2$. Otherwise
the bound is that of fednova_nonconvex with these weights.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fednova_nonconvex import THEOREM as FEDNOVA

THEOREM = variant(
    FEDNOVA,
    "fedavg_nonconvex_unequal_steps",
    title="FedAvg with heterogeneous local steps, objective inconsistency",
    algorithm="fedavg",
    assumes=(*FEDNOVA.assumptions, SERVER_STEP_ONE),
    definitions={
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * ClientSum(p_i**2 * a2_i) / tau_eff,
        B_drift: ClientSum(p_i * a1_i * (a2_i - alast_i**2)) / tau_eff,
        C_drift: ClientMax(a1_i * (a1_i - alast_i)),
        chi2: ClientSum(p_i * (tau_eff - a1_i) ** 2 / a1_i) / tau_eff,
    },
    solvers=solvers_for(
        a1_i,
        a2_i,
        alast_i,
        proximal={B_drift: ClientSum(p_i * a1_i * walk2_i) / tau_eff, C_drift: ClientMax(walk1_i**2)},
    ),
    becomes=(
        to("fednova_nonconvex", because="it is the same bound; only what A, B and chi^2 are made of differs"),
        to(
            "fedavg_nonconvex",
            {chi2: 0, tau_eff: tau, A_noise: 1, B_drift: tau - 1, C_drift: tau * (tau - 1), kappa: sigma_g},
            factors={
                "initial gap": Rational(101, 100),
                "stochastic noise": Rational(8, 11),
                "noise drift": Rational(10, 9),
                "client drift": Rational(19, 40),
            },
            because="equal steps and weights make chi^2 = 0 and A = 1",
        ),
        not_to(
            "fedavg_nonconvex",
            {tau_eff: tau, A_noise: 1, B_drift: tau - 1, C_drift: tau * (tau - 1), kappa: sigma_g},
            factors={
                "initial gap": Rational(101, 100),
                "stochastic noise": Rational(8, 11),
                "noise drift": Rational(10, 9),
                "client drift": Rational(19, 40),
            },
            because="steps that agree in the mean only leave the objective inconsistency",
        ),
    ),
    limits=(),
    remarks=(
        "Clients with equal ||a_i||_1 are weighted by p_i: chi^2 = 0, whatever the solver.",
        "More local steps for all clients raise chi^2 only through their ratios: it depends on "
        "||a_i||_1/tau_eff alone.",
        "On quadratics 1/2 ||x - e_i||^2 the limit weighs e_i by p_i [1 - (1 - eta)^tau_i], which becomes "
        "p_i tau_i only as eta goes to 0: there is drift in addition to the inconsistency.",
        "It is gap of the surrogate that enters, and (beta, kappa) is measured with the weights w.",
        "With a proximal solver the published B and C are too small (fednova_proximal_drift among the "
        "errata); here they are then those of fednova_nonconvex_surrogate_sharp.",
        "At eta mu_prox = 1 every client keeps its last gradient alone, and chi^2 = 0.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorems 1 and 2 with the weights of plain averaging",
        note=FEDNOVA.source.note,
        letters=FEDNOVA.source.renamed,
    ),
    prose=__doc__,
)
