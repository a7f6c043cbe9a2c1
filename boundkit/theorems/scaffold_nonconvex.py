r"""SCAFFOLD on smooth non-convex losses, full participation: no heterogeneity in the limit.

Each client knows, from its last round, its own mean gradient and that of all clients, and adds the difference
to every local step. Between two aggregations the local models then move together, as far as these controls
are up to date. The dissimilarity does not occur in this bound. It enters once, through the error of the
initial controls (start-up), which falls as $1/T$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "scaffold_nonconvex",
    title="SCAFFOLD, non-convex, full participation",
    algorithm="scaffold",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS, LOCAL_GRADIENT_CONTROLS),
    steps=(at_most(eta, 1 / (5 * L * tau)), at_most(eta_s * eta, Rational(11, 20) / (L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(21, 10) * gap / (eta_s * eta * tau * T),
            "2, the weight of the descent, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(23, 10) * eta_s * eta * L * sigma**2 / m,
            "(5/4) for the direction and the age of the controls; the rest is slack",
        ),
        derived(
            "noise drift",
            17 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "by noise in the local steps and in old controls; most of it is slack",
        ),
        derived(
            "start-up",
            8 * eta**2 * L**2 * tau * (tau - 1) * control_error**2 / T,
            "2, the weight of the first controls; the rest is slack",
        ),
    ),
    becomes=(
        to(
            "sgd_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"initial gap": Rational(21, 20), "stochastic noise": Rational(23, 10)},
            because="with one local step the controls cancel, and SCAFFOLD is minibatch SGD",
        ),
        not_to(
            "fedavg_nonconvex",
            {eta_s: 1, control_error: 0},
            factors={
                "initial gap": Rational(21, 40),
                "stochastic noise": Rational(23, 40),
                "noise drift": Rational(17, 6),
            },
            because="FedAvg's client drift has no counterpart here, whatever sigma_g is",
        ),
    ),
    limits=(
        keeps(
            {control_error: 0},
            "start-up",
            "noise drift",
            because="exact initial controls do not remove the drift by noise",
        ),
    ),
    remarks=(
        "The square of control_error is the mean of ||grad F_i(x_0) - c_i||^2 over the initial controls; "
        "with c_i = 0 it is the mean of ||grad F_i(x_0)||^2, which includes the heterogeneity.",
        "The drift by noise is 17 against FedAvg's 6: controls are noisy, and one round old.",
        "On quadratics the fixed point is the optimum at any step size, even with unequal numbers of local "
        "steps.",
        "With the control of option I, one gradient at the round's start, the proof does not apply.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, non-convex, at full participation",
        note="O(.) there, with steps of at most 1/(24 K eta_g L); the constants are derived above, for "
        "option II.",
        letters={"K": tau, "R": T, "N": m, "eta_l": eta, "eta_g": eta_s, "F": gap},
    ),
    prose=__doc__,
)
