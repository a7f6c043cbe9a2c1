"""FedAvg with biased client selection on strongly convex losses, constant step size: the paper's bound.

The initial gap falls geometrically, slightly faster for a larger skew $rho_bar$. Noise, drift and
heterogeneity remain, each proportional to the step size, and the selection bias, which no step size reduces.
"""

from boundkit.algebra.authoring import *

_B = 1 + Rational(3, 8) * rho_bar
_LEFT = (1 - eta * mu * _B) ** (tau * T)
_BALL = L * (1 - _LEFT) / (2 * mu * _B)

THEOREM = upper(
    "biased_selection_strongly_convex_fixed",
    title="Biased client selection, constant step size, as published",
    algorithm="fedavg",
    costs="biased_selection",
    bounds=LAST_LOSS_GAP,
    assumes=(*STRONGLY_CONVEX_NOISY, *SELECTED_CLIENTS, COMMON_STEPS, SERVER_STEP_ONE),
    requires=(at_most(mu, L), at_least(rho_tilde, rho_bar)),
    steps=(at_most(eta, 1 / (2 * mu * _B)), at_most(eta, 1 / (4 * L))),
    terms=(
        derived(
            "initial gap",
            L * gap * _LEFT / mu,
            "L/2 from distance to loss, and 2/mu back from the first loss to the first distance",
        ),
        derived(
            "stochastic noise",
            _BALL * eta * sigma**2 / (C * m),
            "the averaged noise of the selected clients; L/2 over the contraction mu B",
        ),
        derived(
            "client drift",
            32 * _BALL * eta * tau**2 * G**2,
            "32 = 2 16: the deviation V enters twice, and is at most 16 eta^2 tau^2 G^2 in the source",
        ),
        derived(
            "client drift",
            6 * _BALL * eta * rho_bar * L * Gamma,
            "6 = 2 3: 2 e (1 - 2 e L) (1 - e L) is at least 2 e - 2 (3 L e^2)",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            2 * _BALL * Gamma * (rho_tilde - rho_bar),
            "2 from 2 e times the mean excess loss of the selected clients at the optimum",
        ),
    ),
    becomes=(
        to(
            "biased_selection_strongly_convex_fixed_sharp",
            {tau: 1, T: 1},
            factors={
                "initial gap": 2
                * gap
                * (1 - eta * mu * _B)
                / (mu * distance**2 * (1 - eta * mu * (1 + Rational(3, 4) * rho_bar))),
                "heterogeneity": 3,
            },
            leaves=("client drift",),
            because="after one step the initial error enters by its loss, and contracts less; 32 tau^2 G^2 "
            "does not vanish",
        ),
        not_to(
            "biased_selection_strongly_convex_fixed_sharp",
            {tau: 1},
            because="the initial loss replaces the distance, 32 tau^2 G^2 does not vanish, and each step "
            "contracts by less",
        ),
    ),
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
        keeps(
            {tau: 1}, "client drift", because="32 tau^2 G^2 bounds a deviation that is 0 at one local step"
        ),
    ),
    remarks=(
        "The source counts local steps; its T is tau T here, and q is split by cause. Its form is (L/mu) (1 "
        "- eta mu B)^(tau T) (F(x_0) - F* - 4 q/(8 + 3 rho_bar)) + 4 L q/(mu (8 + 3 rho_bar)).",
        "For eta to 0 and T to infinity 8 L Gamma (rho_tilde - rho_bar)/(mu (8 + 3 rho_bar)) remains; it is "
        "finite at rho_bar = 0, unlike the bias of the decaying step size.",
        "1/(2 mu B) is implied by 1/(4 L) where rho_bar <= L/mu, which the least skew over all of space "
        "obeys.",
    ),
    source=CHO_2022.at(
        "Theorem 3.2", note="Read in a paper that extends it; the constants are those of the proof here."
    ),
    prose=__doc__,
)
