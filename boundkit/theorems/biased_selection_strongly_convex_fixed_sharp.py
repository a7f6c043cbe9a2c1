r"""Deterministic client selection on strongly convex losses, constant step size, sharper constants.

The terms of the paper's bound. The initial error enters by its distance, with the factor $L/2$ alone, and at
one local step there is no drift, so no bound on gradients is needed: noise and heterogeneity remain, in
proportion to the step size, and the selection bias. The drift falls as the square of the step size.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_fixed import THEOREM as PUBLISHED

_B = 1 + Rational(3, 4) * rho_bar
_LEFT = (1 - eta * mu * _B) ** (tau * T)
_BALL = L * (1 - _LEFT) / (2 * mu * _B)

THEOREM = variant(
    PUBLISHED,
    "biased_selection_strongly_convex_fixed_sharp",
    title="Biased client selection, constant step size, sharper constants",
    assumes=(
        *STRONGLY_CONVEX_NOISY,
        *SELECTED_CLIENTS,
        DETERMINISTIC_SELECTION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, 1 / (4 * L)), at_most(eta * mu * _B, 1)),
    terms=(
        derived("initial gap", L * distance**2 * _LEFT / 2, "L/2 from distance to loss"),
        derived(
            "stochastic noise",
            _BALL * eta * sigma**2 / (C * m),
            "the averaged noise of the selected clients; L/2 over the contraction mu (1 + 3 rho_bar/4)",
        ),
        derived(
            "client drift",
            eta**2 * L**2 * (tau - 1) ** 2 * G**2 / (2 * mu),
            "L/2, and L V by smoothness over the contraction mu, V <= eta^2 (tau - 1)^2 G^2; the skew "
            "contracts by more than V adds to the distances of the local models",
        ),
        derived(
            "client drift",
            2 * _BALL * eta * rho_bar * L * Gamma,
            "2 e (1 - e L) is 2 e less 2 L e^2",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            2 * _BALL * Gamma * (rho_tilde - rho_bar),
            "2 from 2 e times the mean excess loss of the selected clients at the optimum",
        ),
    ),
    becomes=(),
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
        keeps(
            {tau: 1, sigma: 0},
            "client drift",
            "stochastic noise",
            "heterogeneity",
            because="Gamma acts at every step: exact gradients and one local step do not remove it",
        ),
    ),
    remarks=("Finite at rho_bar = 0, the least skew of a rule that selects one client by the model alone.",),
    source=CHO_2022.at(
        "Theorem 3.2 (setting); sharpened here",
        note="The recursion of the source's proof where it is complete, solved as it stands.",
    ),
    prose=__doc__,
)
