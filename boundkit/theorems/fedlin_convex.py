r"""FedLin on smooth convex losses with full gradients: $1/T$ from heterogeneous clients, with no drift.

Local steps save nothing in this bound, and cost a factor 4/3 against gradient descent with the step of a
round.

Proof. Let $g = grad F(x)$, $s = eta_s eta tau$ and $c = s L <= 1$.

(i) A gradient step on a convex $L$-smooth loss does not increase distances for $eta <= 2/L$. A local step
is one from $y$ against one from $x$, and $-eta g$ more, so $||y_k - x|| <= eta k ||g||$.

(ii) The mean direction of the clients is $g - e$, with $||e|| <= eta L (tau - 1)/2 ||g|| <= (c/2) ||g||$,
as $eta_s >= 1$.

(iii) By smoothness $F(x+) - F(x) <= s (-(1 - c/2) ||g||^2 + (1 - c) <g, e> + (c/2) ||e||^2) <= -s (1 - c +
c^2/2 - c^3/8) ||g||^2$.

(iv) The bracket is convex in $c$ on $[0, 1]$, and lies above its tangent at 1, which is $(3/8) (2 - c)$.

(v) Sum over the rounds.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "fedlin_convex",
    title="FedLin, convex",
    algorithm="fedlin",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        SMOOTH, CONVEX, BOUNDED_BELOW, NO_NOISE, WEIGHTED_OBJECTIVE, FULL_PARTICIPATION, COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(eta_s, 1),),
    steps=(at_most(_round, 1 / L),),
    terms=(
        derived(
            "initial gap",
            8 * gap / (3 * _round * (2 - L * _round) * T),
            "(3/8) s (2 - s L) of the squared gradient survives each round",
        ),
    ),
    remarks=(
        "At tau = 1 it is gradient descent, whose constant is 2 in place of 8/3: the price of local steps.",
    ),
    source=MITRA_2021.at("the convex rate", note="Recalled; the constants are those of the proof above."),
    prose=__doc__,
)  # fmt: skip
