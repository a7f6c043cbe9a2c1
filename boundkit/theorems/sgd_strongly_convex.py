r"""Synchronous minibatch SGD on strongly convex losses: the gap of the loss at the end.

The start is forgotten geometrically, at 1 - eta mu a round. What stays is a floor that the noise sets:
each round pushes the loss up by its noise, and the slope takes it down again, the slower the flatter the
loss is. Halve the step and the floor halves, but the start lingers twice as long.

Proof. As for sgd_nonconvex, E F(x+) - F* <= F(x) - F* - (eta/2) ||grad F||^2 + eta^2 L sigma^2/(2m) for
eta L <= 1. Strong convexity gives ||grad F||^2 >= 2 mu (F - F*), so that a round contracts by 1 - eta mu
and adds eta^2 L sigma^2/(2m). The geometric sum of what is added is at most 1/(eta mu) times as much.
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, T, eta, gap, m, mu, sigma
from boundkit.algebra.vocabulary import (
    BOUNDED_NOISE,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    LAST_LOSS_GAP,
    ONE_LOCAL_STEP,
    SERVER_STEP_ONE,
    SMOOTH,
    STRONGLY_CONVEX,
)

THEOREM = Theorem(
    name="sgd_strongly_convex",
    algorithm="minibatch_sgd",
    claim=LAST_LOSS_GAP,
    assumptions=(
        SMOOTH,
        STRONGLY_CONVEX,
        BOUNDED_NOISE,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    step_size=(at_most(eta, 1 / L),),
    terms=(
        Term(
            "initial gap",
            (1 - eta * mu) ** T * gap,
            provenance="derived",
            because="eta/2 of the squared gradient a round, and 2 mu of the gap in it",
        ),
        Term(
            "stochastic noise",
            eta * L * sigma**2 / (2 * mu * m),
            provenance="derived",
            because="eta^2 L sigma^2/(2m) a round, summed geometrically: times 1/(eta mu)",
        ),
    ),
    reductions=(
        Reduction(
            to="sgd_nonconvex",
            when={T: 1},
            factors={"initial gap": eta / 2, "stochastic noise": 1 / (2 * mu)},
            holds=False,
            because="the noise is the one there over 2 mu, but the start enters by contraction: mu -> 0 "
            "does not give a bound without strong convexity",
        ),
    ),
    limits=(Limit(when={sigma: 0}, removes=("stochastic noise",)),),
    remarks=(
        "Only the mean loss is used, and of its strong convexity only that a small gradient means a small "
        "gap (Polyak-Lojasiewicz with mu).",
        "At mu = L the floor of a quadratic is 1/(2 - eta L) of the bound, which is all of it at eta = 1/L.",
        "In finite time the noise may be multiplied by 1 - (1 - eta mu)^T.",
        "Dissimilar clients cost nothing here, as in sgd_nonconvex.",
    ),
    source=Source(
        authors=("Bottou", "Curtis", "Nocedal"),
        year=2018,
        title="Optimization Methods for Large-Scale Machine Learning",
        venue="SIAM Review 60(2)",
        arxiv="1606.04838",
        where="Theorem 4.6",
        note="The classical form, with M_G = mu = 1 and M = sigma^2/m; the constants stand on the proof "
        "above.",
        renamed={"alpha_bar": eta, "c": mu, "k - 1": T, "M": sigma**2 / m, "F(w_1) - F_*": gap},
    ),
    prose=__doc__,
)
