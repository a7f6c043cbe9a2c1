r"""Clipped minibatch SGD with sampled clients on relaxed-smooth losses: a lower bound for every step size.

With all clients and exact gradients, clipping removes the largest gradient from the bound. With sampled
clients it enters linearly. If clipping is strong, a majority with the wrong sign dominates: a clipped update
keeps the direction of the sampled clients' mean, not the larger size of the one opposing gradient. If
clipping is weak, steps must be short or they overshoot a steep valley, and short steps are slow where the
loss is flat.

Proof. For every $eta$ and clip one of three losses on a line is bad. Let $u = asinh(M L_1/L_0)/L_1$, with $M$
the largest gradient. (A) Wrong majority, for $clip < 2 u$ and a threshold $clip/eta$ below $M$: $F_1 = (2 m -
1) F$ and $F_i = -F$ for all others, so that the mean is $F$, with $F' = M$ to the right of a short
exponential corner. If client 1 does not participate, the step is $+clip$; if it does, $-clip$. It
participates with probability $C < 1/2$, so ever coming $k$ steps down has probability $(C/(1 - C))^k$, and
the corner is at least $k$ clips away if $gap >= (M/L_1) (1 + 2 k L_1 u)$. At $k = log 2/log((1 - C)/C)$ that
probability is $1/2$: the mean gradient stays above $M/2 >= target$. (B) A valley, $F' = (L_0/L_1) sinh(L_1
x)$ for all clients, from gradient $M$. It is never left if $clip >= 2 u$ and the threshold is below $M$, or
if $eta M >= 2 u$ and it is not: a clipped step leads to $clip - |x| >= u$, and an unclipped one to $eta |F'|
- |x| >= |x|$, because $sinh(z)/z$ grows. (C) A ramp, $F' = 2$ target for all clients, which
ends in an exponential corner. With $z = 2 target L_1/L_0$ the corner is $(2 target/L_1) (1 - log(1 + z)/z)$
high, and $F' =$ target at $log((1 + z)/(1 + z/2))/L_1$ before its end. A step is at most 2 target $eta$ long,
and the way there is at least $(gap - target/L_1)/(2 target)$, because $1 - log(1 + z)/z - log((1 + z)/(1 +
z/2))$ grows with $z$, up to $1 - log 2 < 1/2$. So $(gap - target/L_1)/(4 target^2 eta)$ rounds are needed. A
threshold below $M$ leads to (A) or (B). Otherwise $eta M >= 2 u$ leads to (B), and $eta < 2 u/M$ in (C) is
the bound.
"""

from boundkit.algebra.authoring import *

_U = asinh(grad_max * L1 / L0)
_K = log(2) / log((1 - C) / C)

THEOREM = lower(
    "clipped_minibatch_sgd_relaxed_smooth_lower",
    title="Clipped minibatch SGD with sampled clients, lower bound",
    algorithm="clipped_minibatch_sgd",
    bounds=ROUNDS_TO_TARGET,
    assumes=(
        RELAXED_SMOOTH,
        BOUNDED_BELOW,
        NO_NOISE,
        NORM_DISSIMILARITY,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        SERVER_STEP_ONE,
    ),
    requires=(less_than(C, Rational(1, 2)),),
    steps=(at_most(2 * target, grad_max), at_least(gap, grad_max * (1 + 2 * _K * _U) / L1)),
    terms=(
        derived(
            "clipping",
            (gap - target / L1) * L1 * grad_max / (8 * target**2 * _U),
            "1/8 = (1/4) (1/2): 4 target^2 a round on the ramp, and a step of at most 2 u/M in the valley",
        ),
    ),
    remarks=(
        "For every eta and every clip, selected with all constants known, there is a problem of the class on "
        "which so many rounds are needed. Therefore the bound does not depend on a step size.",
        "The class: every client is (L0, L1)-smooth but for kinks of the gradient, zeta = 0, rho_zeta at "
        "most 2 m - 2, a gap of at most gap, no gradient above grad_max below the level of the start, three "
        "clients or more. The problems are in boundkit.simulation.problems.clipping_problem.",
        "Where gap >= (M/L1) (1 + 2 k asinh(M L1/L0)), the gradient itself, not its mean, stays above the "
        "target for so many rounds with probability 1, or for ever with probability at least 1 - (C/(1 - "
        "C))^k.",
        "With full participation there is no majority, and clipped_gd_relaxed_smooth_rounds has no largest "
        "gradient.",
        "It needs heterogeneous clients, rho_zeta of the order of m; with two clients clipping can stop the "
        "iterates, not reverse them.",
    ),
    source=CRAWSHAW_2023_SUBSAMPLING.at(
        "Theorem 2 (rate); instances and constants here",
        note="The abstract and a slide were read; the paper's own instances are not known here, and these "
        "are ours.",
        letters={"R": T, "N": m, "S": C * m, "M": grad_max, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
