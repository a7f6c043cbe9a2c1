r"""Synchronous minibatch SGD on strongly convex losses: the last loss gap.

The initial gap falls geometrically, by a factor $1 - eta mu$ a round. The error floor is determined by the
noise: each round increases the loss by its noise, and the descent reduces it, more slowly for flatter losses.
Half the step size halves the error floor and doubles the number of rounds to reach it.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "sgd_strongly_convex",
    title="Minibatch SGD, strongly convex",
    algorithm="minibatch_sgd",
    bounds=LAST_LOSS_GAP,
    assumes=(*STRONGLY_CONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, ONE_LOCAL_STEP, SERVER_STEP_ONE),
    requires=(at_most(mu, L),),
    steps=(at_most(eta, 1 / L),),
    terms=(
        derived(
            "initial gap",
            (1 - eta * mu) ** T * gap,
            "eta/2 of the squared gradient a round, and 2 mu of the gap in it",
        ),
        derived(
            "stochastic noise",
            eta * L * sigma**2 / (2 * mu * m),
            "eta^2 L sigma^2/(2m) a round, summed geometrically: times 1/(eta mu)",
        ),
    ),
    becomes=(
        not_to(
            "sgd_nonconvex",
            {T: 1},
            factors={"initial gap": eta / 2, "stochastic noise": 1 / (2 * mu)},
            because="the noise is the one there over 2 mu, but the initial error enters by contraction: mu "
            "-> 0 does not give a bound without strong convexity",
        ),
    ),
    remarks=(
        "Only the mean loss is used, and of its strong convexity only that a small gradient means a small "
        "gap (Polyak-Lojasiewicz with mu).",
        "At mu = L the error floor of a quadratic is 1/(2 - eta L) of the bound, which is all of it at eta = "
        "1/L.",
        "In finite time the noise may be multiplied by 1 - (1 - eta mu)^T.",
        "Heterogeneity adds no term, as in sgd_nonconvex.",
    ),
    source=BOTTOU_2018.at(
        "Theorem 4.6",
        note="The classical form, with M_G = mu = 1 and M = sigma^2/m; the constants stand on the proof "
        "above.",
        letters={"alpha_bar": eta, "c": mu, "k - 1": T, "M": sigma**2 / m, "F(w_1) - F_*": gap},
    ),
    prose=__doc__,
)
