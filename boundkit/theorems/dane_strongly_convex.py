"""One client that solves with the mean gradient: $mu_prox/mu$ rounds, where its Hessian is near.

Only the distance of the solver's Hessian from the mean Hessian counts, not the smoothness: a client with as
much data as it takes to be representative does the work of all.
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
            (2 * mu_prox / (mu + 2 * mu_prox)) ** T * L * distance**2 / 2,
            "a Bregman distance that a round shrinks by 1 - mu/(mu + 2 mu_prox), and that is at least "
            "mu_prox/L times the loss gap",
        ),
    ),
    remarks=(
        "Convexity of the solver's loss and strong convexity of the mean loss suffice.",
        "As mu_prox goes to 0, which needs a solver with the mean loss, one round is enough.",
    ),
    source=SHAMIR_2014.at("the method with one solver", note="Recalled; the statement is derived here."),
    prose=__doc__,
)  # fmt: skip
