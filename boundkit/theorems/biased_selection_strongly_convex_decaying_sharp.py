r"""FedAvg with biased client selection on strongly convex losses, decaying step size, for any selection rule.

The paper's bound falls as $1/(T rho_bar)$, so it is vacuous for a small skew. The reason is the step size.
With $eta_t = 1/(mu (t + gamma))$ the decay of the step size uses up the contraction of a strongly convex
loss, and only the contribution of the selection, a multiple of $rho_bar$, remains to reduce the noise. With
twice that step size half of the contraction remains for any selection, and the bound is finite even at
$rho_bar = 0$. The selected clients are compared with all clients at the model from which the round starts,
which does not depend on a random selection, and the drift is that of clients drawn at random.
"""

from boundkit.algebra.authoring import *

_SPAN = tau * T + offset
_LEFT = mu**2 * (1 + Rational(3, 2) * rho_bar) * _SPAN

THEOREM = upper(
    "biased_selection_strongly_convex_decaying_sharp",
    title="Biased client selection, decaying step size, sharper constants",
    algorithm="fedavg",
    costs="biased_selection",
    bounds=LAST_LOSS_GAP,
    assumes=(*STRONGLY_CONVEX_NOISY, *SELECTED_CLIENTS, COMMON_STEPS, SERVER_STEP_ONE, DECAYING_STEP),
    requires=(at_most(mu, L), at_least(rho_tilde, rho_bar)),
    steps=(
        at_least(offset, 8 * L / mu),
        at_least(offset, tau),
        at_least(offset, 2 * (1 + Rational(3, 4) * rho_bar)),
    ),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "offset D^2 of the induction, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            2 * L * sigma**2 / (C * m * _LEFT),
            "2 = (1/2) 4: L/2, and the square of the step 2/(mu s), over 2 (1 + 3 rho_bar/4) - 1",
        ),
        derived(
            "client drift",
            6 * L * (tau - 1) * G**2 / (mu**2 * _SPAN),
            "6 = 2 (2 b): as the noise, with 2 b e (tau - 1) G^2 from the round's start to the local models, "
            "b = 3/2; the skew contracts by as much as its comparison costs",
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
    definitions={offset: Max(8 * L / mu, tau)},
    becomes=(
        to(
            "fedavg_strongly_convex_decaying",
            {rho_bar: 1, rho_tilde: 1},
            factors={
                "stochastic noise": Rational(2, 5) * sigma**2 / (C * m * sigma_mean**2),
                "client drift": Rational(3, 8) / (tau - 1),
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
        "The step of local step t, counted over all rounds from 0, is 2/(mu (t + offset)); the offset is the "
        "larger of 8 L/mu and tau, and every larger one will do.",
        "A larger skew is faster, through 1 + 3 rho_bar/2, which is never below 1: the paper's 1/rho_bar, "
        "and the one in its bias, are artefacts of its step size.",
        "The proof gives the larger of the initial gap and of noise, drift and heterogeneity together; their "
        "sum is stated, so that each cause has a term.",
        "The proof uses rho_bar at the starts of rounds alone, and rho_tilde at the optimum.",
        "At one local step there is no drift, and no bound on gradients is needed.",
        "Its bias is that of the constant step size.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); another step, proved here",
        note="The step of Li et al. (1907.02189), put into the recursion of this setting; closes the gap in "
        "the source's proof by expanding at the round's start, and follows the mean squared distance of the "
        "local models, so that steps along their deviation cost nothing.",
    ),
    prose=__doc__,
)
