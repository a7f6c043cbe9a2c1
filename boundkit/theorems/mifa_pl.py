r"""MIFA under the Polyak-Lojasiewicz condition: stochastic gradients, local steps, bounded unavailability.

The loss falls linearly down to a floor whose noise is averaged over all $m$ clients. Strong convexity of
the mean loss is enough for the condition; the clients' losses need not be convex.

Proof. Let $z$ be $x$ less what later rounds before $T$ add of the noise that is stored now; $z_T = x_T$, as
no round is left that could use it, and $z_0 = x_0$. With $s = eta_s eta tau$, $c = s L$, $V = (8/7)
sigma^2/tau$, and $a_i$ the mean direction of client $i$'s last round, from the model $x_i$, $z$ moves by $-s
a$ and by uncorrelated noises, each $s n_i/m$ times the rounds that use it, at most $d + 1$ with $d =
staleness$.
(i) Let $w = (21/20) mu_PL s$. The losses of $z$ are weighed by $W_t = (1 - w)^(T - 1 - t)$. Inside one
absence the weights differ by a factor of at most $f = (1 - w)^(-d) <= 34/25$, as $c^2 d (d + 1) <= 1/12$. A
noise is charged when it is new, with the least of its rounds' weights: $c (d + 1) V/(2 m)$ a round.
(ii) $x_i - z$ is $s$ times the sum of the last $k <= d$ means $a$, and of noise: in the rounds since $x_i$,
$k$ of them, and in later ones. Squared, the sum of means is at most $f d (d + 1)/2 ||a||^2$ in the weighted
mean over rounds, and the noise $2 (f + 1) R V/m$, $R = d (2 d + 1)/6$: each of its two parts is a sum of
squares of at most $0, ..., d$ uses, and later uses are fewer where the weights are larger. Let the two have
the factors $1 + 22/5$ and $1 + 5/22$.
(iii) With $g = grad F(z)$ and $e_i = grad F_i(z) - a_i$, $||a||^2 = ||g||^2 - 2 <g, e> + ||e||^2$ and Young
give $<g, a> - b ||a||^2 + v ||e||^2 >= (1 - b - (1 - 2 b)^2/(4 (v - b))) ||g||^2$ for $b < v$. The local
drift of $x_i$, as for mifa_nonconvex_local_steps, has the factor $1 + 10/7$, and $L ||z - x_i||$ the factor
$1 + 7/10$, and $||grad F_i(x_i)||^2 <= (6/5) ||grad F_i(z)||^2 + 6 L^2 ||z - x_i||^2$: mean $||e_i||^2 <=
1.772 L^2$ mean $||z - x_i||^2 + (17/7) eta^2 L^2 (tau - 1)^2 ((3/8) (||g||^2 + sigma_g^2) + (5/8)
sigma^2/tau)$.
(iv) Take $v = 11/20$ and $b = c/2 + 1.772 v (27/5) f/24 <= 0.401$: then $b ||a||^2$ covers the descent and
the sums of means in $v$ mean $||e_i||^2$, and 0.533 of $||g||^2$ is left, of which the drift takes 0.008. The
condition turns the rest, at least $21/40$, into $w$ times the loss gap. The noise is at most $c V/m$ times
$(d + 1)/2 + 2.393 (f + 1) c R <= 1.044 (d + 1/2)$ for whole $d$, as $R = 0$ for $d = 0$, $f <= 1.28$ for $d =
1$, and $c R <= 0.09623 (d + 1/(8 (d + 1)))$. The sum of the weights times $s$ is at most $20/(21 mu_PL)$.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "mifa_pl",
    title="MIFA, Polyak-Lojasiewicz, noise and local steps",
    algorithm="mifa",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        BOUNDED_ABSENCE,
        COMMON_STEPS,
    ),
    requires=(at_most(mu_pl, L),),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most((_round * L) ** 2 * staleness * (staleness + 1), Rational(1, 12)),
    ),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(21, 20) * mu_pl * _round) ** T * gap,
            "2 (21/40), the share of the squared gradient that is left",
        ),
        derived(
            "stochastic noise",
            Rational(25, 22) * eta_s * eta * L * sigma**2 / (m * mu_pl) * (Rational(1, 2) + staleness),
            "(8/7) 1.044 over 21/20: new noise is (1 + staleness)/2 of it, and noise in models of other "
            "rounds the rest, which staleness alone has",
        ),
        derived(
            "noise drift",
            Rational(4, 5) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "(11/20)(17/7)(5/8) over 21/20, rounded up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            Rational(12, 25) * eta**2 * L**2 * sigma_g**2 * (tau - 1) ** 2 / mu_pl,
            "(11/20)(17/7)(3/8) over 21/20, rounded up",
        ),
    ),
    remarks=(
        "The server has an update of every client before its first step.",
        "Random availability is not covered: the weights of the rounds would need to fall more slowly than "
        "the probability of a long absence.",
    ),
    source=GU_2021.at(
        "the theorem on strongly convex losses",
        note="The source has a rate with decreasing step sizes (mifa_strongly_convex); this statement at a "
        "constant step size and its proof are ours.",
        letters={"N": m, "K": tau, "tau_max": staleness},
    ),
    prose=__doc__,
)
