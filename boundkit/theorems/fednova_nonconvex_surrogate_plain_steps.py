"""FedNova's first theorem for plain local SGD steps: the smallest constants.

The terms, step sizes and the measures $B''$ and $C''$ of the largest local drift are those of
fednova_nonconvex_surrogate_sharp, for clients that take $tau_i$ SGD steps of one size. With the weights
$w_i = p_i$ the surrogate is the objective.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fednova_nonconvex_surrogate_plain_steps",
    title="FedNova, gradient of the surrogate, plain local steps",
    algorithm="fednova",
    bounds=SURROGATE_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *LINEAR_SOLVERS, PLAIN_LOCAL_STEPS),
    steps=(
        at_most(2 * eta * L * tau_eff, 1),
        at_most(4 * C_walk * (2 * beta**2 + 1) * eta**2 * L**2, 1),
    ),
    terms=(
        derived("initial gap", Rational(44, 25) * gap / (eta * tau_eff * T), "160/91 by (iv), rounded up"),
        derived(
            "stochastic noise",
            Rational(5, 4) * eta * L * sigma**2 * A_noise / m,
            "(12/17) (160/91) by (ii), rounded up",
        ),
        derived(
            "noise drift",
            Rational(21, 25) * eta**2 * L**2 * sigma**2 * B_walk,
            "(2/3) (5/7) (160/91) by (i) and (iii), rounded up",
        ),
        derived(
            "client drift",
            Rational(11, 25) * eta**2 * L**2 * kappa**2 * C_walk,
            "(2/3) (3/8) (160/91) by (i) and (iii), rounded up",
        ),
    ),
    definitions={
        w_i: p_i,
        tau_eff: ClientSum(p_i * tau_i),
        A_noise: m * tau_eff * ClientSum(w_i**2 / tau_i),
        B_walk: ClientSum(w_i * (tau_i - 1)),
        C_walk: ClientMax((tau_i - 1) ** 2),
    },
    solvers={"sgd": {}},
    becomes=(
        to(
            "fednova_nonconvex_surrogate_sharp",
            factors={
                "initial gap": Rational(88, 101),
                "stochastic noise": Rational(55, 64),
                "noise drift": Rational(63, 250),
                "client drift": Rational(44, 285),
            },
            because="plain steps in place of any linear solver",
        ),
        to(
            "fedavg_nonconvex_sharp",
            {tau_eff: tau, A_noise: 1, B_walk: tau - 1, C_walk: tau * (tau - 1), kappa: sigma_g, beta: 1},
            factors={
                "initial gap": Rational(88, 75),
                "stochastic noise": Rational(125, 106),
                "noise drift": Rational(20, 21),
                "client drift": Rational(44, 49),
            },
            because="equal clients with equal numbers of steps; beta has its price",
        ),
    ),
    remarks=(
        "It bounds the gradient of the surrogate sum_i w_i F_i, and gap is the surrogate's.",
        "The part that remains does not depend on the length of a round, so that rounds may be added.",
    ),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1, for plain local steps",
        note="The O(.) form is stated there; the proof and its constants are ours.",
        letters={"F(x_0) - F_inf": gap, "A": A_noise},
    ),
    prose=__doc__,
)
