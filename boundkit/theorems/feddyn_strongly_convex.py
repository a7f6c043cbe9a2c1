r"""FedDyn with exact minimisers and all clients is Douglas-Rachford: $sqrt(L/mu)$ rounds at the best weight.

The optimum is a fixed point at every weight of the proximal term, for heterogeneous clients too. The weight
decides the rate only: a small one lets clients go to their own minimisers, a large one keeps them near the
start.

Proof. Let $a = mu_prox$, $G_i = grad F_i(y_i)$ after a solve, $w_i = y_i + G_i/a$ and $R_i(w_i) = y_i -
G_i/a$. The next server's model is $x+ = J R(w)$, with $J$ the average over clients, and the next solve has
$y_i+ + grad F_i(y_i+)/a = x+ + G_i/a$. As $G/a = (w - R(w))/2$, that is $w+ = w/2 + (2 J - 1) R(w)/2$.

(i) The fixed point is $y_i = x*$, $w_i* = x* + grad F_i(x*)/a$, whatever $a$ is, and $J R(w*) = x*$.

(ii) $2 J - 1$ is an isometry. So a round shrinks $||w - w*||$ by $(1 + r)/2$, with $r$ the Lipschitz
constant of $R$, and $||x - x*||^2 <= r^2 ||w - w*||^2/m$.

(iii) Let $t, b$ be differences of $y_i$ and $G_i/a$, $l = L/a$ and $n = mu/a$. Then $(l + n) <t, b> >=
||b||^2 + l n ||t||^2$, $<t, b> >= ||b||^2/l$ and $<t, b> >= n ||t||^2$. The first with weight $(l + n)/(n +
n l^2)$ and the second with the rest give $<t, b> >= (||t||^2 + ||b||^2) l/(1 + l^2)$ if $l n >= 1$; the
first and the third give it with $n$ in place of $l$ if $l n <= 1$. That is $||t - b|| <= r ||t + b||$ with
$r = max((l - 1)/(l + 1), (1 - n)/(1 + n))$.

(iv) The first solve from $G_i = 0$ has $w_i = x_0$, so that the mean of $||w_i - w_i*||^2$ is $D^2 +
sigma_*^2/a^2$, with $sigma_*$ the root mean square of $grad F_i(x*)$; $T - 1$ rounds follow.
"""

from boundkit.algebra.authoring import *

_lipschitz = Max((L - mu_prox) / (L + mu_prox), (mu_prox - mu) / (mu_prox + mu))
_kept = _lipschitz**2 * ((1 + _lipschitz) / 2) ** (2 * (T - 1))

THEOREM = upper(
    "feddyn_strongly_convex",
    title="FedDyn with exact minimisers, strongly convex",
    algorithm="feddyn",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(SMOOTH, STRONGLY_CONVEX, EXACT_MINIMISERS, EQUAL_WEIGHTS, FULL_PARTICIPATION),
    requires=(at_most(mu, L),),
    terms=(
        derived("initial gap", _kept * distance**2, "a round of Douglas-Rachford, after the first solve"),
        derived(
            "start-up",
            _kept * control_error_star**2 / mu_prox**2,
            "the first G_i are not the gradients at the optimum",
        ),
    ),
    remarks=(
        "At mu_prox = sqrt(L mu) a round shrinks the distance by sqrt(L/mu)/(sqrt(L/mu) + 1).",
        "The square of control_error_star is the mean of ||grad F_i(x*)||^2, as G_i = 0 at first.",
        "Attained on homogeneous clients of curvature mu where mu_prox is at least sqrt(L mu).",
        "Not for sampled clients or inexact minimisers.",
    ),
    source=ACAR_2021.at(
        "the method",
        note="Another proof, by Douglas-Rachford splitting; the paper's constants were not read.",
    ),
    prose=__doc__,
)
