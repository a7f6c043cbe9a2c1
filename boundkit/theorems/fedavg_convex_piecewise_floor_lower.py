r"""FedAvg, noise and participation on Huber losses of small slope: mean loss gap, one local step.

On a quadratic the noise of a round and the pull towards the optimum balance where the loss is half as large
as on a loss that grows along straight lines. So the instance of fedavg_convex_floor_lower needs half of the
constants that this one needs.

Proof. Put $s = eta_s eta$ and $M = C m$. A round moves $x$ by $-s (h + w)$: $h$ is the slope of the Huber
loss at $x$, $w$ is the mean of the noise and of the linear terms of the M participating clients, with mean 0,
symmetric, independent of $x$, of variance $V = sigma^2/M + (1 - C) sigma_g^2/(C (m - 1))$. So $E x_(t+1)^2 >=
E x_t^2 - 2 s E x_t h + s^2 V$, and $x h <= F(x) - F* + g^2/(2 L)$. Summed from $x_0 = 0$, the mean loss gap
is at least $s V/2 - g^2/(2 L) - E x_T^2/(2 s T)$. The last expectation is bounded by that of a hyperbolic
cosine. A mean of M out of m values, half of them $sigma_g$ and half $-sigma_g$, is sub-Gaussian with $min(M,
m - M) sigma_g^2/M^2$ in place of its variance (Hoeffding, and by the values that are left out), which is at
most twice the variance. So $E cosh(a s w) <= exp(a^2 s^2 U/2)$ with $U = sigma^2/M + 2 (1 - C) sigma_g^2/(C
(m - 1))$. Take $a = g/(s U)$ and $q = g^2/U$. As $w$ is symmetric, $E cosh(a x_(t+1)) = E cosh(a (x - s h)) E
cosh(a s w)$, and $cosh(a (x - s h)) <= exp(-q) cosh(a x) + sinh(q) cosh(a g/L)$ on the linear parts and
between them. With $q <= s L/2$ and $s L <= 1/4$ it follows by induction that $E cosh(a x_t) <= exp(q/2)
sinh(q) cosh(1/2)/(1 - exp(-q/2)) <= 5/2$, so that $E x_T^2 <= 3/a^2$. At $g^2 = U (3 s L/T)^(1/2)$ the two
lost parts are together $U (3 s/(L T))^(1/2)$, at most $s V/2$ times $4 (3/(s L T))^(1/2)$ as $U <= 2 V$. If
that number is above 1 nothing is claimed, and else $q <= s L/2$.
"""

from boundkit.algebra.authoring import *

_S = eta_s * eta
_KEPT = Max(0, 1 - 4 * sqrt(3 / (_S * L * T)))

THEOREM = lower(
    "fedavg_convex_piecewise_floor_lower",
    title="FedAvg, convex, noise and participation, lower bound on piecewise quadratics",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(
        SMOOTH,
        CONVEX,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        ONE_LOCAL_STEP,
        HUBER_WITH_LINEAR_TERMS,
    ),
    requires=(at_least(m, 2),),
    steps=(at_most(_S, 1 / (4 * L)),),
    terms=(
        derived(
            "stochastic noise",
            _S * sigma**2 / (2 * C * m) * _KEPT,
            "1/2 of the squared step's variance a round, s V/2; 4 by what the slope and the start cost",
        ),
        derived(
            "partial participation",
            _S * (1 - C) * sigma_g**2 / (2 * C * (m - 1)) * _KEPT,
            "1/2 of the variance of the mean of C m linear terms; 4 as that variance is half of its bound",
        ),
    ),
    remarks=(
        "No proof can give noise and participation constants below 1/2 for long runs with one local step.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
