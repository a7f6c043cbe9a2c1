r"""Momentum inside the local steps: smooth non-convex losses without bounded dissimilarity.

The heterogeneity enters by the gradients at the initial point alone, times $fresh^2$, the squared share of
new gradients in a local step. It is not removed but weighed: the fixed points are those of FedAvg with the
step size $fresh eta$. The third condition bounds how far the model moves from the initial point.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_drift = fresh**2 * eta**2 * L**2 * (tau - 1) ** 2

THEOREM = upper(
    "fedcm_nonconvex",
    title="Momentum in the local steps, non-convex, full participation",
    algorithm="fedcm",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, fresh / ((3 - Rational(9, 5) * fresh) * L * tau)),
        at_most(eta**2 * eta_s * tau * (tau - 1) * fresh * L**2 * T, Rational(1, 2)),
    ),
    terms=(
        derived("initial gap", Rational(201, 100) * gap / (_round * T), "2 by polarisation, and the errors"),
        derived(
            "stochastic noise",
            Rational(11, 10) * fresh * sigma**2 / (m * tau),
            "8/7 s L/2 times 1 + (1 - fresh)/(w (2 - fresh)), and what the noise adds to the drifts",
        ),
        derived("noise drift", Rational(14, 25) * _drift * sigma**2 / tau, "5/9, rounded up"),
        derived(
            "client drift", Rational(9, 20) * _drift * gradients_start**2, "149/500 times 3/2, rounded up"
        ),
    ),
    remarks=(
        "Tuned, fresh falls with T, so that the third condition does not shrink eta with T.",
        "Nothing is proved here under client sampling.",
    ),
    source=CHENG_2024.at(
        "abstract",
        note="Only the abstract was read, which claims convergence without bounded heterogeneity. The bound, "
        "its conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
