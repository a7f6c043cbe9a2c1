r"""One client that solves with the mean gradient: $mu_prox/mu$ rounds, where its Hessian is near.

Only the distance of the solver's Hessian from the mean Hessian counts, not the smoothness: a client with as
much data as it takes to be representative does the work of all.

Proof. Let $Q = F_1 + mu_prox ||.||^2/2$ and $B(y, x) = Q(y) - Q(x) - <grad Q(x), y - x>$.

(i) The Hessians satisfy $H <= H_1 + mu_prox <= H + 2 mu_prox <= (1 + 2 mu_prox/mu) H$. So $F$ is smooth
with constant 1 and strongly convex with constant $k = mu/(mu + 2 mu_prox)$ relative to $Q$.

(ii) The solver's answer $x+$ minimises $<grad F(x), y> + B(y, x)$ over $y$, so that $<grad F(x), x+ - y> =
B(y, x) - B(y, x+) - B(x+, x)$ for all $y$.

(iii) $F(x+) <= F(x) + <grad F(x), x+ - x> + B(x+, x)$ and $F* >= F(x) + <grad F(x), x* - x> + k B(x*, x)$.
Together $F(x+) - F* <= (1 - k) B(x*, x) - B(x*, x+)$. So $B(x*, x)$ shrinks by $1 - k$ a round, the last
gap is at most $1 - k$ of the last but one, and $B(x*, x_0) <= (L + mu_prox) D^2/2$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "dane_strongly_convex",
    title="One solver with a similar loss, strongly convex",
    algorithm="dane",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH, STRONGLY_CONVEX, NO_NOISE, SIMILAR_SOLVER, WEIGHTED_OBJECTIVE, FULL_PARTICIPATION,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    terms=(
        derived(
            "initial gap",
            (2 * mu_prox / (mu + 2 * mu_prox)) ** T * (L + mu_prox) * distance**2 / 2,
            "a Bregman distance that a round shrinks by 1 - mu/(mu + 2 mu_prox)",
        ),
    ),
    remarks=(
        "Convexity of the solver's loss and strong convexity of the mean loss suffice.",
        "As mu_prox goes to 0, which needs a solver with the mean loss, one round is enough.",
    ),
    source=SHAMIR_2014.at("the method with one solver", note="Recalled; the statement is derived above."),
    prose=__doc__,
)  # fmt: skip
