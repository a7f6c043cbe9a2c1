r"""Deterministic client selection on strongly convex losses, decaying step size, sharper constants.

Where clients average after every gradient, or where the model alone determines the selection, the mean of the
selected clients' models does not depend on a random selection. Then the paper's comparison at that mean is
correct, and its constants can be kept or sharpened: there is no drift at one local step, and the bias is
divided by the whole contraction.
"""

from boundkit.algebra.authoring import *

_SPAN = tau * T + offset

THEOREM = upper(
    "biased_selection_strongly_convex_decaying_sharp",
    title="Deterministic client selection, decaying step size, sharper constants",
    algorithm="fedavg",
    costs="biased_selection",
    bounds=LAST_LOSS_GAP,
    assumes=(
        *STRONGLY_CONVEX_NOISY,
        *SELECTED_CLIENTS,
        DETERMINISTIC_SELECTION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
        DECAYING_STEP,
    ),
    requires=(at_most(mu, L), more_than(rho_bar, 0), at_least(rho_tilde, rho_bar)),
    steps=(
        at_least(offset, 4 * L / mu),
        at_least(offset, tau - 1),
        at_least(offset, 1 + Rational(7, 10) * rho_bar),
    ),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "offset D^2 of the induction, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            5 * L * sigma**2 / (7 * mu**2 * rho_bar * C * m * _SPAN),
            "5/7 = (1/2) (10/7): L/2, and 10/7 because the contraction beyond 1 is 7 rho_bar/10",
        ),
        derived(
            "client drift",
            25 * L * (tau - 1) ** 2 * G**2 / (14 * mu**2 * rho_bar * _SPAN),
            "25/14 = (5/7) (5/8) 4: as the noise, with 5/8 of the deviation 4 e^2 (tau - 1)^2 G^2",
        ),
        derived(
            "client drift",
            12 * L**2 * Gamma / (7 * mu**2 * _SPAN),
            "12/7 = (5/7) (12/5): as the noise, with (12/5) rho_bar L Gamma, whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(7, 10) * rho_bar)),
            "1 = (1/2) 2: L/2, and the 2 of 2 e Gamma; divided by the whole contraction B",
        ),
    ),
    definitions={offset: Max(4 * L / mu, tau - 1)},
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
    ),
    remarks=(
        "The step of local step t, counted over all rounds from 0, is 1/(mu (t + offset)); the offset is the "
        "larger of 4 L/mu and tau - 1, and every larger one will do.",
        "The proof gives the larger of the initial gap and of noise, drift and heterogeneity together; their "
        "sum is stated, so that each cause has a term.",
        "A deterministic rule that selects one client has a least skew of 0 over all of space, where this "
        "bound is infinite: take rho_bar over the models of the run, or "
        "biased_selection_strongly_convex_fixed_sharp.",
        "Its bias is that of the constant step size.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); sharpened here",
        note="The source's comparison where it is complete, with smoothness between the local models and "
        "their mean in place of Young's inequality, and the bias divided by the whole contraction.",
    ),
    prose=__doc__,
)
