r"""FedAvg with biased client selection on strongly convex losses, decaying step size, for any selection rule.

The paper compares the selected clients with all clients at the mean of their local models. That mean depends
on the selection, so the definition of the skew does not give the comparison. Here they are compared at the
model from which the round starts, which does not depend on the selection. The price is a factor of about two.

Proof, with $e = eta_t = 1/(mu (t + gamma)) <= 1/(4 L)$, $gamma$ the offset, $w_k$ the model of client $k$,
$w$ their mean, $w_0$ the model at the round's start, and a step as in
biased_selection_strongly_convex_decaying (i).
(ii) $F_k(w_k) - F_k* >= (1 - e L) (F_k(w_0) - F_k*) - ||w_k - w_0||^2/(2 e)$. The mean of $||w_k - w_0||^2$
and the deviation $V$ are both at most $4 e^2 (tau - 1)^2 G^2$: a round's first step is at most twice its
last, because $tau - 1 <= gamma$, and at most $tau - 1$ steps were taken.
(iii) $w_0$ does not depend on which clients are selected: the mean of $F_k(w_0) - F_k*$ over them is at least
$rho_bar (F(w_0) - F* + Gamma)$ in expectation.
(iv) $F(w_0) - F* >= (mu/2) ||w_0 - x*||^2$, and $||w_0 - x*||^2 >= ||w - x*||^2/2 - ||w - w_0||^2$. The first
part halves $3 rho_bar/8$; the second adds $(3/2) e^3 mu rho_bar (tau - 1)^2 G^2$, and $e mu <= 1/4$. So $D+
<= (1 - e mu B) D + e^2 c + 2 e Gamma (rho_tilde - rho_bar)$, with $B = 1 + 3 rho_bar/16$ and $c = (8 + 3
rho_bar/8) (tau - 1)^2 G^2 + sigma^2/(C m) + 6 rho_bar L Gamma$.
(v) Induction: $D_t <= b + max{gamma D^2, c/(mu^2 (B - 1))}/(t + gamma)$ with $b = 2 Gamma (rho_tilde -
rho_bar)/(mu B)$, since $(s - 1)/s^2 <= 1/(s + 1)$. The maximum is at most the sum; the loss is at most $L/2$
times $D_t$.
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
        at_least(offset, 1 + Rational(3, 16) * rho_bar),
    ),
    terms=(
        DETERMINISTIC.bound.terms["initial gap"],
        derived(
            "stochastic noise",
            8 * L * sigma**2 / (3 * mu**2 * rho_bar * C * m * _SPAN),
            "8/3 = (1/2) (16/3): L/2, and 16/3 because the contraction beyond 1 is 3 rho_bar/16",
        ),
        derived(
            "client drift",
            8 * L * (8 + Rational(3, 8) * rho_bar) * (tau - 1) ** 2 * G**2 / (3 * mu**2 * rho_bar * _SPAN),
            "8 = 2 4: the deviation V and the distance from the round's start, each 4 e^2 (tau - 1)^2 G^2; "
            "3/8 by (iv)",
        ),
        derived(
            "client drift",
            16 * L**2 * Gamma / (mu**2 * _SPAN),
            "16 = (8/3) 6: as the noise, with 6 rho_bar L Gamma, whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            L * Gamma * (rho_tilde - rho_bar) / (mu * (1 + Rational(3, 16) * rho_bar)),
            "1 = (1/2) 2: L/2, and the 2 of 2 e Gamma; divided by the whole contraction B",
        ),
    ),
    becomes=(
        to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1},
            factors={
                "stochastic noise": 2,
                "heterogeneity": 2,
                "selection bias": (16 + 6 * rho_bar) / (16 + 3 * rho_bar),
            },
            because="at one local step w is w_0 and the halving of (iv) is not needed: 3/16 may be 3/8",
        ),
        not_to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1},
            because="the factors 2 of (iv) are left over",
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
        "Its bias is L Gamma (rho_tilde - rho_bar)/mu over 1 + 3 rho_bar/16, without 1/rho_bar, which is in "
        "the noise only; biased_selection_strongly_convex_decaying_long_steps has none.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); proved here",
        note="Closes the gap in the source's proof by expanding at the round's start.",
    ),
    prose=__doc__,
)
