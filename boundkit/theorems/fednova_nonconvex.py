"""FedNova's second theorem: the gradient of the objective, for server weights that differ from its weights.

A minimiser of the surrogate $sum_i w_i F_i$ is not one of $sum_i p_i F_i$. The distance of the weights is
$chi^2 = sum_i (p_i - w_i)^2/w_i$. It has two effects. The error of the surrogate is multiplied by $2 [chi^2
(beta^2 - 1) + 1]$; and a term remains that no step size and no number of rounds removes, $2 chi^2 kappa^2$:
the objective inconsistency.

FedNova has the weights $w_i = p_i$. Then $chi^2 = 0$, that term vanishes, and twice the bound on the
surrogate remains. For plain averaging with heterogeneous local steps see fedavg_nonconvex_unequal_steps.
"""

from boundkit.algebra.authoring import *

_inflation = chi2 * (beta**2 - 1) + 1

THEOREM = upper(
    "fednova_nonconvex",
    title="FedNova, gradient of the objective",
    algorithm="fednova",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *LINEAR_SOLVERS),
    steps=(
        at_most(2 * eta * L * tau_eff, 1),
        at_most(4 * C_drift * (2 * beta**2 + 1) * eta**2 * L**2, 1),
        at_most(prox_step, 1),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(101, 25) * gap * _inflation / (eta * tau_eff * T),
            "101/25 = 2 (101/50): the 101/50 of fednova_nonconvex_surrogate_sharp, inflated by 2 [chi^2 "
            "(beta^2 - 1) + 1]",
        ),
        derived(
            "stochastic noise",
            Rational(32, 11) * eta * L * sigma**2 * A_noise * _inflation / m,
            "32/11 = 2 (16/11): the 16/11 of fednova_nonconvex_surrogate_sharp, inflated likewise",
        ),
        derived(
            "noise drift",
            Rational(20, 3) * eta**2 * L**2 * sigma**2 * B_drift * _inflation,
            "20/3 = 2 (10/3): the 10/3 of fednova_nonconvex_surrogate_sharp, inflated likewise",
        ),
        derived(
            "client drift",
            Rational(57, 10) * eta**2 * L**2 * kappa**2 * C_drift * _inflation,
            "57/10 = 2 (57/20): the 57/20 of fednova_nonconvex_surrogate_sharp, inflated likewise",
        ),
        stated(
            "objective inconsistency",
            2 * chi2 * kappa**2,
            "Cauchy-Schwarz between the two weights gives chi^2 kappa^2, the square of a sum the 2",
        ),
    ),
    definitions={
        w_i: p_i,
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * tau_eff * ClientSum(w_i**2 * a2_i / a1_i**2),
        B_drift: ClientSum(w_i * (a2_i - alast_i**2)),
        C_drift: ClientMax(a1_i * (a1_i - alast_i)),
        chi2: ClientSum((p_i - w_i) ** 2 / w_i),
    },
    solvers=solvers_for(
        a1_i, a2_i, alast_i, proximal={B_drift: ClientSum(w_i * walk2_i), C_drift: ClientMax(walk1_i**2)}
    ),
    becomes=(
        to(
            "fednova_nonconvex_surrogate",
            {chi2: 0},
            factors={
                "initial gap": Rational(101, 100),
                "stochastic noise": Rational(8, 11),
                "noise drift": Rational(10, 9),
                "client drift": Rational(19, 40),
            },
            because="with w = p surrogate and objective agree; the factors are 2, from splitting a sum of "
            "which one part is 0, times those of the sharper constants",
        ),
        not_to(
            "fednova_nonconvex_surrogate",
            {chi2: 0},
            because="the proof doubles the bound also where the weights agree",
        ),
        to(
            "fedavg_nonconvex",
            {chi2: 0, tau_eff: tau, A_noise: 1, B_drift: tau - 1, C_drift: tau * (tau - 1), kappa: sigma_g},
            factors={
                "initial gap": Rational(101, 100),
                "stochastic noise": Rational(8, 11),
                "noise drift": Rational(10, 9),
                "client drift": Rational(19, 40),
            },
            because="with equal local steps FedNova is FedAvg",
        ),
    ),
    limits=(
        keeps(
            {C_drift: 0, B_drift: 0},
            "noise drift",
            "client drift",
            "objective inconsistency",
            because="wrong weights remain wrong without drift",
        ),
    ),
    remarks=(
        "For w = p, FedNova's own weights, fednova_nonconvex_surrogate_sharp has the same bound without the "
        "factor 2.",
        "FedNova removes the objective inconsistency, not the client drift: on quadratics its fixed point is "
        "the optimum only as eta goes to 0.",
        "The factor 2 of the inconsistency is not needed at the minimiser: see fedavg_surrogate_optimum.",
        "It is gap of the surrogate that enters, and (beta, kappa) is measured with the weights w.",
        "Give w_i for other weights than p_i, and tau_eff for another server step size.",
        "Weights given as a_i are taken to be those of a solver without a proximal term; otherwise name the "
        "solver.",
        "With a proximal solver the published B and C are too small (fednova_proximal_drift among the "
        "errata); here they are then those of fednova_nonconvex_surrogate_sharp.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 2",
        note="The factors 2 [chi^2 (beta^2 - 1) + 1] and 2 chi^2 kappa^2 are stated; the constants inside "
        "are those of fednova_nonconvex_surrogate_sharp, derived there.",
        letters={"F(x_0) - F_inf": gap, "A": A_noise, "B": B_drift, "C": C_drift, "mu": mu_prox},
    ),
    prose=__doc__,
)
