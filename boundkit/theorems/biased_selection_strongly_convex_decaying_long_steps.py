r"""FedAvg with biased client selection on strongly convex losses: twice the step size, no factor 1/rho_bar.

The paper's bound falls as $1/(T rho_bar)$, so it is vacuous for a small skew. The reason is the step size.
With $eta_t = 1/(mu (t + gamma))$ the decay of the step size uses up the contraction of a strongly convex
loss, and only the contribution of the selection, a multiple of $rho_bar$, remains to reduce the noise. With
twice that step size half of the contraction remains for any selection, and the bound is finite even at
$rho_bar = 0$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM as SINGLE

_SPAN = tau * T + offset
_LEFT = mu**2 * (1 + Rational(3, 2) * rho_bar) * _SPAN

THEOREM = variant(
    SINGLE,
    "biased_selection_strongly_convex_decaying_long_steps",
    title="Biased client selection, decaying step size doubled",
    requires=(at_most(mu, L), at_least(rho_tilde, rho_bar)),
    steps=(
        at_least(offset, 8 * L / mu),
        at_least(offset, tau - 1),
        at_least(offset, 2 * (1 + Rational(3, 4) * rho_bar)),
    ),
    terms=(
        SINGLE.bound.terms["initial gap"],
        derived(
            "stochastic noise",
            2 * L * sigma**2 / (C * m * _LEFT),
            "2 = (1/2) 4: L/2, and the square of the doubled step, over 2 (1 + 3 rho_bar/4) - 1",
        ),
        derived(
            "client drift",
            13 * L * (1 + rho_bar) * (tau - 1) * G**2 / _LEFT,
            "13 = 2 (4 b) >= 2 (3/4) (2 b + 2 b^2): the walk since the round's start, at most b e (tau - 1) "
            "G with b = 13/8, along gradients there and at the local models",
        ),
        derived(
            "client drift",
            4 * rho_bar * L**2 * Gamma / _LEFT,
            "4 = 2 2: as the noise, with 2 rho_bar L Gamma",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(3, 4) * rho_bar)),
            "1 = (1/2) 2: L/2, and the 2 of 2 e Gamma; divided by the whole contraction",
        ),
    ),
    definitions={offset: Max(8 * L / mu, tau - 1)},
    becomes=(
        to(
            "fedavg_strongly_convex_decaying",
            {rho_bar: 1, rho_tilde: 1},
            factors={
                "stochastic noise": Rational(2, 5) * sigma**2 / (C * m * sigma_mean**2),
                "client drift": Rational(13, 20) / (tau - 1),
                "heterogeneity": Rational(2, 15),
            },
            because="unbiased selection with the step size of that theorem: the skew adds its 3/2 to the "
            "contraction, and the sampling variance is in the noise of C m clients and in the drift",
        ),
        not_to(
            "fedavg_strongly_convex_decaying_replacement",
            {rho_bar: 1, rho_tilde: 1},
            because="that theorem has a term for the sampling, where this one includes it in the "
            "heterogeneity and the drift",
        ),
        not_to(
            "biased_selection_strongly_convex_decaying_corrected",
            because="the step sizes differ, and with them every factor 1/rho_bar",
        ),
    ),
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
    ),
    remarks=(
        "The step of local step t, counted over all rounds from 0, is 2/(mu (t + offset)); the offset is the "
        "larger of 8 L/mu and tau - 1, and every larger one will do.",
        "A larger skew is faster here too, through 1 + 3 rho_bar/2, which is never below 1: the paper's "
        "1/rho_bar, and the one in its bias, are artefacts of the step size.",
        "The proof gives the larger of the initial gap and of noise, drift and heterogeneity together; their "
        "sum is stated, so that each cause has a term.",
        "The doubled step size doubles the offset, and with it the initial gap term.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); another step, proved here",
        note="The step of Li et al. (1907.02189), put into the recursion of this setting.",
    ),
    prose=__doc__,
)
