r"""Momentum inside the local steps: smooth non-convex losses without bounded dissimilarity.

The heterogeneity enters by the gradients at the initial point alone, times $fresh^2$, the squared share of
new gradients in a local step. It is not removed but weighed: the fixed points are those of FedAvg with the
step size $fresh eta$.

Proof. $E_t = E||G_{t+1} - grad F(x_t)||^2$, $b = eta L (tau - 1) <= 1/8$, $s = eta_s eta tau$, $w = fresh$.
(i) The drift of a round with the direction $w g_i + (1 - w) G$: error at most $5/8 b^2 (w^2 Gamma_t +
||G_t||^2 + w^2 sigma^2/tau)$ with $Gamma_t = mean_i ||grad F_i(x_t)||^2$, variance at most $8/7 sigma^2/(m
tau)$.
(ii) $E_t <= (1 - w) E_{t-1} + 1/w (2 L^2 s^2 ||G_t||^2 + 2 w^2 e_t^2) + w^2 V$ for that error $e_t$ and
variance $V$.
(iii) $F(x_{t+1}) - F(x_t) <= -s/2 ||grad F(x_t)||^2 - s/2 (1 - s L) ||G_{t+1}||^2 + s/2 E_t$.
(iv) $Gamma_t <= 2 G_0^2 + 2 L^2 ||x_t - x_0||^2$, and the distance is at most $s$ times the sum of the
$||G_j||$.
(v) Under the three conditions the weight of $sum ||G||^2$ stays below $2/3 <= 1 - s L$.
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
        at_most(eta_s * eta, fresh / (3 * L * tau)),
        at_most(eta**2 * eta_s * tau * (tau - 1) * fresh * L**2 * T, Rational(1, 2)),
    ),
    terms=(
        derived(
            "initial gap", Rational(8, 3) * gap / (_round * T), "2, and 2/3 for the start of the average G"
        ),
        derived("stochastic noise", Rational(8, 7) * fresh * sigma**2 / (m * tau), "the variance of a round"),
        derived("noise drift", Rational(5, 4) * _drift * sigma**2 / tau, "twice 5/8, by (i)"),
        derived("client drift", Rational(5, 2) * _drift * gradients_start**2, "twice 5/8 times 2, by (iv)"),
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
