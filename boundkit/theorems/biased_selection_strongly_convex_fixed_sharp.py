r"""Deterministic client selection on strongly convex losses, constant step size, sharper constants.

The terms of the paper's bound. The initial error enters by its distance, with the factor $L/2$ alone, and at
one local step there is no drift, so no bound on gradients is needed: noise and heterogeneity remain, in
proportion to the step size, and the selection bias.

Proof. Steps (i) to (iii) of biased_selection_strongly_convex_decaying at a fixed step $eta <= 1/(4 L)$, where
the selection is determined by the round's start, or $tau = 1$. The deviation $V$ of the local models is at
most the mean of $||w_k - w_0||^2$, hence at most $eta^2 (tau - 1)^2 G^2$, and enters twice: $D+ <= (1 - eta
mu B) D + eta q$, with $B = 1 + 3 rho_bar/8$ and $q = eta (2 (tau - 1)^2 G^2 + sigma^2/(C m) + 6 rho_bar L
Gamma) + 2 Gamma (rho_tilde - rho_bar)$. Over $tau T$ local steps $D <= (1 - eta mu B)^(tau T) (D_0 - q/(mu
B)) + q/(mu B)$, and the loss is at most $L/2$ times $D$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_fixed import THEOREM as PUBLISHED

_B = 1 + Rational(3, 8) * rho_bar
_LEFT = (1 - eta * mu * _B) ** (tau * T)
_BALL = L * (1 - _LEFT) / (2 * mu * _B)

_PUBLISHED = PUBLISHED.bound.terms

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
        _PUBLISHED["stochastic noise"],
        derived(
            "client drift",
            2 * _BALL * eta * (tau - 1) ** 2 * G**2,
            "2: the deviation V enters twice, and is at most eta^2 (tau - 1)^2 G^2",
        ),
        _PUBLISHED["heterogeneity"],
        _PUBLISHED["selection bias"],
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
