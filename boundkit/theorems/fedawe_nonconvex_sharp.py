r"""FedAWE on smooth non-convex losses: a complete proof, with smaller constants and longer steps.

The claim is that of fedawe_nonconvex. No condition $eta_s >= 1$ is needed, and the largest availability
does not occur. With full participation the terms of old models vanish, and those of FedAvg remain.

Proof, with $delta$ the availability, $r = sqrt(mixing)$, $s = eta_s eta tau$, $R = (1 - delta) (2 -
delta)/delta^2$, $k_i$ one more than the rounds that client $i$ missed, and $a_i(y)$ the mean of its expected
gradients over $tau$ local steps from $y$.

(i) Exchange of sums. Order the rounds by the last round in which the client participated: its stored model is
constant since, and later participation is independent of it. With $S_j$ the probability of an absence of $j$
rounds, $S_(j+1) <= (1 - delta) S_j$, and Chebyshev's sum inequality compares $sum j^2 S_j$ with the geometric
case: $sum_t E 1_i k_i^2 <= ((2 - delta)/delta) T$ over the rounds with participation.

(ii) $z_i = x_i - u_i$, $u_i = s (k_i - 1) a_i(x_i)$. Before averaging a client has $z_i - s a_i$, and less $s
k_i n_i$ if it participates. So the mean $z$ of the $z_i$ moves by $-s$ mean $a_i$ and noise, whichever
clients participate. What one round's $s a_i$ leave in the offsets $x_i - z$ has $j$ rounds later at most
$mixing^j$ of their mean square: the average of participants has this contraction on vectors of mean 0, and
who was absent in all $j$ rounds, with a probability of at most $(1 - delta)^j <= mixing^j$, has an offset by
their mean alone. By the triangle inequality over the rounds and $||u + v||^2 <= ||u||^2/r + ||v||^2/(1 - r)$
the mean of $||x_i - z||^2$, summed over rounds, is at most $s^2 r^2/(1 - r)^2$ times that of $||a_i||^2$,
plus $(8/7) s^2 sigma^2/tau$ times $R/(m (1 - r))$ a round: the noise of a participant is divided by the
number of participants, whose inverse has a mean of at most $1/(m delta)$.

(iii) Descent at the mean of the $z_i$. With $w = 3/2$ in Young's inequality for the gradient there less that
at the mean model, and the errors $e = c + b$ of the directions, $c$ since models differ and $b$ since local
steps move, $21/40$ of the squared gradient remains, and $||e||^2$ weighs at most $0.539$. With $27/25$ for
their sum a client's $||b_i||^2$ weighs at most $2.4/2.1$, and its $||c_i||^2$ at most $3/2.1$, with what (ii)
returns. $c_i$ is at most $L$ times the distance of the stored model from their mean, and the gradients at
both means differ by at most $L$ times theirs, so that the offsets weigh $3.15/2.1$. Of the squared gradient
$1/2.1$ is left.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as PAPER

_round = eta_s * eta * tau
MIXED = mixing / (1 - sqrt(mixing)) ** 2
"""Mean square of the offsets of stored models, over that of the directions times a round's length."""

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
        at_most((_round * L * beta) ** 2 * MIXED, Rational(1, 100)),
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
            * (1 + 3 * _round * L * (1 - availability) / (availability * (1 - sqrt(mixing)))),
            "(8/7)/2 times 21/10, by (i); 8/7 times 63/20, by (ii): noise that is in some of the models only",
        ),
        derived(
            "unavailability",
            Rational(13, 3) * (_round * L) ** 2 * kappa**2 * MIXED,
            "63/20 times 117/100 and 23/20: the offsets, the parts of directions and gradients",
            label="stale-model dissimilarity",
        ),
        derived("noise drift", Rational(3, 2) * eta**2 * L**2 * sigma**2 * (tau - 1), "5/8 times 12/5"),
        derived(
            "client drift",
            Rational(9, 10) * eta**2 * L**2 * kappa**2 * (tau - 1) ** 2,
            "5/16 times 12/5 and 23/20",
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
