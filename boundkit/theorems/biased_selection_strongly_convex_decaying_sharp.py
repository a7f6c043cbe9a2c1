r"""Deterministic client selection on strongly convex losses, decaying step size, sharper constants.

Where clients average after every gradient, or where the model alone determines the selection, the mean of the
selected clients' models does not depend on a random selection. Then the paper's comparison at that mean is
correct, and its constants can be kept or sharpened: there is no drift at one local step, and less the smaller
the first step is; the bias is divided by the whole contraction.
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
        at_least(offset, 1 + Rational(3, 4) * rho_bar),
    ),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "offset D^2 of the induction, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            2 * L * sigma**2 / (3 * mu**2 * rho_bar * C * m * _SPAN),
            "2/3 = (1/2) (4/3): L/2, and 4/3 because the contraction beyond 1 is 3 rho_bar/4",
        ),
        derived(
            "client drift",
            2 * L**2 * tau * (tau - 1) * G**2 / (mu**3 * rho_bar * offset * _SPAN),
            "2 = (2/3) 3: as the noise, with e L (b^2 (tau - 1)^2 + 2 b (tau - 1)), where e <= 1/(mu offset) "
            "and the steps of a round so far are on average at most b = 13/8 times the present one",
        ),
        derived(
            "client drift",
            4 * L**2 * Gamma / (3 * mu**2 * _SPAN),
            "4/3 = (2/3) 2: as the noise, with 2 rho_bar L Gamma, whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(3, 4) * rho_bar)),
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
        "their mean in place of Young's inequality, gradients bounded by the losses at the local models, and "
        "the bias divided by the whole contraction.",
    ),
    prose=__doc__,
)
