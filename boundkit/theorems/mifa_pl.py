r"""MIFA under the Polyak-Lojasiewicz condition: stochastic gradients, local steps, bounded unavailability.

The loss falls linearly down to a floor whose noise is averaged over all $m$ clients. Strong convexity of
the mean loss is enough for the condition; the clients' losses need not be convex.

Proof, as for mifa_nonconvex_local_steps. Let $z$ be $x$ less what later rounds before $T$ add of the noise
that is stored now; $z_T = x_T$, as no round is left that could use it, and $z_0 = x_0$. With $||grad
F(x)||^2 >= (4/5) ||grad F(z)||^2 - 4 L^2 ||z - x||^2$ and the condition at $z$, a round contracts the loss
gap of $z$ by $1 - w$, $w = 0.7895 mu_PL s$. Unroll with weights $(1 - w)^k$. Inside one absence they
differ by a factor of at most $1.323$, since $c^2 d (d + 1)/2 <= 1/24$ gives $d w <= 0.23$; so the sums
over rounds of $||z - x||^2$ and of the squared ages hold with this factor, and the squared noise without
it. The factor of $||a||^2$ is at most $-1/2 + 1/8 + 0.24 + (51/25) (1.323)/24 < 0$. The sum of the weights
times $s$ is at most $1/(0.7895 mu_PL)$.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_OLD = Rational(13, 6) * _round * L * staleness * (2 * staleness + 1)

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
            (1 - Rational(39, 50) * mu_pl * _round) ** T * gap,
            "2 (4/5) of 1/2 - 5/768, rounded down",
        ),
        derived(
            "stochastic noise",
            Rational(3, 4) * eta_s * eta * L * sigma**2 / (m * mu_pl) * (1 + staleness + _OLD),
            "(4/7) over 0.7895; and 1.323 (8/7)(51/25 + 25/24 + 1.974)/6 over 0.7895",
        ),
        derived(
            "noise drift", Rational(4, 5) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl, "5/8 over 0.7895"
        ),
        derived(
            "client drift",
            Rational(8, 15) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1) / mu_pl,
            "5/12 over 0.7895",
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
