r"""Deterministic client selection on strongly convex losses, decaying step size, sharper constants.

Where clients average after every gradient, or where the model alone determines the selection, the mean of the
selected clients' models does not depend on a random selection. Then the paper's comparison at that mean is
correct, and its constants can be kept or sharpened: there is no drift at one local step, and the bias is
divided by the whole contraction.

Proof. Steps (i) to (iv) of biased_selection_strongly_convex_decaying, with $e = 1/(mu (t + gamma))$ and
$gamma$, the offset, at least $4 L/mu$ and $tau - 1$, so that a round's first step is at most twice its last.
(iii) holds: given the round's start, the selection is fixed, or $w$ is the round's start.
(iv) The deviation $V$ is at most the mean of $||w_k - w_0||^2$ (a variance is at most a second moment), hence
at most $4 e^2 (tau - 1)^2 G^2$, and it enters twice: $D+ <= (1 - e mu B) D + e^2 c + 2 e Gamma (rho_tilde -
rho_bar)$ with $B = 1 + 3 rho_bar/8$ and $c = 8 (tau - 1)^2 G^2 + sigma^2/(C m) + 6 rho_bar L Gamma$.
(v) Induction: $D_t <= b + max{gamma D^2, c/(mu^2 (B - 1))}/(t + gamma)$ with $b = 2 Gamma (rho_tilde -
rho_bar)/(mu B)$, since $(s - 1)/s^2 <= 1/(s + 1)$. The maximum is at most the sum; the loss is at most $L/2$
times $D_t$.
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
        at_least(offset, 1 + Rational(3, 8) * rho_bar),
    ),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "offset D^2 of the induction, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            4 * L * sigma**2 / (3 * mu**2 * rho_bar * C * m * _SPAN),
            "4/3 = (1/2) (8/3): L/2, and 8/3 because the contraction beyond 1 is 3 rho_bar/8",
        ),
        derived(
            "client drift",
            32 * L * (tau - 1) ** 2 * G**2 / (3 * mu**2 * rho_bar * _SPAN),
            "32/3 = (4/3) 8: as the noise, with the deviation 4 e^2 (tau - 1)^2 G^2, twice",
        ),
        derived(
            "client drift",
            8 * L**2 * Gamma / (mu**2 * _SPAN),
            "8 = (4/3) 6: as the noise, with 6 rho_bar L Gamma, whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(3, 8) * rho_bar)),
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
        note="The source's proof where it is complete, with tau - 1 for tau, a variance bounded by a second "
        "moment, and the bias divided by the whole contraction.",
    ),
    prose=__doc__,
)
