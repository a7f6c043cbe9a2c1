r"""FedAvg with biased client selection on strongly convex losses, decaying step size, for any selection rule.

The paper compares the selected clients with all clients at the mean of their local models. That mean depends
on the selection, so the definition of the skew does not give the comparison. Here they are compared at the
model from which the round starts, which does not depend on the selection. The price is more drift: that of
clients drawn at random, which grows as $tau - 1$ and does not vanish faster than the noise.
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
        at_least(offset, 1 + Rational(3, 4) * rho_bar),
    ),
    terms=(
        DETERMINISTIC.bound.terms["initial gap"],
        DETERMINISTIC.bound.terms["stochastic noise"],
        derived(
            "client drift",
            L * (13 + 9 * rho_bar) * (tau - 1) * G**2 / (3 * mu**2 * rho_bar * _SPAN),
            "13/3 = (2/3) 4 b and 3 >= (2/3) (3/4) (2 b + b^2): as the noise, the walk since the round's "
            "start, at most b e (tau - 1) G with b = 13/8, along gradients there and at the local models",
        ),
        DETERMINISTIC.bound.terms["heterogeneity"],
        DETERMINISTIC.bound.terms["selection bias"],
    ),
    becomes=(
        to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1},
            because="at one local step every model is the round's start",
        ),
        not_to(
            "biased_selection_strongly_convex_decaying_sharp",
            because="the drift of a random selection grows as tau - 1, that of a deterministic one as tau "
            "(tau - 1) over the offset",
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
        "At one local step no bound on gradients is needed.",
        "Its bias is L Gamma (rho_tilde - rho_bar)/mu over 1 + 3 rho_bar/4, without 1/rho_bar, which is in "
        "the noise and the drift only; biased_selection_strongly_convex_decaying_long_steps has none.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1 (setting); proved here",
        note="Closes the gap in the source's proof by expanding at the round's start.",
    ),
    prose=__doc__,
)
