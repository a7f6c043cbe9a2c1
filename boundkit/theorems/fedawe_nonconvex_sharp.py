r"""FedAWE on smooth non-convex losses: a complete proof, with smaller constants and longer steps.

The claim is that of fedawe_nonconvex. No condition $eta_s >= 1$ is needed, and the largest availability
does not occur. With full participation the terms of old models vanish, and those of FedAvg remain.

Proof, with $delta$ the availability, $r = sqrt(mixing)$, $s = eta_s eta tau$, $P = r^2/(1 - r)^2 + R$, $R =
(1 - delta) (2 - delta)/delta^2$, $k_i$ one more than the rounds that client $i$ missed, and $a_i(y)$ the mean
of its expected gradients over $tau$ local steps from $y$.

(i) Exchange of sums. Let $g_i >= 0$ depend on the stored model of client $i$ alone. Order the rounds by the
last round in which the client participated: $g_i$ is constant since, and later participation is independent
of it. With $S_j$ the probability of an absence of $j$ rounds, $S_(j+1) <= (1 - delta) S_j$, and Chebyshev's
sum inequality compares $sum j^2 S_j$ with the geometric case: $sum_t E (k_i - 1)^2 g_i <= R sum_t E g_i$,
and in the same way $sum_t E 1_i k_i^2 g_i <= ((2 - delta)/delta) sum_t E g_i$ over the rounds with
participation.

(ii) $z_i = x_i - u_i$, $u_i = s (k_i - 1) a_i(x_i)$. Before averaging a client has $z_i - s a_i$, and less $s
k_i n_i$ if it participates. So the mean of $z_i$ moves by $-s$ mean $a_i$ and noise, whichever clients
participate. By (i) the mean of $||u_i||^2$, summed over rounds, is at most $s^2 R$ times that of
$||a_i||^2$. The spread of the $z_i$, by the mixing rate and $||u + v||^2 <= ||u||^2/r + ||v||^2/(1 - r)$, is
at most $s^2 r^2/(1 - r)^2$ times it, plus $(8/7) s^2 sigma^2/tau$ times $R/(m (1 - r))$ a round: the noise of
a participant is divided by the number of participants, whose inverse has a mean of at most $1/(m delta)$.

(iii) Descent at the mean of the $z_i$. With $w = 19/7$ in Young's inequality for the gradient there less that
at the mean model, and the errors $e = c + b$ of the directions, $c$ since models differ and $b$ since local
steps move, $21/40$ of the squared gradient remains, and $||e||^2$ weighs at most $0.531$. With $27/25$ for
their sum a client's $||b_i||^2$ weighs at most $2.47/2.1$, and its $||c_i||^2$ at most $2.85/2.1$, with what
(ii) returns. $c_i$ is at most $L$ times the distance of the stored model from their mean, the sum of spread
and $u_i$: so both weigh $5.7/2.1$. Of the squared gradient $1/2.1$ is left.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as PAPER

_round = eta_s * eta * tau
_AGE = (1 - availability) * (2 - availability) / availability**2
SPREAD = mixing / (1 - sqrt(mixing)) ** 2 + _AGE

THEOREM = upper(
    "fedawe_nonconvex_sharp",
    title="FedAWE, gradient at the mean model, sharper constants",
    algorithm="fedawe",
    bounds=MEAN_MODEL_SQUARED_GRADIENT,
    assumes=tuple(each for each in PAPER.assumptions if each != SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (8 * L * tau * beta)),
        at_most(eta_s * eta, 1 / (2 * L * tau)),
        at_most((_round * L * beta) ** 2 * SPREAD, Rational(1, 100)),
    ),
    terms=(
        derived("initial gap", Rational(21, 10) * gap / (_round * T), "1 over what is left of 21/40"),
        derived(
            "stochastic noise",
            Rational(6, 5)
            * eta_s
            * eta
            * L
            * sigma**2
            * (2 - availability)
            / (availability * m)
            * (1 + Rational(11, 2) * _round * L * (1 - availability) / (availability * (1 - sqrt(mixing)))),
            "(8/7)/2 times 21/10, by (i); 8/7 times 57/10, by (ii): noise that is in some of the models only",
        ),
        derived(
            "unavailability",
            Rational(33, 4) * (_round * L) ** 2 * kappa**2 * SPREAD,
            "57/10 times 61/50 and 237/200: spread and missed updates, the parts of directions and gradients",
            label="stale-model dissimilarity",
        ),
        derived("noise drift", Rational(31, 20) * eta**2 * L**2 * sigma**2 * (tau - 1), "5/8 times 2.47"),
        derived(
            "client drift",
            Rational(19, 20) * eta**2 * L**2 * kappa**2 * (tau - 1) ** 2,
            "5/16 times 2.47 and 237/200",
        ),
    ),
    definitions={mixing: PAPER.definitions[mixing]},
    remarks=(
        "All stored models agree at the start.",
        *PAPER.remarks[:2],
    ),
    source=XIANG_2024.at(
        "Corollary 2", note="The method is the paper's; this statement and its proof are ours."
    ),
    prose=__doc__,
)
