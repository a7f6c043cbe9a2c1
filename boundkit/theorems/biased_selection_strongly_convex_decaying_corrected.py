r"""FedAvg with biased client selection on strongly convex losses, decaying step size, for any selection rule.

The paper compares the selected clients with all clients at the mean of their local models. That mean depends
on the selection, so the definition of the skew does not give the comparison. Here they are compared at the
model from which the round starts, which does not depend on the selection. The price is about a third of
the noise and of the heterogeneity, and more drift, whatever the skew is.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM as DETERMINISTIC

_SPAN = tau * T + offset

THEOREM = variant(
    DETERMINISTIC,
    "biased_selection_strongly_convex_decaying_corrected",
    title="Biased client selection, decaying step size, for any selection rule",
    assumes=tuple(each for each in DETERMINISTIC.assumptions if each is not DETERMINISTIC_SELECTION),
    steps=(
        at_least(offset, 4 * L / mu),
        at_least(offset, tau - 1),
        at_least(offset, 1 + Rational(13, 25) * rho_bar),
    ),
    terms=(
        DETERMINISTIC.bound.terms["initial gap"],
        derived(
            "stochastic noise",
            25 * L * sigma**2 / (26 * mu**2 * rho_bar * C * m * _SPAN),
            "25/26 = (1/2) (25/13): L/2, and 25/13 because the contraction beyond 1 is 13 rho_bar/25",
        ),
        derived(
            "client drift",
            85 * L * (tau - 1) ** 2 * G**2 / (4 * mu**2 * rho_bar * _SPAN),
            "(25/26) (4 (5/8) + 4 + 4 (35/9)) is 21.2: as the noise, the walk since the round's start by "
            "smoothness, by the losses and by the convexity there",
        ),
        derived(
            "client drift",
            30 * L**2 * Gamma / (13 * mu**2 * _SPAN),
            "30/13 = (25/26) (12/5): as the noise, with (12/5) rho_bar L Gamma, whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(13, 25) * rho_bar)),
            "1 = (1/2) 2: L/2, and the 2 of 2 e Gamma; divided by the whole contraction",
        ),
    ),
    becomes=(
        to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1},
            factors={
                "stochastic noise": Rational(35, 26),
                "heterogeneity": Rational(35, 26),
                "selection bias": (50 + 35 * rho_bar) / (50 + 26 * rho_bar),
            },
            because="at one local step every model is the round's start: 13/25 may be 7/10",
        ),
        not_to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1},
            because="the factors 35/26 are left over",
        ),
    ),
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
        keeps(
            {tau: 1},
            "client drift",
            "heterogeneity",
            because="Gamma acts at every step, not only between two averages",
        ),
    ),
    remarks=(
        "The step of local step t, counted over all rounds from 0, is 1/(mu (t + offset)); the offset is the "
        "larger of 4 L/mu and tau - 1, and every larger one will do.",
        "The proof gives the larger of the initial gap and of noise, drift and heterogeneity together; their "
        "sum is stated, so that each cause has a term.",
        "The proof uses rho_bar at the starts of rounds alone, and rho_tilde at the optimum.",
        "At one local step no bound on gradients is needed, and the constants of "
        "biased_selection_strongly_convex_decaying_sharp are smaller.",
        "Its bias is L Gamma (rho_tilde - rho_bar)/mu over 1 + 13 rho_bar/25, without 1/rho_bar, which is in "
        "the noise only; biased_selection_strongly_convex_decaying_long_steps has none.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); proved here",
        note="Closes the gap in the source's proof by expanding at the round's start.",
    ),
    prose=__doc__,
)
