"""FedNova with local steps that vary over clients and rounds.

FedNova weights clients by $p_i$ whatever their numbers of steps, so every round descends on the same
objective, and rounds differ in their length only. The bound is that of the surrogate with means over
rounds, weighted by the $tau_eff$ of the round.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fednova_nonconvex_varying",
    title="FedNova with local steps that vary over rounds",
    algorithm="fednova",
    bounds=WEIGHTED_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *LINEAR_SOLVERS),
    steps=(
        at_most(2 * eta * L * tau_eff_max, 1),
        at_most(4 * C_drift_max * (2 * beta**2 + 1) * eta**2 * L**2, 1),
        at_most(prox_step, 1),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(101, 50) * gap / (eta * tau_eff_mean * T),
            "101/50 of fednova_nonconvex_surrogate_sharp, over the sum of tau_eff",
        ),
        derived(
            "stochastic noise",
            Rational(16, 11) * eta * L * sigma**2 * A_mean / m,
            "16/11 of fednova_nonconvex_surrogate_sharp, rounds weighted by tau_eff",
        ),
        derived(
            "noise drift",
            Rational(10, 3) * eta**2 * L**2 * sigma**2 * B_mean,
            "10/3 of fednova_nonconvex_surrogate_sharp, rounds weighted by tau_eff",
        ),
        derived(
            "client drift",
            Rational(57, 20) * eta**2 * L**2 * kappa**2 * C_mean,
            "57/20 of fednova_nonconvex_surrogate_sharp, rounds weighted by tau_eff",
        ),
    ),
    definitions={
        tau_eff_mean: RoundMean(tau_eff),
        A_mean: RoundMean(tau_eff * A_noise) / tau_eff_mean,
        B_mean: RoundMean(tau_eff * B_drift) / tau_eff_mean,
        C_mean: RoundMean(tau_eff * C_drift) / tau_eff_mean,
        tau_eff_max: RoundMax(tau_eff),
        C_drift_max: RoundMax(C_drift),
        tau_eff: ClientSum(p_i * a1_i),
        A_noise: m * tau_eff * ClientSum(p_i**2 * a2_i / a1_i**2),
        B_drift: ClientSum(p_i * (a2_i - alast_i**2)),
        C_drift: ClientMax(a1_i * (a1_i - alast_i)),
    },
    solvers=solvers_for(
        a1_i, a2_i, alast_i, proximal={B_drift: ClientSum(p_i * walk2_i), C_drift: ClientMax(walk1_i**2)}
    ),
    becomes=(
        to(
            "fednova_nonconvex_surrogate",
            {tau_eff_mean: tau_eff, A_mean: A_noise, B_mean: B_drift, C_mean: C_drift},
            factors={
                "initial gap": Rational(101, 200),
                "stochastic noise": Rational(4, 11),
                "noise drift": Rational(5, 9),
                "client drift": Rational(19, 80),
            },
            because="all rounds have the same local steps; the constants are the sharper ones",
        ),
        to(
            "fedavg_nonconvex",
            {tau_eff_mean: tau, A_mean: 1, B_mean: tau - 1, C_mean: tau * (tau - 1), kappa: sigma_g},
            factors={
                "initial gap": Rational(101, 200),
                "stochastic noise": Rational(4, 11),
                "noise drift": Rational(5, 9),
                "client drift": Rational(19, 80),
            },
            because="with equal local steps in every round FedNova is FedAvg",
        ),
    ),
    remarks=(
        "Give tau_i one row a round; the rows are repeated over the run, and T is a multiple of their "
        "number.",
        "The weights s_t of the claim are tau_eff of round t; plain means over rounds, as in the paper, "
        "would be another statement.",
        "The conditions hold in every round, so the round with the most local steps restricts the step size.",
        "The local steps of a round must not depend on that round's noise.",
        "Plain averaging with varying local steps has no single surrogate, and no such theorem.",
        "With a proximal solver the published B and C are too small (fednova_proximal_drift among the "
        "errata); here they are then those of fednova_nonconvex_surrogate_sharp.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 3",
        note="O(.) there, with one step for all rounds set to sqrt(m/(mean tau T)) and plain means over "
        "rounds; the explicit form is derived here.",
        letters={"F(x_0) - F_inf": gap, "A": A_mean, "B": B_mean, "C": C_mean, "mu": mu_prox},
    ),
    prose=__doc__,
)
